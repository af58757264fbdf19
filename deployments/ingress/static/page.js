// One page: a place in the list that always is there, and contents that are there only while it is near the view.

import { json, picture, Problem } from "./api.js";
import { count, h, place } from "./dom.js";
import { foundBoxes, readSoFar } from "./glimpse.js";
import { standsIn, where } from "./place.js";
import { reread } from "./reread.js";
import { rendered } from "./text.js";

const STEP_DPI = 24; // pictures of few sizes, so that the browser's copies serve again
const READ = new Set(["succeeded"]);
const DRAWN = new Set(["running", "succeeded", "failed"]);

export class PageView {
  constructor(jobId, progress) {
    this.jobId = jobId;
    this.progress = progress;
    this.near = false;
    this.asMarkdown = false;
    this.boxes = [];
    this.facts = this.latest = null;
    this.abort = new AbortController();
    this.state = h("span", { className: "state" });
    this.body = h("div", { className: "body" });
    const title = h("h3", {}, `Page ${progress.number}`, " ", this.state);
    this.element = h("article", { id: `page-${progress.number}`, className: "page", "aria-label": `Page ${progress.number}` }, title, this.body);
    this.element.dataset.page = progress.number;
    for (const [on, lit] of [["pointerover", true], ["pointerout", false], ["focusin", true], ["focusout", false]]) {
      this.element.addEventListener(on, (event) => this.#light(event.target, lit));
    }
    this.element.addEventListener("click", (event) => this.#choose(event.target));
    this.#tell();
  }

  get #glimpse() {
    return this.progress.status === "running" ? this.latest : null;
  }

  get number() {
    return this.progress.number;
  }

  /** What is known of it has changed. */
  update(progress) {
    const before = this.progress.status;
    this.progress = { ...this.progress, ...progress };
    this.element.dataset.status = this.progress.status;
    this.#tell();
    if (before !== this.progress.status && this.near) this.#fill();
  }

  /** What was found on it, and what of that is read by now. */
  glimpsed(glimpse) {
    if (this.progress.status !== "running") return;
    this.latest = glimpse;
    if (this.near && this.paper) this.#draw();
  }

  /** The document was put together: what is known of the page as a part of it may be new. */
  renew() {
    if (this.readers?.some((each) => each.used())) return; // what a person asked for stays
    this.facts = null;
    if (this.near) this.#fill();
  }

  enter() {
    if (this.near) return;
    this.near = true;
    this.#fill();
  }

  /** Give back all but the place, which keeps its height. */
  leave() {
    if (!this.near) return;
    this.near = false;
    this.abort.abort();
    this.abort = new AbortController();
    this.body.style.minHeight = `${this.body.offsetHeight}px`;
    this.#clear();
  }

  /** Show where a passage stands on the page, each with a box or a place; none takes all away. */
  mark(boxes) {
    this.boxes = boxes;
    this.#drawHits();
    return this.element.querySelector(".hit, .cited");
  }

  showMarkdown(yes) {
    this.asMarkdown = yes;
    if (this.near && this.facts) this.#drawText();
  }

  async #fill() {
    const { signal } = this.abort;
    try {
      const wanted = READ.has(this.progress.status) ? `/v1/jobs/${this.jobId}/pages/${this.number}` : null;
      if (wanted && !this.facts) this.facts = await json(wanted, { signal });
      if (signal.aborted || !this.near) return;
      this.#draw();
      const isDrawn = !this.facts || this.facts.page.form === "print"; // others have no picture
      if (isDrawn && DRAWN.has(this.progress.status)) await (this.drawing ??= this.#drawPicture(signal));
    } catch (error) {
      if (error instanceof Problem) this.#note(error.message);
      else if (error.name !== "AbortError") throw error;
    } finally {
      if (!signal.aborted) this.element.dispatchEvent(new CustomEvent("filled"));
    }
  }

  #draw() {
    this.paper ??= h("div", { className: "paper" });
    this.text ??= h("div", { className: "text" });
    if (!this.paper.isConnected) this.body.replaceChildren(h("div", { className: "sheet" }, this.paper), this.text);
    this.body.style.minHeight = "";
    const size = (this.facts?.page ?? this.latest)?.size;
    if (this.facts) this.element.dataset.form = this.facts.page.form;
    if (size?.[0]) this.paper.style.aspectRatio = `${size[0]} / ${size[1]}`;
    this.#drawRegions();
    this.#drawText();
    this.#drawHits();
  }

