// Shows one region beside its box: kind, source, confidence, text, and its buttons (copy, link, read again).

import { regionAddress } from "../base/page_links.js";
import { copyButton } from "../base/clipboard.js";
import { h } from "../base/dom.js";
import { markDoubts, numDoubtful, unreadLines } from "../text/doubtful_words.js";
import { where } from "./place_names.js";
import { Rereading } from "./reread_region.js";
import { tableHtml, tableTsv } from "../text/table.js";
import { rendered } from "../text/region_text.js";
import { kindName, sourceName } from "../base/display_names.js";

/** A section with a head and the text, and its Rereading; `facts` are those of the page. */
export function regionSection(facts, region, markdown) {
  const { page, job_id: jobId } = facts;
  const rereading = page.form === "print" ? new Rereading(jobId, page, region) : null;
  const source = region.place ? "written" : sourceName(region.text_source);
  const numDoubts = numDoubtful(region);
  const head = h(
    "p",
    { className: "head" },
    h("span", { className: "number" }, String(region.order + 1)),
    h("span", { className: "kind" }, kindName(region)),
    h("span", { className: `chip ${region.text_source}`, title: region.reason }, source),
    numDoubts ? h("span", { className: "chip doubtful" }, `${numDoubts} doubtful`) : "",
    region.place ? h("span", { className: "where" }, where(region.place)) : "",
    h("span", { className: "actions" }, actions(facts, region, markdown), rereading?.button ?? ""),
  );
  const words = h("div", { className: "words" }, rendered(region));
  markDoubts(words, region);
  const label = `Region ${region.order + 1}, ${kindName(region)}, ${source}`;
  const section = h("section", { className: "region", tabIndex: 0, "aria-label": label }, head, words, unreadLines(region), rereading?.result ?? "");
  section.dataset.kind = region.kind;
  section.dataset.order = region.order;
  return { section, rereading };
}

function actions({ document_id: documentId, revision, page }, region, markdown) {
  const name = `region ${region.order + 1} of page ${page.number}`;
  const small = (what) => ({ className: "small", "aria-label": `${what} ${name}` });
  const address = () => location.href.replace(/#.*$/, "") + regionAddress(documentId, revision, page.number, region.order);
  const link = copyButton("Link", address, small("Copy a link to"));
  if (!region.table) return [copyButton("Copy", () => region.text || markdown, small("Copy")), link];
  return [
    copyButton("TSV", () => tableTsv(region.table), small("Copy as TSV:")),
    copyButton("HTML", () => [tableHtml(region.table), tableHtml(region.table)], small("Copy as HTML:")),
    link,
  ];
}
