// The search box: hits as links to their place on the page, and the generated answer.

import { passageAddress } from "../base/page_links.js";
import { AnswerView } from "./search_answer.js";
import { events, json, posted } from "../base/api.js";
import { announce, button, byId, h } from "../base/dom.js";
import { wrap } from "../text/doubtful_words.js";
import { count } from "../base/display_names.js";

const MAX_HITS = 20;
const MAX_SOURCES = 8; // passages that an answer rests on
const SNIPPET = 300; // characters

/** `nameOf(documentId)` is what a person calls it; `capabilities` resolves to what the server's settings allow. */
export function search(nameOf, capabilities) {
  const panel = byId("hits");
  const ask = byId("ask");
  let latest = null;
  capabilities.then(({ answers }) => (ask.hidden = !answers));
  byId("search").addEventListener("submit", async (event) => {
    event.preventDefault();
    const query = byId("query").value.trim();
    latest?.abort();
    if (!query) return void (panel.hidden = true);
    const { signal } = (latest = new AbortController());
    const isQuestion = event.submitter === ask;
    panel.hidden = false;
    showHead(isQuestion ? "Answering …" : "Searching …");
    panel.scrollIntoView({ block: "nearest" });
    try {
      if (isQuestion) await answer(query, signal);
      else show(await json("/v1/query", posted({ query, k: MAX_HITS }, { signal })), query);
    } catch (problem) {
      if (problem.name !== "AbortError") showHead("The search failed", h("p", { className: "why" }, problem.message));
    }
  });

  async function answer(query, signal) {
    let view = null;
    await events("/v1/query", ({ name, data }) => {
      if (name === "passages") {
        view = new AnswerView(data.passages);
        showHead(`Answer to “${query}”`, view.element, list(data.passages, query, true));
      } else if (name === "token") view.add(data.text);
      else if (name === "answer") view.finish(data);
      else if (name === "error") view.fail("the answer stopped early; try again");
    }, posted({ query, k: MAX_SOURCES, answer: true, stream: true }, { signal }));
  }

  function show({ passages, mode }, query) {
    const how = mode === "hybrid" ? "" : ` (${mode.replace("_", " ")})`;
    const nothing = h("p", { className: "faint" }, "No passage matches. Try different words.");
    showHead(`${count(passages.length, "passage")} for “${query}”${how}`, passages.length ? list(passages, query, false) : nothing);
  }

  function showHead(title, ...below) {
    const close = button("Close", () => (panel.hidden = true));
    panel.replaceChildren(h("div", { className: "head" }, h("h2", { id: "hits-title" }, title), close), ...below);
    announce(title);
  }

  function list(passages, query, isNumbered) {
    return h("ol", {}, passages.map((passage, index) => h("li", {}, hit(passage, query, isNumbered ? index + 1 : null))));
  }

  function hit(passage, query, number) {
    const headings = passage.heading_path.length ? ` · ${passage.heading_path.join(" › ")}` : "";
    const name = passage.file_name ?? nameOf(passage.document_id);
    const where = h("span", { className: "where" }, number ? h("span", { className: "source-number" }, String(number)) : "", `${name} · page ${passage.page_label ?? passage.page}${headings}`);
    return h("a", { className: "passage", href: passageAddress(passage) }, where, snippet(passage.text, query));
  }
}

/** The part of a text in which the first words of the query stand, with these marked. */
function snippet(text, query) {
  const words = query.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 2);
  const pattern = words.length ? new RegExp(words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|"), "giu") : null;
  const first = pattern ? Math.max(0, text.search(pattern)) : 0;
  const start = first > SNIPPET / 2 ? text.lastIndexOf(" ", first - SNIPPET / 3) + 1 : 0;
  const part = (start ? "… " : "") + text.slice(start, start + SNIPPET) + (start + SNIPPET < text.length ? " …" : "");
  const element = h("span", { className: "what" }, part);
  if (pattern) wrap(element, [...part.matchAll(pattern)].map((match) => ({ start: match.index, end: match.index + match[0].length })), () => h("mark"));
  return element;
}
