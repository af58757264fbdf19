// Warnings of a page or a document, folded until a person opens them.

import { h } from "./dom.js";
import { count } from "./wording.js";

export function warningsElement(warnings) {
  return h(
    "details",
    { className: "warnings" },
    h("summary", {}, count(warnings.length, "warning")),
    h("ul", {}, warnings.map((warning) => h("li", {}, h("code", {}, warning.code), ` ${warning.page ? `page ${warning.page}: ` : ""}${warning.message}`))),
  );
}
