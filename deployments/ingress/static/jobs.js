// The list of jobs, newest first; the one that is open is marked.

import { json } from "./api.js";
import { byId, count, h } from "./dom.js";
import { ended } from "./follow.js";

const TICK_MS = 2000; // while a job that nobody follows is unfinished

/** Keeps the list; `refresh()` asks the server, `put(job)` shows what is known already, `mark(id)` the open one. */
export function jobs() {
  const known = new Map();
  let open = null;
  let timer = null;

  const draw = () => {
    const listed = [...known.values()].sort((a, b) => (a.created_at < b.created_at ? 1 : -1));
    byId("jobs").replaceChildren(
      ...(listed.length ? listed.map((job) => row(job, job.id === open)) : [h("li", { className: "faint" }, "None yet.")]),
    );
  };
  const refresh = async () => {
    clearTimeout(timer);
    const found = await json("/v1/jobs?limit=200").catch((problem) => problem);
    if (found instanceof Error) {
      if (!known.size) byId("jobs").replaceChildren(h("li", { className: "why" }, found.message));
    } else {
      const kept = found.jobs.map((job) => newer(job, known.get(job.id)));
      known.clear();
      for (const job of kept) known.set(job.id, job);
      draw();
    }
    if ([...known.values()].some((job) => !ended(job.status))) timer = setTimeout(refresh, TICK_MS);
  };
  return {
    refresh,
    put(job) {
      known.set(job.id, { ...known.get(job.id), ...job });
      draw();
    },
    mark(id) {
      open = id;
      draw();
    },
    name: (id) => known.get(id)?.file_name,
    ofDocument: (id) => [...known.values()].find((job) => job.document_id === id),
  };
}

/** A list that was asked for earlier does not undo what is known by now. */
function newer(job, before) {
  return before && ended(before.status) && !ended(job.status) ? before : { ...job, pages: before?.pages ?? [] };
}

function row(job, isOpen) {
  const pages = job.num_pages ? count(job.num_pages, "page") : "";
  return h(
    "li",
    {},
    h(
      "a",
      { href: `#/jobs/${job.id}`, "aria-current": isOpen ? "true" : null },
      h("span", { className: "name" }, job.file_name),
      h("span", { className: "facts" }, h("span", { className: `chip ${job.status}` }, job.status), " ", pages),
    ),
  );
}
