// Reads and writes the part of the URL after #: links to a job, or to a place on a page of a document (citation). The server
// writes the same links in operations/page_links.py.
//   #/jobs/{job_id}
//   #/documents/{document_id}/pages/{number}?revision={number}&region={order}&box=x0,y0,x1,y1&place={json}

/** What an address names: `{ jobId }`, `{ documentId, page, revision, targets }` or nothing. */
export function parseAddress(hash) {
  const job = /^#\/jobs\/([\w-]+)$/.exec(hash);
  if (job) return { jobId: job[1] };
  const citation = /^#\/documents\/([^?]+)\/pages\/(\d{1,9})(?:\?(.*))?$/.exec(hash);
  if (!citation) return {};
  try {
    const query = new URLSearchParams(citation[3] ?? "");
    const revision = /^\d{1,9}$/.test(query.get("revision")) ? Number(query.get("revision")) : null;
    return { documentId: decodeURIComponent(citation[1]), page: Number(citation[2]), revision, targets: targetsIn(query) };
  } catch {
    return {}; // an escape that is none
  }
}

/** Each target has an `order` of a region, a `box` in points, or a `place` of a file without printed pages. */
function targetsIn(query) {
  const regions = query.getAll("region").filter((text) => /^\d{1,9}$/.test(text));
  return [
    ...regions.map((text) => ({ order: Number(text) })),
    ...query.getAll("box").map(boxOf).filter(Boolean).map((box) => ({ box })),
    ...query.getAll("place").map(placeOf).filter(Boolean).map((place) => ({ place })),
  ];
}

function boxOf(text) {
  const [x0, y0, x1, y1, ...rest] = text.split(",").map(Number);
  const isBox = [x0, y0, x1, y1].every(Number.isFinite) && rest.length === 0 && x0 < x1 && y0 < y1;
  return isBox ? { x0, y0, x1, y1 } : null;
}

function placeOf(text) {
  try {
    const place = JSON.parse(text);
    return typeof place?.kind === "string" ? place : null;
  } catch {
    return null;
  }
}

export const jobAddress = (jobId) => `#/jobs/${encodeURIComponent(jobId)}`;

export const regionAddress = (documentId, revision, page, order) => `#/documents/${encodeURIComponent(documentId)}/pages/${page}?revision=${revision}&region=${order}`;

/** Of a passage or citation: its page, with its boxes there. */
export function passageAddress({ document_id: documentId, revision, page, boxes }) {
  const targets = boxes
    .filter((span) => span.page === page)
    .map(({ box, place }) => (box && box.x1 > box.x0 ? `box=${[box.x0, box.y0, box.x1, box.y1].map(rounded).join(",")}` : place ? `place=${encodeURIComponent(JSON.stringify(place))}` : ""))
    .filter(Boolean);
  return `#/documents/${encodeURIComponent(documentId)}/pages/${page}?${[`revision=${revision}`, ...targets].join("&")}`;
}

const rounded = (number) => Math.round(number * 10) / 10;
