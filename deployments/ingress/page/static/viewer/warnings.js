// Lists the warnings of a page or document, folded.

import { h } from "../base/dom.js";
import { count } from "../base/display_names.js";

export function warningsElement(warnings) {
  return h(
    "details",
    { className: "warnings" },
    h("summary", {}, count(warnings.length, "warning")),
    h("ul", {}, warnings.map((warning) => h("li", {}, h("code", {}, warning.code), ` ${warning.page ? `page ${warning.page}: ` : ""}${warning.message}`))),
  );
}
