// The options of an upload in the form (pages, password, OCR ...).

import { byId } from "../base/dom.js";

const TEXTS = ["pages", "password", "document_id"];
const CHOICES = ["text_source", "ocr_mode"];
const NUMBERS = ["deadline_s", "page_deadline_s"];

/** As POST /v1/documents takes them. */
export function uploadOptions() {
  const options = {};
  for (const name of CHOICES) options[name] = byId(name).value;
  for (const name of TEXTS) {
    const value = byId(name).value.trim();
    if (value) options[name] = value;
  }
  for (const name of NUMBERS) if (byId(name).value) options[name] = Number(byId(name).value);
  const metadata = metadataOf(byId("metadata").value);
  if (Object.keys(metadata).length) options.metadata = metadata;
  if (!byId("index").checked) options.index = false;
  return options;
}

/** Lines such as `author: Ada`. */
function metadataOf(text) {
  const lines = text.split("\n").map((line) => line.split(/:(.*)/s).map((part) => part?.trim()));
  return Object.fromEntries(lines.filter(([name, value]) => name && value).map(([name, value]) => [name, value]));
}
