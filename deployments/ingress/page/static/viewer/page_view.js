// One page in the viewer: loads its text and picture only while it is near the visible area; "Read again with OCR".

import { json, Problem } from "../base/api.js";
import { button, h } from "../base/dom.js";
import { PagePicture } from "./page_picture.js";
import { PageText, pendingText } from "./page_text.js";
import { partialText } from "./partial_results.js";
import { cellPlace, standsIn } from "./place_names.js";
import { warningsElement } from "./warnings.js";
import { sourceName } from "../base/display_names.js";

const DRAWN = new Set(["running", "succeeded", "failed"]);

export class PageView {
  constructor(jobId, progress, mode) {
    Object.assign(this, { jobId, progress, mode });
    this.isNear = false;
    this.targets = []; // of the citation that is shown
    this.valueBoxes = [];
    this.facts = this.partial = this.text = this.picture = null;
    this.abort = new AbortController();
    this.state = h("span", { className: "state" });
    this.ocr = button("Read again with OCR", () => this.#readWithOcr(), { className: "small page-ocr", "aria-label": `Read page ${progress.number} again with OCR`, hidden: true });
    this.body = h("div", { className: "body" });
    const title = h("h3", {}, h("span", { className: "page-name" }, `Page ${progress.number}`), this.state, this.ocr);
    this.element = h("article", { id: `page-${progress.number}`, className: "page", "aria-label": `Page ${progress.number}` }, title, this.body);
    this.element.dataset.page = progress.number;
    for (const [name, isLit] of [["pointerover", true], ["pointerout", false], ["focusin", true], ["focusout", false]]) {
      this.element.addEventListener(name, (event) => this.#light(event.target, isLit));
    }
    this.element.addEventListener("click", (event) => this.#choose(event.target));
    this.#showState();
  }

  get number() {
    return this.progress.number;
  }

  /** Its progress has changed. */
  update(progress) {
    const before = this.progress.status;
    this.progress = { ...this.progress, ...progress };
    this.#showState();
    if (before !== this.progress.status && this.isNear) this.#fill();
  }

  /** Its regions, and the words of those that are read so far. */
  showPartial(partial) {
    if (this.progress.status !== "running") return;
    this.partial = partial;
    if (this.isNear && this.picture) this.#draw();
  }

  /** The document is complete: what is known of the page as a part of it may be new. */
  renew() {
    if (this.#isReadAgain) return;
    this.facts = null;
    if (this.isNear) this.#fill();
  }

  enter() {
    if (this.isNear) return;
    this.isNear = true;
    this.#fill();
  }

  /** Release all but the place, which keeps its height. */
  leave() {
    if (!this.isNear) return;
    this.isNear = false;
    this.abort.abort();
    this.abort = new AbortController();
    this.body.style.minHeight = `${this.body.offsetHeight}px`;
    this.#clear();
  }

  /** Show where a citation stands on the page; no targets take all away. */
  cite(targets) {
    this.targets = targets;
    this.#markTargets();
  }

  /** Show where an extracted value stands. */
  showValue(boxes) {
    this.valueBoxes = boxes;
    this.picture?.mark("value", boxes);
  }

  /** What a citation names here, once it is drawn. */
  get cited() {
    const box = this.picture?.element.offsetParent ? this.element.querySelector(".hit, .value") : null;
    return box ?? this.element.querySelector(".cited");
  }

  setMode(mode) {
    this.mode = mode;
    if (this.isNear && this.facts) {
      this.#drawText();
      this.#markTargets();
    }
  }

  /** The picture is shown in another size. */
  zoomed() {
    if (this.isNear && this.picture && this.#hasPicture) this.picture.load(this.abort.signal).catch(() => {});
  }

  /** Whether a region of it is read again, or shows what was read: what a person started stays. */
  get #isReadAgain() {
    return this.text?.rereadings.some((rereading) => rereading.inUse) ?? false;
  }

  get #hasPicture() {
    return DRAWN.has(this.progress.status) && (!this.facts || this.facts.page.form === "print");
  }

  async #fill() {
    const { signal } = this.abort;
    try {
      if (this.progress.status === "succeeded" && !this.facts) this.facts = await json(`/v1/jobs/${this.jobId}/pages/${this.number}`, { signal });
      if (signal.aborted || !this.isNear || this.#isReadAgain) return; // a person may have started it meanwhile
      this.#draw();
      if (this.#hasPicture) await this.picture.load(signal);
    } catch (error) {
      if (error instanceof Problem) this.#showStatus(error.message);
      else if (error.name !== "AbortError") throw error;
    } finally {
      if (!signal.aborted) this.element.dispatchEvent(new CustomEvent("filled", { bubbles: true }));
    }
  }

  #draw() {
    if (!this.picture) {
      this.picture = new PagePicture(this.jobId, this.number);
      this.words = h("div", { className: "text" });
      this.body.replaceChildren(this.picture.element, this.words);
    }
    this.body.style.minHeight = "";
    if (this.facts) {
      this.element.dataset.form = this.facts.page.form;
      if (this.facts.page.name) this.element.querySelector(".page-name").textContent = `Page ${this.number}: ${this.facts.page.name}`;
    }
    this.picture.drawBoxes(this.facts?.page, this.progress.status === "running" ? this.partial : null);
    this.ocr.hidden = !this.facts?.page.regions.length || this.facts.page.form !== "print" || this.mode !== "regions";
    this.#drawText();
    this.#markTargets();
    this.picture.mark("value", this.valueBoxes);
  }

  #drawText() {
    this.text?.stop();
    this.text = null;
    if (this.facts) {
      this.text = new PageText(this.facts, this.mode, this.abort.signal);
      this.words.dataset.mode = this.mode;
      this.ocr.hidden = !this.facts.page.regions.length || this.facts.page.form !== "print" || this.mode !== "regions";
      this.words.replaceChildren(...this.text.elements());
    } else if (this.progress.status === "running" && this.partial) this.words.replaceChildren(...partialText(this.partial));
    else this.words.replaceChildren(...pendingText(this.progress));
  }

  #markTargets() {
    for (const old of this.element.querySelectorAll(".cited")) old.classList.remove("cited");
    if (!this.facts || !this.picture) return;
    const { regions } = this.facts.page;
    const named = regions.filter((region) => this.targets.some(({ order, place }) => order === region.order || standsIn(region.place, place)));
    const hasBox = ({ box }) => box && box.x1 > box.x0;
    const withOrder = named.filter((region) => hasBox(region) && this.targets.some(({ order }) => order === region.order));
    this.picture.mark("hit", [...this.targets.filter(hasBox), ...withOrder].map(({ box }) => box));
    for (const region of named) {
      const element = this.words.querySelector(`[data-order="${region.order}"]`);
      if (element && !this.#citeCells(element, region)) element.classList.add("cited");
    }
  }

  /** Cells that the targets name; false: they name none, or the whole table. */
  #citeCells(element, region) {
    const inside = this.targets.filter(({ place }) => place && !standsIn(place, region.place));
    if (!region.table || !inside.length) return false;
    const cells = [...element.querySelectorAll("[data-cell]")].filter((cell) => {
      const at = cellPlace(region.place, ...cell.dataset.cell.split(" ").map(Number));
      return at && inside.some(({ place }) => standsIn(at, place) || standsIn(place, at));
    });
    for (const cell of cells) cell.classList.add("cited");
    return cells.length > 0;
  }

  async #readWithOcr() {
    for (const rereading of this.text?.rereadings ?? []) await rereading.read();
  }

  #light(target, isLit) {
    const order = target.closest?.("[data-order]")?.dataset.order;
    if (order === undefined) return;
    for (const element of this.element.querySelectorAll(`[data-order="${order}"]`)) element.classList.toggle("lit", isLit);
  }

  #choose(target) {
    const box = target.closest(".box");
    if (!box) return;
    const beside = this.words.querySelector(`[data-order="${box.dataset.order}"]`);
    beside?.focus({ preventScroll: true });
    beside?.scrollIntoView({ block: "nearest" });
  }

  #showStatus(message) {
    if (this.picture) this.picture.tell(message);
    else this.body.replaceChildren(h("p", { className: "why" }, message));
  }

  #showState() {
    const { status, text_source: source, warnings = [] } = this.progress;
    this.element.dataset.status = status;
    this.state.replaceChildren(
      status === "succeeded" ? "" : h("span", { className: `chip ${status}` }, status),
      source ? h("span", { className: `chip ${source}` }, sourceName(source)) : "",
      warnings.length ? warningsElement(warnings) : "",
    );
  }

  #clear() {
    this.text?.stop();
    this.picture?.release();
    this.facts = this.text = this.picture = this.words = null;
    this.body.replaceChildren();
  }
}