  #drawRegions() {
    this.overlay?.remove();
    if (!this.facts) {
      this.overlay = this.#glimpse && foundBoxes(this.#glimpse);
      if (this.overlay) this.paper.append(this.overlay);
      return;
    }
    const { regions, size, form } = this.facts.page;
    const standing = regions.filter((region) => form === "print" || region.box.x1 > region.box.x0);
    const boxes = standing.map((region) => {
      const said = form === "slide" ? h("span", { className: "said" }, region.text || region.alt || "") : "";
      const box = h("div", { className: "box" }, h("span", { className: "number" }, String(region.order + 1)), said);
      box.dataset.kind = region.kind;
      box.dataset.order = region.order;
      return place(box, region.box, size);
    });
    this.overlay = h("div", { className: "overlay", "aria-hidden": "true" }, boxes); // the text beside it says the same
    this.paper.append(this.overlay);
  }

  #drawHits() {
    this.element.querySelectorAll(".hit").forEach((old) => old.remove());
    this.element.querySelectorAll(".cited").forEach((old) => old.classList.remove("cited"));
    if (!this.facts || !this.paper) return;
    const { regions, size } = this.facts.page;
    const boxed = this.boxes.filter((each) => each.box);
    this.paper.append(...boxed.map(({ box }) => place(h("div", { className: "hit" }), box, size)));
    for (const region of regions) {
      if (!this.boxes.some((each) => standsIn(region.place, each.place))) continue;
      this.text.querySelector(`[data-order="${region.order}"]`)?.classList.add("cited");
    }
  }

  #drawText() {
    this.readers?.forEach((each) => each.stop());
    this.readers = [];
    if (!this.facts && this.#glimpse) {
      this.text.replaceChildren(...readSoFar(this.#glimpse));
      return;
    }
    if (!this.facts) {
      const waits = { queued: "Waits to be read.", running: "Is being read …", failed: this.progress.error?.message };
      this.text.replaceChildren(h("p", { className: this.progress.status === "failed" ? "why" : "faint" }, waits[this.progress.status] ?? "…"));
      return;
    }
    const { page, markdown } = this.facts;
    this.text.replaceChildren(
      ...page.regions.map((region, index) => this.#region(page, region, markdown[index])),
      page.regions.length ? "" : h("p", { className: "faint" }, "Nothing was found on this page."),
    );
  }

  #region(page, region, markdown) {
    const again = page.form === "print" ? reread(this.jobId, page, region) : UNDRAWN;
    this.readers.push(again);
    const written = region.place ? "written" : "text layer";
    const source = region.text_source === "ocr" ? "OCR" : written;
    const doubts = doubtful(region);
    const sure = region.confidence === null ? "" : ` ${percent(region.confidence, doubts.length || region.unreadable.length)}`;
    const label = `Region ${region.order + 1}, ${region.kind}, ${source}`;
    const head = h(
      "p",
      { className: "head" },
      h("span", { className: "number" }, String(region.order + 1)),
      h("span", { className: "kind" }, region.kind),
      h("span", { className: `chip ${region.text_source}`, title: region.reason }, source + sure),
      region.place ? h("span", { className: "faint where" }, where(region.place)) : "",
      again.button,
    );
    const body = this.asMarkdown ? [h("pre", { className: "source" }, markdown.trimEnd() || "(nothing)")] : rendered(region);
    const shown = h("section", { className: "region", tabIndex: 0, "aria-label": label }, head, h("div", { className: "words" }, body), doubted(doubts, region.unreadable), again.below);
    shown.dataset.kind = region.kind;
    shown.dataset.order = region.order;
    return shown;
  }

  async #drawPicture(signal) {
    const width = this.facts?.page.size[0] ?? 595;
    const wanted = (72 * (this.paper.clientWidth || 600) * (window.devicePixelRatio || 1)) / width;
    const dpi = Math.min(240, Math.max(48, Math.ceil(wanted / STEP_DPI) * STEP_DPI));
    const address = await picture(`/v1/jobs/${this.jobId}/pages/${this.number}/image?dpi=${dpi}`, { signal });
    if (signal.aborted) return URL.revokeObjectURL(address);
    this.address = address;
    this.paper.querySelector("img")?.remove();
    this.paper.prepend(h("img", { src: address, alt: `Page ${this.number} as it is printed` }));
  }

  #light(target, lit) {
    const order = target.closest?.("[data-order]")?.dataset.order;
    if (order === undefined) return;
    for (const each of this.element.querySelectorAll(`[data-order="${order}"]`)) each.classList.toggle("lit", lit);
  }

  #choose(target) {
    const box = target.closest(".box");
    if (!box) return;
    const beside = this.text.querySelector(`[data-order="${box.dataset.order}"]`);
    beside?.focus({ preventScroll: true });
    beside?.scrollIntoView({ block: "nearest" });
  }

  #note(message) {
    if (this.paper) this.paper.append(h("p", { className: "why" }, message));
    else this.body.replaceChildren(h("p", { className: "why" }, message));
  }

  #tell() {
    const { status, text_source: source, warnings = [] } = this.progress;
    const sources = { text_layer: "text layer", ocr: "OCR", mixed: "text layer and OCR" };
    this.element.dataset.status = status;
    this.state.replaceChildren(
      h("span", { className: `chip ${status}` }, status),
      source ? h("span", { className: `chip ${source}` }, sources[source]) : "",
      warnings.length ? warned(warnings) : "",
    );
  }

  #clear() {
    this.readers?.forEach((each) => each.stop());
    if (this.address) URL.revokeObjectURL(this.address);
    this.address = this.drawing = this.paper = this.text = this.overlay = null;
    this.facts = null;
    this.body.replaceChildren();
  }
}

