// Tells who uploaded a document: this tab, a Docling client, or another client.

const SENT = "pagemill.sent";
const MAX_SENT = 500;

const sent = () => JSON.parse(sessionStorage.getItem(SENT) ?? "[]");

/** Remember that this tab sent it. */
export function remember(job) {
  sessionStorage.setItem(SENT, JSON.stringify([...new Set([...sent(), job.id])].slice(-MAX_SENT)));
}

export function originOf(job) {
  if (job.document_id.startsWith("converted-")) return "sent by a call of Docling’s form";
  return sent().includes(job.id) ? "sent from this tab" : "sent by another client";
}
