// Uploads chosen or dropped files one after the other, each as a job, with progress.

import { jobAddress } from "../base/page_links.js";
import { upload } from "../base/api.js";
import { announce, button, byId, h } from "../base/dom.js";
import { hasEnded } from "./job_events.js";
import { remember } from "./upload_origin.js";
import { uploadOptions } from "./upload_options.js";

export class Uploads {
  /** `added(job)` is called with each job; `listedIds()` are those that the list has. */
  constructor(added, listedIds) {
    Object.assign(this, { added, listedIds });
    this.queue = Promise.resolve();
    const field = byId("files");
    field.addEventListener("change", () => {
      this.send([...field.files]);
      field.value = "";
    });
    this.#acceptDrops(document.documentElement);
  }

  send(files) {
    const options = uploadOptions();
    for (const file of files) {
      const row = rowOf(file);
      this.queue = this.queue.then(() => this.#sendOne(file, options, row));
    }
  }

  #acceptDrops(root) {
    for (const name of ["dragenter", "dragover"]) {
      document.addEventListener(name, (event) => {
        if (!event.dataTransfer?.types.includes("Files")) return;
        event.preventDefault();
        root.classList.add("over");
      });
    }
    document.addEventListener("dragleave", (event) => event.relatedTarget === null && root.classList.remove("over"));
    document.addEventListener("drop", (event) => {
      root.classList.remove("over");
      if (!event.dataTransfer?.files.length) return;
      event.preventDefault();
      this.send([...event.dataTransfer.files]);
    });
  }

  async #sendOne(file, options, { row, bar }) {
    const form = new FormData();
    form.append("file", file);
    form.append("options", JSON.stringify(options));
    const listed = this.listedIds();
    try {
      const job = await upload("/v1/documents", form, (share) => (bar.value = share));
      const isKnown = hasEnded(job.status) || listed.has(job.id);
      if (isKnown) note(row, file, "is known already with these options: its document is open.", "faint", jobAddress(job.id));
      else {
        row.remove();
        remember(job);
        announce(`${file.name} is being read`);
      }
      this.added(job);
    } catch (problem) {
      row.classList.add("refused");
      note(row, file, problem.message, "why");
    }
  }
}

function rowOf(file) {
  const bar = h("progress", { max: "1", value: 0, "aria-label": `Upload of ${file.name}` });
  const row = h("li", {}, h("span", { className: "name", title: file.name }, file.name), bar);
  byId("uploads").append(row);
  return { row, bar };
}

/** What became of a file that made no new job, until a person closes it. */
function note(row, file, message, className, address = null) {
  row.querySelector("progress").remove();
  const close = button("×", () => row.remove(), { "aria-label": `Dismiss ${file.name}` });
  row.append(close, address ? h("a", { className, href: address }, message) : h("span", { className }, message));
}