const UNDRAWN = { button: "", below: "", stop: () => {}, used: () => false }; // what has no picture is not read again
const DOUBTFUL = 0.85; // words that are less likely right are shown as doubtful

/** Words of a region that OCR is not sure of, each with its confidence. */
function doubtful(region) {
  return region.spans.flatMap((span) => {
    const words = span.text.split(/\s+/).filter(Boolean);
    return (span.word_confidences ?? []).flatMap((sure, k) => (sure < DOUBTFUL && words[k] ? [{ word: words[k], sure }] : []));
  });
}

/** Never 100 % where anything is in doubt. */
function percent(share, hasDoubt) {
  return `${hasDoubt ? Math.min(99, Math.floor(100 * share)) : Math.round(100 * share)} %`;
}

/** What of a region is in doubt, and what could not be read at all. */
function doubted(doubts, unreadable) {
  const words = doubts.map(({ word, sure }) => h("mark", { className: "doubt", title: percent(sure, true) }, word));
  const lines = unreadable.map(({ guess, confidence }) => h("mark", { className: "doubt", title: percent(confidence, true) }, guess));
  return [
    words.length ? h("p", { className: "faint doubts" }, "In doubt: ", ...words.flatMap((word) => [word, " "])) : "",
    lines.length ? h("p", { className: "faint doubts" }, `Not read (${count(lines.length, "line")}), perhaps: `, ...lines.flatMap((line) => [line, " "])) : "",
  ];
}

/** Warnings that can be opened. */
export function warned(warnings) {
  return h(
    "details",
    { className: "warnings" },
    h("summary", {}, count(warnings.length, "warning")),
    h("ul", {}, warnings.map((each) => h("li", {}, h("code", {}, each.code), ` ${each.page ? `page ${each.page}: ` : ""}${each.message}`))),
  );
}
