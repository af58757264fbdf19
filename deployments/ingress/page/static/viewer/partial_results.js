// Shows a page while OCR is still reading it: its regions and the words so far.

import { h, place } from "../base/dom.js";
import { rendered } from "../text/region_text.js";
import { count } from "../base/display_names.js";

const isUnread = (region) => region.text === null;

/** Boxes for the picture of the page; the words beside it say the same. */
export function partialBoxes({ regions, size }) {
  const boxes = regions.map((region) => {
    const box = h("div", { className: isUnread(region) ? "box unread" : "box" });
    box.dataset.kind = region.kind;
    return place(box, region.box, size);
  });
  return h("div", { className: "overlay", "aria-hidden": "true" }, boxes);
}

/** How far the reading is, and what is read, from the top. */
export function partialText({ regions, num_to_read: numToRead }) {
  const numRead = regions.filter((region) => !isUnread(region)).length;
  const progress = numToRead ? `Reading: ${numRead} of ${count(numToRead, "region")} so far …` : "Reading …";
  const read = regions.filter((region) => !isUnread(region) && region.text.trim());
  const sections = read.map((region) => {
    const section = h("section", { className: "region" }, h("div", { className: "words" }, rendered(region)));
    section.dataset.kind = region.kind;
    return section;
  });
  return [h("p", { className: "faint" }, progress), ...sections];
}
