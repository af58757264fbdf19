// Shows a generated answer under the search box, its citation marks such as [1] as links.

import { passageAddress } from "../base/page_links.js";
import { announce, h } from "../base/dom.js";

const OUTCOMES = {
  uncited: "The model cited no passage, so nothing shows that the documents say this.",
  not_found: "The passages do not contain the answer.",
};

export class AnswerView {
  constructor(passages) {
    this.passages = passages;
    this.text = h("p", { className: "answer-text busy" });
    this.note = h("p", { className: "faint", hidden: true });
    this.element = h("div", { className: "answer" }, this.text, this.note);
  }

  /** A piece of the text, as the model writes it. */
  add(piece) {
    this.text.append(piece);
  }

  /** The whole answer: its marks become links. */
  finish({ text, outcome, error, model }) {
    this.text.classList.remove("busy");
    this.text.replaceChildren(...text.split(/(\[\d+\])/).map((part) => this.#linked(part)));
    this.note.textContent = error?.message ?? OUTCOMES[outcome] ?? `Written by ${model}`;
    this.note.className = error || outcome === "uncited" ? "why" : "faint";
    this.note.hidden = false;
    announce(text || this.note.textContent);
  }

  fail(message) {
    this.text.classList.remove("busy");
    this.note.textContent = message;
    this.note.className = "why";
    this.note.hidden = false;
  }

  #linked(part) {
    const passage = this.passages[Number(/^\[(\d+)\]$/.exec(part)?.[1]) - 1];
    return passage ? h("a", { className: "citation", href: passageAddress(passage), "aria-label": `Source ${part.slice(1, -1)}` }, part) : part;
  }
}
