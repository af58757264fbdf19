// Copy buttons: copies text, and HTML beside it for tables.

import { announce, button } from "./dom.js";

const SHOWN_MS = 1500;

/** Copy; where the browser allows no clipboard (a page over plain HTTP), by a selection. */
export async function copy(text, html = null) {
  if (!navigator.clipboard) return copySelection(text);
  if (html === null || !window.ClipboardItem) return navigator.clipboard.writeText(text);
  const types = { "text/plain": new Blob([text], { type: "text/plain" }), "text/html": new Blob([html], { type: "text/html" }) };
  return navigator.clipboard.write([new ClipboardItem(types)]);
}

function copySelection(text) {
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "unseen";
  const dialog = document.querySelector("dialog[open]") ?? document.body;
  const focused = document.activeElement;
  dialog.append(field);
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  focused?.focus({ preventScroll: true });
  if (!isCopied) throw new Error("the browser does not allow copying");
}

/** A button that copies what `content()` says, `[text, html]` or a text, and says that it did. */
export function copyButton(label, content, attributes = {}) {
  let timer = null;
  const element = button(label, async () => {
    clearTimeout(timer);
    try {
      const value = await content();
      await (Array.isArray(value) ? copy(...value) : copy(value));
      element.textContent = "Copied";
      announce("Copied");
    } catch (error) {
      element.textContent = "Not copied";
      announce(error.message);
    }
    timer = setTimeout(() => (element.textContent = label), SHOWN_MS);
  }, attributes);
  return element;
}
