// The page: its parts, and the address that says which job is open, so that a reload goes on where it was.

import { json } from "./api.js";
import { byId } from "./dom.js";
import { engine } from "./engine.js";
import { jobs } from "./jobs.js";
import { keys } from "./key.js";
import { search } from "./search.js";
import { theme } from "./theme.js";
import { uploads } from "./uploads.js";
import { Viewer } from "./viewer.js";

const list = jobs();
const viewer = new Viewer((job) => list.put(job));
let opened = Promise.resolve();

theme();
keys(() => (list.refresh(), show(true)));
uploads((job) => {
  list.put(job);
  location.hash = `#/jobs/${job.id}`;
  list.refresh();
});
search((documentId) => list.ofDocument(documentId)?.file_name ?? documentId.slice(0, 12), place);
engine(() => list.refresh()); // jobs of other clients are seen, too
window.addEventListener("hashchange", () => show());
list.refresh();
show();

/** Open the job that the address names. */
function show(again = false) {
  const jobId = /^#\/jobs\/([\w-]+)$/.exec(location.hash)?.[1];
  if (!jobId || (jobId === viewer.jobId && !again)) return opened;
  list.mark(jobId);
  opened = viewer.open(jobId);
  return opened;
}

/** Open a passage's document where it stands. */
async function place(passage) {
  try {
    const path = `/v1/documents/${encodeURIComponent(passage.document_id)}/pages/${passage.page}`;
    const { job_id: jobId } = await json(path);
    if (jobId !== viewer.jobId) {
      history.pushState(null, "", `#/jobs/${jobId}`);
      await show();
    }
    const boxes = passage.boxes.filter((each) => each.page === passage.page);
    viewer.goTo(passage.page, boxes);
  } catch (problem) {
    byId("hits-title").textContent = problem.message;
  }
}
