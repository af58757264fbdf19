// Files that are dropped or chosen: each becomes a job of its own, one after the other.

import { upload } from "./api.js";
import { byId, h, say } from "./dom.js";

/** `added(job)` is told of each job. */
export function uploads(added) {
  const field = byId("files");
  const zone = byId("drop");
  let line = Promise.resolve();
  const take = (files) => {
    const options = chosen();
    for (const file of files) {
      const row = shown(file);
      line = line.then(() => sent(file, options, row, added));
    }
  };
  field.addEventListener("change", () => {
    take([...field.files]);
    field.value = "";
  });
  for (const name of ["dragenter", "dragover"]) {
    document.addEventListener(name, (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      zone.classList.add("over");
    });
  }
  document.addEventListener("dragleave", (event) => event.relatedTarget === null && zone.classList.remove("over"));
  document.addEventListener("drop", (event) => {
    zone.classList.remove("over");
    if (!event.dataTransfer?.files.length) return;
    event.preventDefault();
    take([...event.dataTransfer.files]);
  });
}

function chosen() {
  const options = { text_source: byId("source").value };
  for (const name of ["pages", "password"]) {
    const value = byId(name).value.trim();
    if (value) options[name] = value;
  }
  return options;
}

function shown(file) {
  const bar = h("progress", { max: "1", value: 0, "aria-label": `Upload of ${file.name}` });
  const row = h("li", {}, h("span", { className: "name", title: file.name }, file.name), bar);
  byId("uploads").append(row);
  return { row, bar };
}

async function sent(file, options, { row, bar }, added) {
  const form = new FormData();
  form.append("file", file);
  form.append("options", JSON.stringify(options));
  try {
    const job = await upload("/v1/documents", form, (share) => (bar.value = share));
    row.remove();
    say(`${file.name} is being read`);
    added(job);
  } catch (problem) {
    bar.remove();
    const close = h("button", { className: "plain", "aria-label": `Dismiss ${file.name}`, onclick: () => row.remove() }, "×");
    row.classList.add("refused");
    row.append(close, h("span", { className: "why" }, problem.message));
  }
}
