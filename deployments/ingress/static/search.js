// Search over all documents: each hit leads to its place on the page.

import { json } from "./api.js";
import { byId, count, h, say } from "./dom.js";

const MAX_HITS = 20;

/** `nameOf(documentId)` is what a person calls it; `chosen(passage)` opens the place. */
export function search(nameOf, chosen) {
  const panel = byId("hits");
  let latest = null;
  byId("search").addEventListener("submit", async (event) => {
    event.preventDefault();
    const query = byId("query").value.trim();
    latest?.abort();
    if (!query) return void (panel.hidden = true);
    const { signal } = (latest = new AbortController());
    panel.hidden = false;
    headed("Searching …");
    try {
      const body = JSON.stringify({ query, k: MAX_HITS });
      const found = await json("/v1/query", { method: "POST", body, headers: { "Content-Type": "application/json" }, signal });
      shown(found, query);
    } catch (problem) {
      if (problem.name !== "AbortError") headed("The search failed", h("p", { className: "why" }, problem.message));
    }
  });

  function shown({ passages, mode }, query) {
    const how = mode === "hybrid" ? "" : ` (${mode.replace("_", " ")})`;
    const title = `${count(passages.length, "passage")} for “${query}”${how}`;
    const nothing = h("p", { className: "faint" }, "Nothing was found in the documents that are read. Other words may do.");
    headed(title, passages.length ? h("ol", {}, passages.map((passage) => h("li", {}, hit(passage)))) : nothing);
    panel.scrollIntoView({ block: "nearest" });
  }

  function headed(title, below = "") {
    const close = h("button", { type: "button", className: "plain", onclick: () => (panel.hidden = true) }, "Close");
    panel.replaceChildren(h("div", { className: "head" }, h("h2", { id: "hits-title" }, title), close), below);
    say(title);
  }

  function hit(passage) {
    const path = passage.heading_path.length ? ` · ${passage.heading_path.join(" › ")}` : "";
    return h(
      "button",
      { type: "button", className: "passage", onclick: () => chosen(passage) },
      h("span", { className: "where" }, `${nameOf(passage.document_id)} · page ${passage.page}${path}`),
      h("span", { className: "what" }, passage.text.slice(0, 300)),
    );
  }
}
