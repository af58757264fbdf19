// The viewer of an open document: its header, toolbar and the scrolling list of pages; keyboard shortcuts.

import { json } from "../base/api.js";
import { DocumentHead } from "./document_header.js";
import { announce, byId, h } from "../base/dom.js";
import { ExtractionPanel } from "./extraction_panel.js";
import { follow, hasEnded } from "../jobs/job_events.js";
import { PageView } from "./page_view.js";
import { Thumbnails } from "./thumbnails.js";
import { Toolbar } from "./toolbar.js";

const NEAR = "120% 0px"; // of the view's height, above and below
const MIDDLE = "-45% 0px -45% 0px"; // the page that is looked at
const ZOOM_MS = 150;
const MOVES = ["wheel", "touchmove", "pointerdown", "keydown"]; // by which a reader goes elsewhere

export class Viewer {
  /** `actions` has changed(job), opened(job) and removed(job); `capabilities` is what the server's settings allow. */
  constructor(actions, capabilities) {
    Object.assign(this, { actions, capabilities });
    this.pages = new Map();
    this.mode = "regions";
    this.near = new IntersectionObserver((entries) => entries.forEach((entry) => this.#near(entry)), { rootMargin: NEAR });
    this.middle = new IntersectionObserver((entries) => entries.forEach((entry) => entry.isIntersecting && this.#inView(Number(entry.target.dataset.page))), { rootMargin: MIDDLE });
    this.goal = null; // the page that was last opened, until it stands still
    for (const name of MOVES) window.addEventListener(name, () => (this.goal = null), { capture: true, passive: true });
    byId("viewer").addEventListener("keydown", (event) => this.#key(event));
  }

  get jobId() {
    return this.job?.id;
  }

  /** Show a job, and follow it until it ends or another one is opened. */
  async open(jobId) {
    this.close();
    const { signal } = (this.following = new AbortController());
    this.head = new DocumentHead(this.actions);
    this.toolbar = new Toolbar(this, { canExtract: (await this.capabilities).extraction });
    this.thumbnails = new Thumbnails(jobId, (number) => this.goTo(number));
    this.list = h("div", { className: "pages" });
    this.list.addEventListener("filled", () => this.#keepInView());
    this.extraction = new ExtractionPanel(jobId, await this.capabilities, (number, boxes, isJump) => this.#showValue(number, boxes, isJump));
    this.body = h("div", { className: "document-body" }, this.thumbnails.element, this.list, this.extraction.element);
    if (signal.aborted) return;
    byId("document").replaceChildren(this.head.element, this.toolbar.element, this.body);
    this.toolbar.setMode("regions");
    try {
      this.#know(await json(`/v1/jobs/${encodeURIComponent(jobId)}`, { signal }));
    } catch (problem) {
      if (problem.name !== "AbortError") this.fail(problem.message);
      return;
    }
    let queue = Promise.resolve(); // one event after the other: an older answer never covers a newer one
    const onEvent = (event) => (queue = queue.then(() => signal.aborted || this.#happened(event, signal)));
    if (hasEnded(this.job.status)) return;
    follow(jobId, onEvent, signal);
    follow(jobId, ({ data }) => this.pages.get(data.number)?.showPartial(data), signal, "regions");
  }

  /** Show why there is no document. */
  fail(message) {
    byId("document").replaceChildren(h("p", { className: "empty why" }, message));
  }

  close() {
    this.goal = null;
    this.following?.abort();
    this.near.disconnect();
    this.middle.disconnect();
    this.thumbnails?.close();
    this.extraction?.close();
    for (const page of this.pages.values()) page.leave();
    this.pages.clear();
    this.job = null;
  }

  /** Bring a page to the view, with what a citation names there marked. */
  goTo(number, targets = []) {
    for (const page of this.pages.values()) if (page.targets.length) page.cite([]);
    const page = this.pages.get(number);
    if (!page) return;
    page.cite(targets);
    this.#bring(page, targets.length > 0);
    page.element.tabIndex = -1;
    page.element.focus({ preventScroll: true });
    this.#inView(number);
  }

  /** Scroll to a page or its marks, and again as often as pages up to it are filled, unless the reader moves meanwhile. */
  #bring(page, hasMarks) {
    this.goal = { page, hasMarks };
    this.#keepInView();
  }

  #keepInView() {
    if (!this.goal) return;
    const { page, hasMarks } = this.goal;
    const mark = hasMarks && page.facts ? page.cited : null;
    (mark ?? page.element).scrollIntoView({ block: mark ? "center" : "start" });
    const isComing = ({ number, progress, facts }) => number <= page.number && progress.status === "succeeded" && !facts;
    if (![...this.pages.values()].some((one) => one.isNear && isComing(one))) this.goal = page.isNear ? null : this.goal;
  }

  #showValue(number, boxes, isJump) {
    for (const page of this.pages.values()) if (page.valueBoxes.length) page.showValue([]);
    const page = this.pages.get(number);
    page?.showValue(boxes);
    if (page && isJump) this.#bring(page, true);
  }

  setMode(mode) {
    this.mode = mode;
    this.body.dataset.mode = mode;
    this.extraction.element.hidden = mode !== "extract";
    if (mode !== "extract") this.#showValue(0, [], false);
    for (const page of this.pages.values()) page.setMode(mode);
  }

  /** A factor of the width that fits, or "page". */
  setZoom(zoom) {
    this.list.style.setProperty("--zoom", zoom === "page" ? 1 : zoom);
    this.list.dataset.fit = zoom === "page" ? "page" : "width";
    clearTimeout(this.zooming);
    this.zooming = setTimeout(() => this.pages.forEach((page) => page.zoomed()), ZOOM_MS);
  }

  /** Show or hide thumbnails or pictures. */
  setPart(name, isShown) {
    this.body.dataset[name] = isShown ? "shown" : "hidden";
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    if (event.key === "n") this.toolbar?.step(1);
    else if (event.key === "p") this.toolbar?.step(-1);
  }

  #near({ target, isIntersecting }) {
    const page = this.pages.get(Number(target.dataset.page));
    if (isIntersecting) page?.enter();
    else page?.leave();
  }

  #inView(number) {
    const numbers = [...this.pages.keys()];
    this.toolbar.setPage(number, Math.max(this.job?.num_pages ?? 0, numbers.at(-1) ?? 1));
    this.thumbnails.mark(number);
  }

  #know(job) {
    const isFirst = this.pages.size === 0;
    this.job = job;
    for (const progress of job.pages) {
      const page = this.pages.get(progress.number);
      if (page) page.update(progress);
      else this.#add(progress);
      this.thumbnails.update(progress);
    }
    if (isFirst && job.pages.length) this.#inView(job.pages[0].number);
    this.body.dataset.printed = String(!job.media_type || /^(application\/pdf|image\/)/.test(job.media_type));
    this.body.dataset.single = String(job.pages.length < 2);
    this.#showHead();
    this.actions.changed(job);
  }

  #add(progress) {
    const page = new PageView(this.job.id, progress, this.mode);
    this.pages.set(progress.number, page);
    this.list.append(page.element);
    this.near.observe(page.element);
    this.middle.observe(page.element);
  }

  async #happened({ name, data }, signal) {
    if (name === "page_started") this.#updatePage({ number: data.number, status: "running" });
    else if (name === "page") this.#updatePage(data);
    else if (name !== "queued") await this.#refresh(signal); // pages are known, or all has ended
    if (signal.aborted) return;
    if (name === "page" || name === "page_started") this.#showHeadSoon();
    if (hasEnded(name)) {
      for (const page of this.pages.values()) page.renew();
      announce(`${this.job.file_name}: ${name}`);
    }
  }

  #updatePage(progress) {
    this.pages.get(progress.number)?.update(progress);
    if (this.pages.has(progress.number)) this.thumbnails.update(progress);
  }

  async #refresh(signal) {
    try {
      this.#know(await json(`/v1/jobs/${encodeURIComponent(this.job.id)}`, { signal }));
    } catch (problem) {
      if (problem.name !== "AbortError") announce(problem.message);
    }
  }

  #showHeadSoon() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      if (this.job) this.#showHead();
    });
  }

  #showHead() {
    this.head.show(this.job, [...this.pages.values()].map((page) => page.progress));
  }
}
