// A region that is read again: its crop goes to /v1/ocr, and its tokens are shown as they are decoded.

import { call, events } from "./api.js";
import { h, say } from "./dom.js";

/** A button, and beneath it what is read when it is pressed; pressed again it stops, and the decode slots are free. */
export function reread(jobId, page, region) {
  const told = h("output", { className: "tokens", hidden: true });
  const note = h("p", { className: "faint", hidden: true });
  let stop = null;
  const label = `Read region ${region.order + 1} of page ${page.number} again`;
  const button = h("button", { className: "small", type: "button", "aria-label": label }, "Read again");
  button.addEventListener("click", async () => {
    if (stop) return stop.abort();
    stop = new AbortController();
    told.textContent = "";
    told.hidden = note.hidden = false;
    told.classList.add("busy");
    button.textContent = "Stop";
    note.textContent = "OCR reads …";
    let count = 0;
    const begun = performance.now();
    try {
      const form = new FormData();
      form.append("file", await crop(jobId, page.number, region, stop.signal), "region.png");
      form.append("stream", "true");
      const piece = (event) => {
        if (event.name === "error") throw new Error("the reading broke off; try again");
        if (event.name === "reading") {
          told.textContent = event.data.text; // with what repeats itself cut
          return;
        }
        told.append(event.data.token);
        count += 1;
      };
      await events("/v1/ocr", piece, { method: "POST", body: form, signal: stop.signal });
      note.textContent = count ? `${count} pieces in ${((performance.now() - begun) / 1000).toFixed(1)} s` : "OCR found no text.";
      say(`Region ${region.order + 1} was read again`);
    } catch (error) {
      note.textContent = error.name === "AbortError" ? "Stopped." : error.message;
    } finally {
      told.classList.remove("busy");
      told.hidden = !told.textContent;
      button.textContent = "Read again";
      stop = null;
    }
  });
  return { button, below: h("div", { className: "again" }, told, note), stop: () => stop?.abort(), used: () => stop !== null || told.textContent !== "" };
}

/** The region alone, upright, at the resolution that OCR reads at. */
async function crop(jobId, number, { box, angle }, signal) {
  const asked = new URLSearchParams({ box: [box.x0, box.y0, box.x1, box.y1].join(","), angle: String(angle) });
  return (await call(`/v1/jobs/${encodeURIComponent(jobId)}/pages/${number}/image?${asked}`, { signal })).blob();
}
