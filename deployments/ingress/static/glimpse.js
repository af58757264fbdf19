// A page while it is read: the regions that were found, and the words of those that were read by now.

import { count, h, place } from "./dom.js";
import { rendered } from "./text.js";

const unread = (region) => region.text === null;

/** Boxes for the picture of the page; the words beside it say the same. */
export function foundBoxes({ regions, size }) {
  const boxes = regions.map((region) => {
    const box = h("div", { className: unread(region) ? "box unread" : "box" });
    box.dataset.kind = region.kind;
    return place(box, region.box, size);
  });
  return h("div", { className: "overlay", "aria-hidden": "true" }, boxes);
}

/** How far the reading is, and what was read, from the top. */
export function readSoFar({ regions }) {
  const read = regions.filter((region) => !unread(region) && region.text.trim());
  const sections = read.map((region) => {
    const section = h("section", { className: "region" }, h("div", { className: "words" }, rendered(region)));
    section.dataset.kind = region.kind;
    return section;
  });
  return [h("p", { className: "faint" }, `Is being read: ${read.length} of ${count(regions.length, "region")} so far …`), ...sections];
}
