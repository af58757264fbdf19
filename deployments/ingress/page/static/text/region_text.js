// Renders a region's text as elements: headings, lists, tables, code, formulas, links, struck-out words.

import { h } from "../base/dom.js";
import { elementsOf, elementsOfText, markedLines } from "./marked_text.js";
import { formula } from "./math.js";
import { tableElement } from "./table.js";

const BULLET = /^[•‣◦▪●○■□*·–—-]\s+/;
const FIRST_LEVEL = 4; // under the heading of the page
const LAST_LEVEL = 6;

/** The text of a region as a list of elements. */
export function rendered(region) {
  if (region.table) return [h("div", { className: "wide", tabIndex: 0 }, tableElement(region.table))];
  if (region.latex) return [formulaElement(region.latex)];
  if (!region.text.trim()) return [h("p", { className: "faint" }, emptyText(region))];
  if (region.code) return [h("pre", {}, elementsOfText(region.text, [], region.struck))];
  if (region.kind === "title") {
    const level = Math.min(LAST_LEVEL, FIRST_LEVEL + (region.level ?? 2) - 1);
    return [h(`h${level}`, { className: "title" }, elementsOfText(region.text, region.links, region.struck))];
  }
  return paragraphs(markedLines(region.text, region.links, region.struck));
}

function emptyText(region) {
  if (region.alt) return `Figure: ${region.alt}`;
  return region.kind === "figure" ? "(a figure)" : "(no text)";
}

function formulaElement(latex) {
  const math = formula(latex);
  return math ? h("div", { className: "wide formula", tabIndex: 0 }, math) : h("pre", { className: "latex" }, latex);
}

/** Paragraphs and lists of the lines, an empty one between each two. */
function paragraphs(lines) {
  const elements = [];
  let last = null; // the paragraph or list that is open
  for (const line of lines) {
    const text = line.map((run) => run.text).join("");
    if (BULLET.test(text)) {
      const item = h("li", {}, elementsOf(without(line, BULLET.exec(text)[0].length)));
      if (last?.tagName === "UL") last.append(item);
      else elements.push((last = h("ul", {}, item)));
    } else if (!text) last = null;
    else if (last?.tagName === "P") last.append(h("br"), ...elementsOf(line));
    else elements.push((last = h("p", {}, elementsOf(line))));
  }
  return elements;
}

/** A line without that many characters at its beginning. */
function without(line, count) {
  const runs = [];
  for (const run of line) {
    if (count < run.text.length) runs.push({ ...run, text: run.text.slice(count) });
    count = Math.max(0, count - run.text.length);
  }
  return runs;
}
