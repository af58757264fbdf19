// Renders a region's text as elements: headings, lists, tables, code, formulas, links.

import { h } from "./dom.js";
import { formula } from "./math.js";
import { tableElement } from "./table.js";

const BULLET = /^[•‣◦▪●○■□*·–—-]\s+/;
const SAFE = /^(?:https?:\/\/|mailto:)\S/i;
const FIRST_LEVEL = 4; // under the heading of the page
const LAST_LEVEL = 6;

/** The text of a region as a list of elements. */
export function rendered(region) {
  if (region.table) return [h("div", { className: "wide", tabIndex: 0 }, tableElement(region.table))];
  if (region.latex) return [formulaElement(region.latex)];
  if (!region.text.trim()) return [h("p", { className: "faint" }, emptyText(region))];
  if (region.code) return [h("pre", {}, region.text)];
  const links = [...(region.links ?? [])]; // those that have no place yet
  if (region.kind === "title") {
    const level = Math.min(LAST_LEVEL, FIRST_LEVEL + (region.level ?? 2) - 1);
    return [h(`h${level}`, { className: "title" }, linked(region.text, links))];
  }
  return region.text.split("\n\n").flatMap((part) => paragraph(part, links));
}

function emptyText(region) {
  if (region.alt) return `Figure: ${region.alt}`;
  return region.kind === "figure" ? "(a figure)" : "(no text)";
}

function formulaElement(latex) {
  const math = formula(latex);
  return math ? h("div", { className: "wide formula", tabIndex: 0 }, math) : h("pre", { className: "latex" }, latex);
}

function paragraph(text, links) {
  const elements = [];
  for (const line of text.split("\n")) {
    const last = elements.at(-1);
    if (BULLET.test(line)) {
      const item = h("li", {}, linked(line.replace(BULLET, ""), links));
      if (last?.tagName === "UL") last.append(item);
      else elements.push(h("ul", {}, item));
    } else if (last?.tagName === "P") last.append(h("br"), ...linked(line, links));
    else elements.push(h("p", {}, linked(line, links)));
  }
  return elements;
}

/** Words that lead somewhere become links, in the order of the text, each in one place; other schemes stay words. */
function linked(text, links) {
  const children = [];
  let rest = text;
  for (const link of [...links]) {
    const start = link.text ? rest.indexOf(link.text) : -1;
    if (start < 0 || !SAFE.test(link.uri)) continue;
    links.splice(links.indexOf(link), 1);
    const outside = { href: link.uri, target: "_blank", rel: "noopener noreferrer nofollow" };
    children.push(rest.slice(0, start), h("a", outside, link.text));
    rest = rest.slice(start + link.text.length);
  }
  return [...children, rest];
}
