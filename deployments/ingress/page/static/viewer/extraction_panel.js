// The panel that extracts values by a schema; pointing at a value highlights its place on the page.

import { events, posted, Problem } from "../base/api.js";
import { copyButton } from "../base/clipboard.js";
import { announce, button, h } from "../base/dom.js";
import { count, duration } from "../base/display_names.js";

const EXAMPLE = `{
  "type": "object",
  "properties": {
    "title": { "type": "string" },
    "date": { "type": "string", "format": "date" },
    "total": { "type": "number" }
  },
  "required": ["title"]
}`;
const OWN = ""; // in the list of names: the schema that is written below
const MATCHES = { exact: "as printed", normalised: "printed otherwise", none: "not on the page" };

export class ExtractionPanel {
  /** `show(page, boxes, isJump)` lights boxes on a page, and brings them to the view when a person chose the value. */
  constructor(jobId, { schemas }, show) {
    Object.assign(this, { jobId, show });
    this.abort = null;
    this.name = h("select", { "aria-label": "Schema" }, [...schemas, OWN].map((name) => h("option", { value: name }, name || "your own schema")));
    this.name.addEventListener("change", () => this.#showSchema());
    this.schema = h("textarea", { rows: 12, spellcheck: "false", "aria-label": "JSON schema", value: EXAMPLE });
    this.pages = h("input", { placeholder: "all, or 1-3,7", autocomplete: "off", "aria-label": "Pages to search" });
    this.run = h("button", {}, "Extract");
    this.status = h("p", { className: "faint", role: "status" });
    this.fields = h("div", { className: "fields-found" });
    this.form = h("form", { onsubmit: (event) => (event.preventDefault(), this.abort ? this.abort.abort() : this.#run()) }, h("label", {}, "Schema ", this.name), this.schema, h("label", {}, "Pages ", this.pages), h("p", {}, this.run));
    this.element = h("section", { className: "extraction", hidden: true, "aria-label": "Extraction" }, h("h3", {}, "Extract values"), this.form, this.status, this.fields);
    this.#showSchema();
  }

  close() {
    this.abort?.abort();
  }

  #showSchema() {
    this.schema.hidden = this.name.value !== OWN;
  }

  async #run() {
    const { signal } = (this.abort = new AbortController());
    this.run.textContent = "Stop";
    this.status.className = "faint";
    this.status.textContent = "The model reads …";
    const started = performance.now();
    try {
      const schema = this.name.value === OWN ? parsed(this.schema.value) : this.name.value;
      const body = { job_id: this.jobId, schema, pages: this.pages.value.trim() || null, stream: true };
      await events("/v1/extract", (event) => this.#happened(event, started), posted(body, { signal }));
    } catch (error) {
      this.#showStatus(error.name === "AbortError" ? "Stopped." : error.message, error.name !== "AbortError");
    }
    this.abort = null;
    this.run.textContent = "Extract";
  }

  #happened({ name, data }, started) {
    if (name === "progress") this.status.textContent = `The model reads: ${data.done} of ${count(data.total, "call")} …`;
    else if (name === "error") throw new Problem(data.status, data);
    else this.#showResult(data, (performance.now() - started) / 1000);
  }

  #showStatus(message, isProblem) {
    this.status.textContent = message;
    this.status.className = isProblem ? "why" : "faint";
  }

  #showResult({ data, fields, num_unplaced: numUnplaced, model }, seconds) {
    const leaves = leavesOf(fields, []);
    const unplaced = numUnplaced ? `, ${numUnplaced} of them not on the pages` : "";
    this.#showStatus(`${count(leaves.length, "value")}${unplaced}, by ${model} in ${duration(seconds)}`, false);
    announce(this.status.textContent);
    const text = JSON.stringify(data, null, 2);
    this.fields.replaceChildren(h("ul", {}, leaves.map(({ path, field }) => h("li", {}, this.#field(path, field)))), h("p", {}, copyButton("Copy as JSON", () => text)));
  }

  #field(path, field) {
    const isPlaced = field.page !== null && field.boxes.length > 0;
    const kind = field.value === null ? "" : isPlaced || field.match !== "none" ? MATCHES[field.match] : MATCHES.none;
    const marks = h("span", { className: `chip ${field.match}` }, kind);
    const element = button("", () => isPlaced && this.show(field.page, field.boxes, true), { className: `field ${field.match}` });
    element.append(
      h("span", { className: "field-name" }, path.join(" › ") || "value"),
      h("span", { className: "field-value" }, field.value === null ? "nothing" : String(field.value)),
      h("span", { className: "field-place" }, kind ? marks : "", isPlaced ? ` page ${field.page}` : "", field.match === "normalised" && field.source_text ? `: “${field.source_text}”` : ""),
    );
    for (const name of ["pointerenter", "focus"]) element.addEventListener(name, () => this.show(field.page, isPlaced ? field.boxes : [], name === "focus"));
    for (const name of ["pointerleave", "blur"]) element.addEventListener(name, () => this.show(0, [], false));
    return element;
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`The schema is not JSON: ${error.message}`);
  }
}

const isLeaf = (node) => node !== null && typeof node === "object" && "match" in node && "boxes" in node && "num_places" in node;

/** Every value of the fields, with the names that lead to it. */
function leavesOf(node, path) {
  if (isLeaf(node)) return [{ path, field: node }];
  if (Array.isArray(node)) return node.flatMap((item, index) => leavesOf(item, [...path, String(index + 1)]));
  if (node !== null && typeof node === "object") return Object.entries(node).flatMap(([name, item]) => leavesOf(item, [...path, name]));
  return [];
}
