// Draws the picture of a page with the boxes of its regions; slides as shapes.

import { picture } from "../base/api.js";
import { h, place } from "../base/dom.js";
import { partialBoxes } from "./partial_results.js";
import { shapeElement } from "../text/slide_shapes.js";

const STEP_DPI = 24; // pictures of few sizes, so that the browser's copies serve again
const MAX_DPI = 288;
const DEFAULT_SIZE = [595, 842]; // points, until the page's own is known

export class PagePicture {
  constructor(jobId, number) {
    Object.assign(this, { jobId, number });
    this.paper = h("div", { className: "paper" });
    this.element = h("div", { className: "sheet", tabIndex: 0, role: "group", "aria-label": `Picture of page ${number}` }, this.paper);
    this.overlay = this.address = null;
    this.requestedDpi = this.shownDpi = 0;
    this.size = DEFAULT_SIZE;
  }

  /** Boxes of the page's regions, or of what is known of them while it is read. */
  drawBoxes(page, partial) {
    const size = (page ?? partial)?.size;
    if (size?.[0]) {
      this.size = size;
      this.paper.style.aspectRatio = `${size[0]} / ${size[1]}`;
      this.paper.style.setProperty("--ratio", size[0] / size[1]);
    }
    this.overlay?.remove();
    this.overlay = page ? this.#overlay(page) : partial && partialBoxes(partial);
    if (this.overlay) this.paper.append(this.overlay);
  }

  #overlay({ regions, form, size }) {
    const placed = regions.filter(({ box }) => box.x1 > box.x0);
    const boxes = placed.map((region) => {
      const box = h("div", { className: "box" }, h("span", { className: "number" }, String(region.order + 1)));
      box.dataset.kind = region.kind;
      box.dataset.order = region.order;
      return place(box, region.box, size);
    });
    const shapes = form === "slide" ? placed.map((region) => shapeElement(region, size)) : [];
    return h("div", { className: "overlay", "aria-hidden": "true" }, shapes, boxes); // the text beside it says the same
  }

  /** Boxes of one class again: `hit` for what a citation names, `value` for an extracted value. */
  mark(className, boxes) {
    for (const old of this.paper.querySelectorAll(`.${className}`)) old.remove();
    this.paper.append(...boxes.map((box) => place(h("div", { className }), box, this.size)));
  }

  /** Draw the page at the resolution that it is shown at; a picture that is sharp enough stays. */
  async load(signal) {
    const shown = (72 * (this.paper.clientWidth || 600) * (window.devicePixelRatio || 1)) / this.size[0];
    const dpi = Math.min(MAX_DPI, Math.max(48, Math.ceil(shown / STEP_DPI) * STEP_DPI));
    if (dpi <= this.requestedDpi) return;
    this.requestedDpi = dpi;
    const address = await picture(`/v1/jobs/${this.jobId}/pages/${this.number}/image?dpi=${dpi}`, { signal }).catch((error) => {
      if (this.requestedDpi === dpi) this.requestedDpi = this.shownDpi; // so that the next call tries again
      throw error;
    });
    if (signal.aborted || dpi <= this.shownDpi) return URL.revokeObjectURL(address);
    this.release();
    this.address = address;
    this.shownDpi = dpi;
    this.requestedDpi = Math.max(this.requestedDpi, dpi); // a finer one may have failed meanwhile
    this.paper.querySelector("img")?.remove();
    this.paper.prepend(h("img", { src: address, alt: `Page ${this.number} as it is printed` }));
  }

  tell(message) {
    this.paper.append(h("p", { className: "why" }, message));
  }

  release() {
    if (this.address) URL.revokeObjectURL(this.address);
    this.address = null;
  }
}
