// How kinds of region, sources, media types, sizes and times are written on the page.

const KINDS = {
  title: "Heading",
  "plain text": "Text",
  abandon: "Header or footer",
  figure: "Figure",
  figure_caption: "Figure caption",
  table: "Table",
  table_caption: "Table caption",
  table_footnote: "Table note",
  isolate_formula: "Formula",
  formula_caption: "Formula number",
  comment: "Comment",
};
const NOTES = { foot: "Footnote", side: "Side note" };
const SOURCES = { text_layer: "text layer", ocr: "OCR", mixed: "text layer and OCR" };
const MEDIA = {
  "application/pdf": "PDF",
  "image/png": "PNG",
  "image/jpeg": "JPEG",
  "image/tiff": "TIFF",
  "image/webp": "WebP",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "DOCX",
  "application/vnd.openxmlformats-officedocument.presentationml.presentation": "PPTX",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "XLSX",
  "application/vnd.oasis.opendocument.text": "ODT",
  "application/vnd.oasis.opendocument.spreadsheet": "ODS",
  "application/vnd.oasis.opendocument.presentation": "ODP",
  "application/epub+zip": "EPUB",
  "application/zip": "ZIP",
  "text/html": "HTML",
  "text/markdown": "Markdown",
  "text/csv": "CSV",
  "text/plain": "Text",
  "message/rfc822": "Mail",
};
const UNITS = ["bytes", "kB", "MB", "GB"];

export const kindName = (region) => NOTES[region.note] ?? (region.code ? "Code" : (KINDS[region.kind] ?? region.kind));
export const sourceName = (source) => SOURCES[source] ?? source;
export const mediaName = (type) => MEDIA[type] ?? type;

/** "1 page", "3 pages". */
export const count = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;

/** "812 bytes", "1.4 MB". */
export function size(bytes) {
  const unit = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const number = bytes / 1000 ** unit;
  return `${unit && number < 10 ? number.toFixed(1) : Math.round(number)} ${UNITS[unit]}`;
}

/** "0.8 s", "12 s", "3 min 5 s", "2 h 10 min". */
export function duration(seconds) {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** "just now", "5 min ago", "14:03", "3 May 2026". */
export function moment(iso, now = new Date()) {
  const at = new Date(iso);
  const minutes = (now - at) / 60_000;
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${Math.floor(minutes)} min ago`;
  if (at.toDateString() === now.toDateString()) return at.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
  return at.toLocaleDateString(undefined, { day: "numeric", month: "short", year: "numeric" });
}

/** Seconds between a job's arrival and its end; null: it has not ended. */
export const secondsOf = (job) => (job.finished_at ? (new Date(job.finished_at) - new Date(job.created_at)) / 1000 : null);
