// Shows a slide as HTML: the text of each shape at its position and size.

import { h, place } from "../base/dom.js";
import { rendered } from "./region_text.js";

const SMALLEST = 7; // points
const LARGEST = 40;

/** What a shape says, at its box; sizes are shares of the slide's width, so that they follow the zoom. */
export function shapeElement(region, size) {
  const shape = h("div", { className: "shape" }, region.kind === "figure" ? h("span", { className: "figure" }, region.alt || region.text || "Figure") : rendered(region));
  for (const part of shape.querySelectorAll("[tabindex]")) part.removeAttribute("tabindex"); // beside the text nothing here takes the focus
  shape.style.fontSize = `${(100 * pointsOf(region)) / size[0]}cqw`;
  return place(shape, region.box, size);
}

/** The size that the file says, else one at which the words fill their box. */
function pointsOf({ spans, text, box }) {
  const sizes = spans.map((span) => span.font_size).filter(Boolean);
  if (sizes.length) return sizes.sort((one, other) => one - other)[Math.floor(sizes.length / 2)];
  const area = (box.x1 - box.x0) * (box.y1 - box.y0);
  return Math.min(LARGEST, Math.max(SMALLEST, Math.sqrt(area / (1 + text.length * 0.75))));
}
