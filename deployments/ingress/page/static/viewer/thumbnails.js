// Thumbnails of all pages beside the document, drawn only near the visible area.

import { picture } from "../base/api.js";
import { h } from "../base/dom.js";

const DPI = 20;
const NEAR = "50% 0px";

export class Thumbnails {
  /** `goTo(number)` is called when a page is chosen. */
  constructor(jobId, goTo) {
    this.jobId = jobId;
    this.entries = new Map(); // by page number: button, paper, and the address of its picture
    this.list = h("ol");
    this.element = h("nav", { className: "thumbnails", "aria-label": "Pages" }, this.list);
    this.near = new IntersectionObserver((entries) => entries.forEach((entry) => this.#near(entry)), { root: this.element, rootMargin: NEAR });
    this.abort = new AbortController();
    this.goTo = goTo;
  }

  /** The page's progress, which its thumbnail shows. */
  update({ number, status }) {
    const entry = this.entries.get(number) ?? this.#add(number);
    if (entry.status === status) return;
    entry.status = status;
    entry.button.dataset.status = status;
    if (entry.isNear) this.#draw(entry);
  }

  /** Mark the page that is looked at. */
  mark(number) {
    this.list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const { button } = this.entries.get(number) ?? {};
    if (!button) return;
    button.setAttribute("aria-current", "true");
    const [strip, shown] = [this.element.getBoundingClientRect(), button.getBoundingClientRect()];
    if (shown.top < strip.top || shown.bottom > strip.bottom) this.element.scrollTop += shown.top - strip.top - strip.height / 2;
  }

  close() {
    this.abort.abort();
    this.near.disconnect();
    for (const entry of this.entries.values()) this.#release(entry);
  }

  #add(number) {
    const paper = h("span", { className: "leaf", "aria-hidden": "true" });
    const button = h("button", { type: "button", className: "thumbnail", "aria-label": `Go to page ${number}`, onclick: () => this.goTo(number) }, paper, h("span", { className: "page-number" }, String(number)));
    button.dataset.page = number;
    const entry = { number, button, paper, address: null, isNear: false, status: null };
    this.entries.set(number, entry);
    this.list.append(h("li", {}, button));
    this.near.observe(button);
    return entry;
  }

  #near({ target, isIntersecting }) {
    const entry = this.entries.get(Number(target.dataset.page));
    if (!entry) return;
    entry.isNear = isIntersecting;
    if (isIntersecting) this.#draw(entry);
    else this.#release(entry);
  }

  async #draw(entry) {
    if (entry.address || entry.isLoading || entry.status === "queued") return;
    entry.isLoading = true;
    const { signal } = this.abort;
    const address = await picture(`/v1/jobs/${this.jobId}/pages/${entry.number}/image?dpi=${DPI}`, { signal }).catch(() => null);
    entry.isLoading = false;
    if (!address) return;
    if (signal.aborted || !entry.isNear) return URL.revokeObjectURL(address);
    entry.address = address;
    entry.paper.replaceChildren(h("img", { src: address, alt: "" }));
  }

  #release(entry) {
    if (entry.address) URL.revokeObjectURL(entry.address);
    entry.address = null;
    entry.paper.replaceChildren();
  }
}
