// A region's text as elements: headings, lists, tables, programs, formulas; built from facts, never from markup.

import { h } from "./dom.js";

const BULLET = /^[•‣◦▪●○■□*·–—-]\s+/;
const SAFE = /^(?:https?:\/\/|mailto:)\S/i;
const FIRST_LEVEL = 4; // under the heading of the page
const LAST_LEVEL = 6;

/** The text of a region as a list of elements. */
export function rendered(region) {
  if (region.table) return [table(region.table)];
  if (region.latex) return [h("pre", { className: "latex" }, region.latex)];
  if (!region.text.trim()) return [h("p", { className: "faint" }, region.kind === "figure" ? "(a figure)" : "(no text)")];
  if (region.code) return [h("pre", {}, region.text)];
  const links = [...(region.links ?? [])]; // those that have found no place yet
  if (region.kind === "title") {
    const level = Math.min(LAST_LEVEL, FIRST_LEVEL + (region.level ?? 2) - 1);
    return [h(`h${level}`, { className: "title" }, linked(region.text, links))];
  }
  return region.text.split("\n\n").flatMap((part) => paragraph(part, links));
}

function paragraph(text, links) {
  const found = [];
  for (const line of text.split("\n")) {
    const last = found.at(-1);
    if (BULLET.test(line)) {
      const item = h("li", {}, linked(line.replace(BULLET, ""), links));
      if (last?.tagName === "UL") last.append(item);
      else found.push(h("ul", {}, item));
    } else if (last?.tagName === "P") last.append(h("br"), ...linked(line, links));
    else found.push(h("p", {}, linked(line, links)));
  }
  return found;
}

/** Words that lead somewhere become links, in the order of the text, each in one place; other schemes stay words. */
function linked(text, links) {
  const found = [];
  let rest = text;
  for (const link of [...links]) {
    const at = link.text ? rest.indexOf(link.text) : -1;
    if (at < 0 || !SAFE.test(link.uri)) continue;
    links.splice(links.indexOf(link), 1);
    const outside = { href: link.uri, target: "_blank", rel: "noopener noreferrer nofollow" };
    found.push(rest.slice(0, at), h("a", outside, link.text));
    rest = rest.slice(at + link.text.length);
  }
  return [...found, rest];
}

function table({ cells, num_rows: rows, num_header_rows: heads }) {
  const lines = Array.from({ length: rows }, () => h("tr"));
  for (const cell of cells) {
    const isHead = cell.row < heads;
    const spans = { rowspan: cell.num_rows > 1 ? cell.num_rows : null, colspan: cell.num_columns > 1 ? cell.num_columns : null };
    lines[cell.row]?.append(h(isHead && cell.text ? "th" : "td", spans, cell.text));
  }
  const head = heads ? h("thead", {}, lines.slice(0, heads)) : null;
  return h("div", { className: "wide" }, h("table", {}, head, h("tbody", {}, lines.slice(heads))));
}
