// What stands above the pages of an open job; its elements stay, so that focus does, while their words change.

import { call, download } from "./api.js";
import { count, h } from "./dom.js";
import { ended } from "./follow.js";
import { warned } from "./page.js";

const FORMATS = { md: "md", text: "txt", json: "json", docling: "docling.json", chunks: "jsonl", zip: "zip" };
const NAMES = { md: "Markdown", text: "Plain text", json: "JSON", docling: "Docling's JSON", chunks: "Chunks", zip: "All, as ZIP" };
const HINTS = { encrypted_document: "Give it under Options and add the file again." };

export class JobHead {
  /** `goTo(number)` and `showMarkdown(yes)` are asked of the viewer. */
  constructor(goTo, showMarkdown) {
    this.job = null;
    this.name = h("span");
    this.chip = h("span");
    this.bar = h("progress", { max: "1", value: 0, "aria-label": "Pages that are done" });
    this.done = h("span");
    this.error = h("p", { className: "why", hidden: true });
    this.refused = h("p", { className: "why", role: "alert", hidden: true }); // what a button could not do
    this.warnings = h("div");
    this.numWarnings = 0;
    this.goTo = this.#goTo(goTo);
    this.markdown = h("button", { className: "plain", type: "button", "aria-pressed": "false" }, "Show Markdown");
    this.markdown.addEventListener("click", () => {
      const pressed = this.markdown.getAttribute("aria-pressed") !== "true";
      this.markdown.setAttribute("aria-pressed", String(pressed));
      showMarkdown(pressed);
    });
    this.format = h("select", { "aria-label": "Format of the result" }, Object.entries(NAMES).map(([value, name]) => h("option", { value }, name)));
    this.save = h("button", { className: "plain", type: "button", onclick: () => this.#save() }, "Download");
    this.cancel = h("button", { className: "danger", type: "button", onclick: () => this.#cancel() }, "Cancel");
    this.element = h(
      "div",
      { className: "top-of-job" },
      h("h2", {}, this.name, " ", this.chip),
      h("p", { className: "progress" }, this.bar, " ", this.done),
      this.error,
      this.warnings,
      h("div", { className: "tools" }, this.goTo, this.markdown, this.format, this.save, this.cancel),
      this.refused,
    );
  }

  /** Which page is looked at. */
  at(number) {
    this.here.value = number;
  }

  /** A job and the progress of its pages. */
  tell(job, pages) {
    this.job = job;
    const done = pages.filter((page) => page.status === "succeeded" || page.status === "failed").length;
    const over = ended(job.status);
    this.name.textContent = job.file_name;
    this.chip.textContent = job.status;
    this.chip.className = `chip ${job.status}`;
    this.bar.max = pages.length || 1;
    this.bar.value = done;
    this.bar.hidden = over;
    this.done.textContent = pages.length ? `${done} of ${count(pages.length, "page")}` : over ? "" : "being opened";
    this.error.textContent = [job.error?.message, HINTS[job.error?.code]].filter(Boolean).join(". ");
    this.error.hidden = !job.error;
    this.#warn([...job.warnings, ...(over ? [] : pages.flatMap((page) => page.warnings ?? []))]);
    this.cancel.hidden = over;
    this.format.hidden = this.save.hidden = !["succeeded", "partial"].includes(job.status);
    this.goTo.hidden = pages.length < 2;
    this.markdown.hidden = !pages.length;
  }

  #warn(warnings) {
    if (warnings.length === this.numWarnings) return;
    const open = this.warnings.firstElementChild?.open ?? false;
    this.numWarnings = warnings.length;
    this.warnings.replaceChildren(warnings.length ? warned(warnings) : "");
    if (warnings.length) this.warnings.firstElementChild.open = open;
  }

  #goTo(goTo) {
    this.here = h("input", { type: "number", min: "1", value: "1", "aria-label": "Page" });
    const form = h("form", { className: "go" }, this.here, h("button", { className: "plain" }, "Go to page"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      goTo(Number(this.here.value));
    });
    return form;
  }

  #save() {
    const name = this.job.file_name.replace(/\.[^.]*$/, "");
    const path = `/v1/jobs/${encodeURIComponent(this.job.id)}/result?format=${this.format.value}`;
    this.#tried(download(path, `${name}.${FORMATS[this.format.value]}`));
  }

  async #cancel() {
    this.cancel.disabled = true;
    const path = `/v1/jobs/${encodeURIComponent(this.job.id)}`;
    await this.#tried(call(path, { method: "DELETE" }));
    this.cancel.disabled = false;
  }

  async #tried(work) {
    this.refused.hidden = true;
    await work.catch((problem) => {
      this.refused.textContent = problem.message;
      this.refused.hidden = false;
    });
  }
}
