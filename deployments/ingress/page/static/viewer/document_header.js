// The header of an open document: name, status, download formats, delete and retry buttons, hints for errors.

import { call, download, json, posted } from "../base/api.js";
import { copyButton } from "../base/clipboard.js";
import { confirmed } from "../base/confirm_dialog.js";
import { button, h } from "../base/dom.js";
import { hasEnded } from "../jobs/job_events.js";
import { originOf } from "../jobs/upload_origin.js";
import { warningsElement } from "./warnings.js";
import { count, duration, mediaName, moment, secondsOf, size } from "../base/display_names.js";

const FORMATS = {
  md: ["Markdown", "md"],
  text: ["Plain text", "txt"],
  json: ["JSON", "json"],
  docling: ["Docling’s JSON", "docling.json"],
  chunks: ["Chunks", "jsonl"],
  zip: ["All, as ZIP", "zip"],
};
const HINTS = {
  encrypted_document: "Enter its password under Options and add the file again.",
  unreadable_document: "Open it in its own program, save it again, and add that file.",
  too_many_pages: "Choose some of its pages under Options.",
  file_too_large: "Split the file, or ask the operator for a larger limit.",
  deadline: "Give it more time under Options, or fewer pages.",
  queue_full: "Try again when some jobs have finished.",
};

export class DocumentHead {
  /** `actions` has opened(job): another job of the document is to be shown, and removed(job). */
  constructor(actions) {
    this.actions = actions;
    this.job = null;
    this.name = h("span");
    this.chip = h("span");
    this.facts = h("p", { className: "facts faint" });
    this.bar = h("progress", { max: "1", value: 0, "aria-label": "Pages that are done" });
    this.done = h("span");
    this.progress = h("p", { className: "progress" }, this.bar, " ", this.done);
    this.error = h("p", { className: "why", hidden: true });
    this.refusal = h("p", { className: "why", role: "alert", hidden: true }); // what a button could not do
    this.warnings = h("div");
    this.numWarnings = 0;
    this.format = h("select", { "aria-label": "Format of the result" }, Object.entries(FORMATS).map(([value, [name]]) => h("option", { value }, name)));
    this.format.addEventListener("change", () => (this.copy.hidden = this.format.value === "zip"));
    this.copy = copyButton("Copy", () => this.#copy(), { title: "Copy the document in this format" });
    this.save = button("Download", () => this.#save());
    this.ocr = button("Read again with OCR", () => this.#retry({ text_source: "ocr" }));
    this.retry = button("Retry", () => this.#retry({}));
    this.cancel = button("Cancel", () => this.#cancel(), { className: "danger" });
    this.remove = button("Delete", () => this.#remove(), { className: "danger" });
    this.results = h("div", { className: "group" }, this.format, this.copy, this.save);
    this.element = h(
      "div",
      { className: "top-of-job" },
      h("h2", {}, this.name, " ", this.chip),
      this.facts,
      this.progress,
      this.error,
      this.warnings,
      h("div", { className: "tools" }, this.results, this.ocr, this.retry, this.cancel, this.remove),
      this.refusal,
    );
  }

  /** A job and the progress of its pages. */
  show(job, pages) {
    this.job = job;
    const numDone = pages.filter((page) => page.status === "succeeded" || page.status === "failed").length;
    const isOver = hasEnded(job.status);
    this.name.textContent = job.file_name;
    this.chip.textContent = job.status;
    this.chip.className = `chip ${job.status}`;
    this.facts.textContent = factsOf(job).join(" · ");
    this.bar.max = pages.length || 1;
    this.bar.value = numDone;
    this.bar.hidden = isOver;
    this.done.textContent = pages.length ? `${numDone} of ${count(pages.length, "page")}${isOver ? "" : remaining(job, numDone, pages.length)}` : isOver ? "" : "opening the file …";
    this.progress.hidden = isOver && numDone === pages.length;
    this.error.textContent = [job.error?.message, HINTS[job.error?.code]].filter(Boolean).join(". ");
    this.error.hidden = !job.error;
    this.#warn([...job.warnings, ...(isOver ? [] : pages.flatMap((page) => page.warnings ?? []))]);
    this.cancel.hidden = isOver;
    this.results.hidden = !isOver || !pages.some((page) => page.status === "succeeded");
    this.retry.hidden = !["failed", "partial", "cancelled"].includes(job.status);
    this.ocr.hidden = !isOver || !pages.some((page) => ["text_layer", "mixed"].includes(page.text_source)) || !/^(application\/pdf|image\/)/.test(job.media_type);
    this.remove.hidden = !isOver;
  }

  #warn(warnings) {
    if (warnings.length === this.numWarnings) return;
    const isOpen = this.warnings.firstElementChild?.open ?? false;
    this.numWarnings = warnings.length;
    this.warnings.replaceChildren(warnings.length ? warningsElement(warnings) : "");
    if (warnings.length) this.warnings.firstElementChild.open = isOpen;
  }

  get #path() {
    return `/v1/jobs/${encodeURIComponent(this.job.id)}`;
  }

  async #copy() {
    return (await call(`${this.#path}/result?format=${this.format.value}`)).text();
  }

  #save() {
    const name = this.job.file_name.replace(/\.[^.]*$/, "");
    this.#attempt(this.save, () => download(`${this.#path}/result?format=${this.format.value}`, `${name}.${FORMATS[this.format.value][1]}`));
  }

  #cancel() {
    this.#attempt(this.cancel, () => call(this.#path, { method: "DELETE" }));
  }

  #retry(options) {
    const pressed = options.text_source ? this.ocr : this.retry;
    this.#attempt(pressed, async () => this.actions.opened(await json(`${this.#path}/retry`, posted({ options }))));
  }

  async #remove() {
    const { job } = this;
    if (!(await confirmed(`Delete ${job.file_name} permanently? Its file, its pages and its entries in the search index are deleted.`, "Delete"))) return;
    this.#attempt(this.remove, async () => {
      await call(`/v1/documents/${encodeURIComponent(job.document_id)}`, { method: "DELETE" });
      this.actions.removed(job);
    });
  }

  async #attempt(pressed, work) {
    this.refusal.hidden = pressed.disabled = true;
    try {
      await work();
    } catch (error) {
      this.refusal.textContent = error.message;
      this.refusal.hidden = false;
    }
    pressed.disabled = false;
  }
}

/** What is known of the file and its reading. */
function factsOf(job) {
  const seconds = secondsOf(job);
  return [
    job.media_type && mediaName(job.media_type),
    job.size !== null && job.size !== undefined && size(job.size),
    job.num_pages && count(job.num_pages, "page"),
    `added ${moment(job.created_at)}`,
    originOf(job),
    seconds !== null && `took ${duration(seconds)}`,
    job.revision > 1 && `revision ${job.revision}`,
  ].filter(Boolean);
}

/** How long the rest may take, by the pages that are done. */
function remaining(job, numDone, numPages) {
  const seconds = (Date.now() - new Date(job.created_at)) / 1000;
  return numDone && numDone < numPages && seconds > 0 ? `, about ${duration((seconds / numDone) * (numPages - numDone))} left` : "";
}
