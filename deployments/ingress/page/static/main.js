// Starts the web page: connects its parts, and opens the document that the URL names.

import { jobAddress, parseAddress } from "./base/page_links.js";
import { json } from "./base/api.js";
import { byId } from "./base/dom.js";
import { engine } from "./engine_panel.js";
import { JobList } from "./jobs/job_list.js";
import { keys } from "./base/api_key.js";
import { emptyState } from "./jobs/sample_documents.js";
import { search } from "./search/search.js";
import { theme } from "./base/theme.js";
import { Uploads } from "./jobs/uploads.js";
import { Viewer } from "./viewer/document_view.js";

const NONE = { answers: false, extraction: false, schemas: [] };
const ONE_COLUMN = window.matchMedia("(max-width: 60rem)");

const list = new JobList();
const capabilities = json("/v1/capabilities").catch(() => NONE);
const viewer = new Viewer({ changed: (job) => list.put(job), opened: openNew, removed }, capabilities);
const uploads = new Uploads(openNew, () => list.ids());
let isOpened = Promise.resolve();

theme();
keys(() => (list.refresh(), show(true)));
search((documentId) => list.ofDocument(documentId)?.file_name ?? documentId.slice(0, 12), capabilities);
engine(() => list.refresh()); // jobs of other clients are seen, too
list.onCleared = (documents) => documents.has(viewer.job?.document_id) && close();
window.addEventListener("hashchange", () => show());
byId("hits").addEventListener("click", (event) => {
  const link = event.target.closest("a");
  if (link?.hash === location.hash) show(); // the same citation again
});
list.refresh();
show();

function openNew(job) {
  list.put(job);
  location.hash = jobAddress(job.id);
  list.refresh();
}

function removed(job) {
  list.drop(job.document_id);
  close();
}

function close() {
  history.replaceState(null, "", location.pathname);
  viewer.close();
  showEmpty();
}

function showEmpty() {
  list.mark(null);
  byId("document").replaceChildren(emptyState((files) => uploads.send(files)));
}

/** Open what the address names. */
function show(again = false) {
  const { jobId, documentId, page, revision, targets } = parseAddress(location.hash);
  if (documentId) isOpened = cite(documentId, page, revision, targets);
  else if (!jobId) {
    if (!viewer.jobId) showEmpty();
  } else if (jobId !== viewer.jobId || again) {
    const { hash } = location;
    isOpened = open(jobId).then(() => location.hash === hash && bringToView()); // before, there is nothing to scroll to
  } else bringToView();
  return isOpened;
}

function open(jobId) {
  list.mark(jobId);
  return viewer.open(jobId);
}

/** Open a revision of a document, or the newest, at a place on a page. */
async function cite(documentId, page, revision, targets) {
  const { hash } = location;
  try {
    const { job_id: jobId } = await json(`/v1/documents/${encodeURIComponent(documentId)}/pages/${page}${revision ? `?revision=${revision}` : ""}`);
    if (location.hash !== hash) return; // something else was opened meanwhile
    if (jobId !== viewer.jobId) await open(jobId);
    if (location.hash === hash) viewer.goTo(page, targets);
  } catch (problem) {
    if (location.hash !== hash) return;
    viewer.close();
    viewer.fail(problem.message);
  }
}

/** In one column the document stands below the list. */
function bringToView() {
  if (ONE_COLUMN.matches) byId("document").scrollIntoView({ block: "start" });
}
