// The toolbar of an open document: view (regions, Markdown, JSON ...), zoom, and page navigation with keys.

import { button, h } from "../base/dom.js";

const MODES = { regions: "Regions", document: "Document", markdown: "Markdown", json: "JSON", extract: "Extract" };
const ZOOMS = [0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4];

export class Toolbar {
  /** `view` has setMode(mode), setZoom(zoom), setPart(name, isShown) and goTo(number). */
  constructor(view, { canExtract }) {
    this.view = view;
    this.zoom = 1;
    this.modes = Object.entries(MODES)
      .filter(([mode]) => mode !== "extract" || canExtract)
      .map(([mode, name]) => button(name, () => this.setMode(mode), { className: "plain mode", "data-mode": mode, "aria-pressed": "false" }));
    this.level = button("100 %", () => this.#setZoom(1), { "aria-label": "Zoom 100 %: fit the width", title: "Fit the width" });
    this.fit = button("Whole page", () => this.#setZoom("page"), { "aria-pressed": "false", title: "Fit the whole page into the window" });
    this.here = h("input", { type: "number", min: "1", value: "1", "aria-label": "Page" });
    this.total = h("span", { className: "faint" });
    this.pages = h(
      "form",
      { className: "go", onsubmit: (event) => (event.preventDefault(), view.goTo(Number(this.here.value))) },
      button("‹", () => this.step(-1), { "aria-label": "Previous page", title: "Previous page (p)" }),
      this.here,
      this.total,
      button("›", () => this.step(1), { "aria-label": "Next page", title: "Next page (n)" }),
      h("button", { className: "unseen" }, "Go to page"),
    );
    const zoom = h("div", { className: "group", role: "group", "aria-label": "Zoom" }, button("−", () => this.#stepZoom(-1), { "aria-label": "Zoom out" }), this.level, button("+", () => this.#stepZoom(1), { "aria-label": "Zoom in" }), this.fit);
    const parts = h("div", { className: "group parts", role: "group", "aria-label": "Parts" }, this.#part("thumbnails", "Thumbnails", true), this.#part("pictures", "Pictures", true));
    this.element = h("div", { className: "toolbar", role: "group", "aria-label": "View of the document" }, h("div", { className: "group modes", role: "group", "aria-label": "Text beside the pages" }, this.modes), zoom, parts, this.pages);
  }

  setMode(mode) {
    for (const element of this.modes) element.setAttribute("aria-pressed", String(element.dataset.mode === mode));
    this.view.setMode(mode);
  }

  /** Which page is in view, and of how many. */
  setPage(number, total) {
    if (document.activeElement !== this.here) this.here.value = number;
    this.number = number;
    this.here.max = this.numPages = total;
    this.total.textContent = `of ${total}`;
    this.pages.hidden = total < 2;
  }

  step(by) {
    const number = Math.min(this.numPages, Math.max(1, (this.number ?? 1) + by));
    if (number !== this.number) this.view.goTo(number);
  }

  #part(name, label, isShown) {
    const element = button(label, () => {
      const pressed = element.getAttribute("aria-pressed") !== "true";
      element.setAttribute("aria-pressed", String(pressed));
      this.view.setPart(name, pressed);
    }, { "aria-pressed": String(isShown) });
    return element;
  }

  #stepZoom(by) {
    const now = this.zoom === "page" ? 1 : this.zoom;
    this.#setZoom(ZOOMS[Math.min(ZOOMS.length - 1, Math.max(0, ZOOMS.indexOf(now) + by))]);
  }

  #setZoom(zoom) {
    this.zoom = zoom;
    this.fit.setAttribute("aria-pressed", String(zoom === "page"));
    this.level.textContent = zoom === "page" ? "100 %" : `${Math.round(100 * zoom)} %`;
    this.view.setZoom(zoom);
  }
}
