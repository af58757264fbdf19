// The text beside a page's picture, as regions, document, Markdown or JSON.

import { picture } from "../base/api.js";
import { copyButton } from "../base/clipboard.js";
import { h } from "../base/dom.js";
import { markDoubts, unreadLines } from "../text/doubtful_words.js";
import { regionSection } from "./region_view.js";
import { rendered } from "../text/region_text.js";
import { kindName } from "../base/display_names.js";

const FIGURE_DPI = 120;
const WAITING = { queued: "Queued.", running: "Reading …" };

/** Of a page that is not read (yet). */
export function pendingText({ status, error }) {
  return [h("p", { className: status === "failed" ? "why" : "faint" }, status === "failed" ? error?.message ?? "This page could not be read." : (WAITING[status] ?? "…"))];
}

export class PageText {
  /** `signal` aborts when the page is no longer near the view. */
  constructor(facts, mode, signal) {
    Object.assign(this, { facts, mode, signal });
    this.rereadings = [];
    this.addresses = [];
  }

  elements() {
    const { regions } = this.facts.page;
    if (this.mode === "json") return [this.#json()];
    if (!regions.length) return [h("p", { className: "faint" }, "There is nothing on this page.")];
    if (this.mode === "markdown") return this.#markdown();
    if (this.mode === "document") return regions.map((region) => this.#block(region)).filter(Boolean);
    return regions.map((region, index) => this.#section(region, index));
  }

  stop() {
    this.isStopped = true;
    for (const rereading of this.rereadings) rereading.stop();
    for (const address of this.addresses) URL.revokeObjectURL(address);
  }

  #section(region, index) {
    const { section, rereading } = regionSection(this.facts, region, this.facts.markdown[index].trimEnd());
    if (rereading) this.rereadings.push(rereading);
    return section;
  }

  /** As a reader would see it: without running heads and page numbers. */
  #block(region) {
    if (region.kind === "abandon") return null;
    const isPicture = region.kind === "figure" && this.facts.page.form === "print";
    const block = h("div", { className: "block", tabIndex: 0, role: "group", "aria-label": kindName(region) }, isPicture ? this.#figure(region) : rendered(region));
    markDoubts(block, region);
    block.append(unreadLines(region));
    block.dataset.kind = region.kind;
    block.dataset.order = region.order;
    return block;
  }

  #figure(region) {
    const { box } = region;
    const image = h("img", { alt: region.alt || region.text || "Figure" });
    const query = new URLSearchParams({ box: [box.x0, box.y0, box.x1, box.y1].join(","), dpi: FIGURE_DPI });
    picture(`/v1/jobs/${this.facts.job_id}/pages/${this.facts.page.number}/image?${query}`, { signal: this.signal })
      .then((address) => {
        if (this.isStopped) return URL.revokeObjectURL(address); // in another mode the page's signal goes on
        this.addresses.push(address);
        image.src = address;
      })
      .catch(() => image.replaceWith(h("p", { className: "faint" }, "(a figure)")));
    return h("figure", {}, image);
  }

  #markdown() {
    const { page, markdown } = this.facts;
    return page.regions.map((region, index) => {
      const source = h("pre", { className: "source", tabIndex: 0 }, markdown[index].trimEnd() || "(nothing)");
      source.dataset.kind = region.kind;
      source.dataset.order = region.order;
      return source;
    });
  }

  #json() {
    const text = JSON.stringify(this.facts.page, null, 2);
    const copy = copyButton("Copy", () => text, { className: "small", "aria-label": `Copy the JSON of page ${this.facts.page.number}` });
    return h("div", { className: "json" }, copy, h("pre", { className: "source", tabIndex: 0 }, text));
  }
}
