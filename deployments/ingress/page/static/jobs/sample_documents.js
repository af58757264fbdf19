// What is shown when no document is open: sample documents to try.

import { button, h } from "../base/dom.js";

const SAMPLES = [
  ["article.pdf", "application/pdf", "An article in two columns", "PDF"],
  ["scan.png", "image/png", "A scanned page, for OCR", "PNG"],
  ["harbour.html", "text/html", "A page with a table", "HTML"],
];

/** What stands in place of a document; `send(files)` uploads. */
export function emptyState(send) {
  const note = h("p", { className: "why", hidden: true });
  const read = async (name, type) => {
    const answer = await fetch(`/static/samples/${name}`).catch(() => null);
    note.hidden = Boolean(answer?.ok);
    note.textContent = "The sample could not be loaded.";
    if (answer?.ok) send([new File([await answer.blob()], name, { type })]);
  };
  const choices = SAMPLES.map(([name, type]) => h("li", {}, button("", () => read(name, type), { className: "sample" })));
  choices.forEach((choice, index) => choice.firstChild.append(h("strong", {}, SAMPLES[index][2]), h("span", { className: "faint" }, SAMPLES[index][3])));
  return h(
    "div",
    { className: "empty" },
    h("p", { className: "lead" }, "Drop files anywhere on this page, or choose a document from the list."),
    h("p", {}, "Pages appear as they are read; every part of the text keeps its place on the page."),
    h("p", {}, "No file yet? Try one of these:"),
    h("ul", { className: "samples" }, choices),
    note,
  );
}
