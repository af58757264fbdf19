// The list of documents and jobs beside the open one, newest first.

import { jobAddress } from "../base/page_links.js";
import { call, json } from "../base/api.js";
import { confirmed } from "../base/confirm_dialog.js";
import { announce, byId, h } from "../base/dom.js";
import { hasEnded } from "./job_events.js";
import { originOf } from "./upload_origin.js";
import { count, duration, mediaName, moment, secondsOf, size } from "../base/display_names.js";

const TICK_MS = 2000; // while a job that nobody follows is unfinished
const MAX_LISTED = 1000;

export class JobList {
  constructor() {
    this.jobs = new Map();
    this.openId = null;
    this.timer = null;
    this.filter = byId("filter");
    this.filter.addEventListener("input", () => this.#draw());
    byId("filter-status").addEventListener("change", () => this.#draw());
    byId("clear").addEventListener("click", () => this.#clear());
  }

  /** Ask the server. */
  async refresh() {
    clearTimeout(this.timer);
    const answer = await json(`/v1/jobs?limit=${MAX_LISTED}`).catch((problem) => problem);
    if (answer instanceof Error) {
      if (!this.jobs.size) byId("jobs").replaceChildren(h("li", { className: "why" }, answer.message));
    } else {
      const listed = answer.jobs.map((job) => newer(job, this.jobs.get(job.id)));
      this.jobs = new Map(listed.map((job) => [job.id, job]));
      this.#draw();
    }
    if ([...this.jobs.values()].some((job) => !hasEnded(job.status))) this.timer = setTimeout(() => this.refresh(), TICK_MS);
  }

  /** Show what is known of a job already. */
  put(job) {
    this.jobs.set(job.id, { ...this.jobs.get(job.id), ...job });
    this.#draw();
  }

  /** A document is gone, and so are all of its jobs. */
  drop(documentId) {
    for (const job of [...this.jobs.values()]) if (job.document_id === documentId) this.jobs.delete(job.id);
    this.#draw();
  }

  /** Mark the job that is open. */
  mark(jobId) {
    this.openId = jobId;
    this.#draw();
  }

  ids() {
    return new Set(this.jobs.keys());
  }

  ofDocument(documentId) {
    return this.#sorted().find((job) => job.document_id === documentId);
  }

  #sorted() {
    return [...this.jobs.values()].sort((one, other) => (one.created_at < other.created_at ? 1 : -1));
  }

  #filtered() {
    const words = this.filter.value.trim().toLowerCase();
    const status = byId("filter-status").value;
    const hasStatus = (job) => !status || job.status === status || (status === "unfinished" && !hasEnded(job.status));
    return this.#sorted().filter((job) => hasStatus(job) && job.file_name.toLowerCase().includes(words));
  }

  /** Documents all of whose jobs have ended and are listed: another job may have read what is listed as failed. */
  #clearable() {
    const ended = new Set(this.#filtered().filter((job) => hasEnded(job.status)));
    const kept = new Set([...this.jobs.values()].filter((job) => !ended.has(job)).map((job) => job.document_id));
    return new Set([...ended].map((job) => job.document_id).filter((documentId) => !kept.has(documentId)));
  }

  #draw() {
    const listed = this.#filtered();
    const empty = this.jobs.size ? "No document matches." : "None yet.";
    byId("jobs").replaceChildren(...(listed.length ? listed.map((job) => row(job, job.id === this.openId)) : [h("li", { className: "faint" }, empty)]));
    byId("list-tools").hidden = this.jobs.size === 0;
    byId("clear").hidden = this.#clearable().size === 0;
  }

  async #clear() {
    const documents = this.#clearable();
    const question = `Delete ${count(documents.size, "document")} of this list permanently? Files, pages and entries in the search index are deleted.`;
    if (!(await confirmed(question, "Delete"))) return;
    let refusal = "";
    for (const documentId of documents) {
      try {
        await call(`/v1/documents/${encodeURIComponent(documentId)}`, { method: "DELETE" });
        this.drop(documentId);
      } catch (problem) {
        refusal = problem.message;
      }
    }
    announce(refusal || `${count(documents.size, "document")} deleted`);
    await this.refresh();
    this.onCleared?.(documents);
  }
}

/** A list that was asked for earlier does not undo what is known by now. */
function newer(job, before) {
  return before && hasEnded(before.status) && !hasEnded(job.status) ? before : { ...job, pages: before?.pages ?? [] };
}

function row(job, isOpen) {
  const seconds = secondsOf(job);
  const facts = [job.num_pages && count(job.num_pages, "page"), job.size && size(job.size), moment(job.created_at)];
  const more = [job.media_type && mediaName(job.media_type), originOf(job), seconds !== null && `took ${duration(seconds)}`];
  return h(
    "li",
    {},
    h(
      "a",
      { href: jobAddress(job.id), "aria-current": isOpen ? "true" : null, title: [job.file_name, ...more].filter(Boolean).join("\n") },
      h("span", { className: "name" }, job.file_name),
      h("span", { className: "facts" }, h("span", { className: `chip ${job.status}` }, job.status), " ", facts.filter(Boolean).join(" · ")),
    ),
  );
}
