// The open document: what is known of its job at the top, its pages below in a list that holds only what is near.

import { json } from "./api.js";
import { byId, h, say } from "./dom.js";
import { ended, follow } from "./follow.js";
import { JobHead } from "./jobhead.js";
import { PageView } from "./page.js";

const NEAR = "120% 0px"; // of the view's height, above and below

export class Viewer {
  /** `changed(job)` is told whenever more is known of a job. */
  constructor(changed) {
    this.changed = changed;
    this.pages = new Map();
    this.asMarkdown = false;
    this.near = new IntersectionObserver((seen) => seen.forEach((each) => this.#near(each)), { rootMargin: NEAR });
  }

  get jobId() {
    return this.job?.id;
  }

  /** Show a job, and follow it until it ends or another one is opened. */
  async open(jobId) {
    this.close();
    const { signal } = (this.following = new AbortController());
    this.asMarkdown = false;
    this.head = new JobHead((number) => this.goTo(number), (yes) => this.#showMarkdown(yes));
    this.list = h("div", { className: "pages" });
    byId("document").replaceChildren(this.head.element, this.list);
    try {
      this.#know(await json(`/v1/jobs/${encodeURIComponent(jobId)}`, { signal }));
    } catch (problem) {
      if (problem.name !== "AbortError") byId("document").replaceChildren(h("p", { className: "empty why" }, problem.message));
      return;
    }
    let line = Promise.resolve(); // one event after the other: an older answer never covers a newer one
    const each = (event) => (line = line.then(() => signal.aborted || this.#happened(event, signal)));
    if (ended(this.job.status)) return;
    follow(jobId, each, signal);
    follow(jobId, ({ data }) => this.pages.get(data.number)?.glimpsed(data), signal, "regions");
  }

  close() {
    this.following?.abort();
    this.near.disconnect();
    for (const page of this.pages.values()) page.leave();
    this.pages.clear();
    this.job = null;
  }

  /** Bring a page to the view, with what stands there marked. */
  goTo(number, boxes = []) {
    for (const page of this.pages.values()) if (page.boxes.length) page.mark([]);
    const page = this.pages.get(number);
    if (!page) return;
    page.mark(boxes);
    page.element.scrollIntoView({ block: "start" });
    const settle = () => (page.element.querySelector(".hit, .cited") ?? page.element).scrollIntoView({ block: boxes.length ? "center" : "start" });
    if (boxes.length) page.facts ? settle() : page.element.addEventListener("filled", settle, { once: true });
    page.element.tabIndex = -1;
    page.element.focus({ preventScroll: true });
    this.head.at(number);
  }

  #showMarkdown(yes) {
    this.asMarkdown = yes;
    for (const page of this.pages.values()) page.showMarkdown(yes);
  }

  #near({ target, isIntersecting }) {
    const page = this.pages.get(Number(target.dataset.page));
    if (isIntersecting) page?.enter();
    else page?.leave();
  }

  #know(job) {
    this.job = job;
    for (const progress of job.pages) {
      const known = this.pages.get(progress.number);
      if (known) known.update(progress);
      else this.#add(progress);
    }
    this.#tell();
    this.changed(job);
  }

  #add(progress) {
    const page = new PageView(this.job.id, progress);
    page.asMarkdown = this.asMarkdown;
    this.pages.set(progress.number, page);
    this.list.append(page.element);
    this.near.observe(page.element);
  }

  async #happened({ name, data }, signal) {
    if (name === "page_started") this.pages.get(data.number)?.update({ status: "running" });
    else if (name === "page") this.pages.get(data.number)?.update(data);
    else if (name !== "queued") await this.#again(signal); // pages are known, or all has ended
    if (signal.aborted) return;
    if (name === "page" || name === "page_started") this.#tellSoon();
    if (ended(name)) {
      for (const page of this.pages.values()) page.renew();
      say(`${this.job.file_name}: ${name}`);
    }
  }

  async #again(signal) {
    try {
      this.#know(await json(`/v1/jobs/${encodeURIComponent(this.job.id)}`, { signal }));
    } catch (problem) {
      if (problem.name !== "AbortError") say(problem.message);
    }
  }

  #tellSoon() {
    this.soon ??= requestAnimationFrame(() => {
      this.soon = null;
      if (this.job) this.#tell();
    });
  }

  #tell() {
    this.head.tell(this.job, [...this.pages.values()].map((page) => page.progress));
  }
}
