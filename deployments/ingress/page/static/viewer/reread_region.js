// "Read again": sends a region's crop to /v1/ocr and shows the tokens as they are decoded.

import { call, events } from "../base/api.js";
import { announce, button, h } from "../base/dom.js";
import { duration } from "../base/display_names.js";

/** A button, and beneath the region what is read when it is pressed; pressed again it stops, and the decode slot is free. */
export class Rereading {
  constructor(jobId, page, region) {
    Object.assign(this, { jobId, page, region });
    this.abort = null;
    this.text = h("output", { className: "tokens", hidden: true });
    this.note = h("p", { className: "faint", hidden: true });
    this.result = h("div", { className: "again" }, this.text, this.note);
    const label = `Read region ${region.order + 1} of page ${page.number} again`;
    this.button = button("Read again", () => (this.abort ? this.stop() : this.read()), { className: "small", "aria-label": label });
  }

  /** Whether it reads, or shows what it has read. */
  get inUse() {
    return this.abort !== null || this.text.textContent !== "";
  }

  stop() {
    this.abort?.abort();
  }

  async read() {
    if (this.abort) return;
    const { signal } = (this.abort = new AbortController());
    this.text.textContent = "";
    this.text.hidden = this.note.hidden = false;
    this.text.classList.add("busy");
    this.button.textContent = "Stop";
    this.note.textContent = "OCR reads …";
    try {
      const started = performance.now();
      const numTokens = await this.#stream(signal);
      this.note.textContent = numTokens ? `${numTokens} tokens in ${duration((performance.now() - started) / 1000)}` : "OCR found no text.";
      announce(`Region ${this.region.order + 1} was read again`);
    } catch (error) {
      this.note.textContent = error.name === "AbortError" ? "Stopped." : error.message;
    } finally {
      this.text.classList.remove("busy");
      this.text.hidden = !this.text.textContent;
      this.button.textContent = "Read again";
      this.abort = null;
    }
  }

  async #stream(signal) {
    const form = new FormData();
    form.append("file", await this.#crop(signal), "region.png");
    form.append("stream", "true");
    let numTokens = 0;
    const onEvent = (event) => {
      if (event.name === "error") throw new Error("reading stopped early; try again");
      if (event.name === "reading") {
        this.text.textContent = event.data.text; // without what repeats itself
        return;
      }
      this.text.append(event.data.token);
      numTokens += 1;
    };
    await events("/v1/ocr", onEvent, { method: "POST", body: form, signal });
    return numTokens;
  }

  /** The region alone, upright, at the resolution that OCR reads at. */
  async #crop(signal) {
    const { box, angle } = this.region;
    const query = new URLSearchParams({ box: [box.x0, box.y0, box.x1, box.y1].join(","), angle: String(angle) });
    return (await call(`/v1/jobs/${encodeURIComponent(this.jobId)}/pages/${this.page.number}/image?${query}`, { signal })).blob();
  }
}
