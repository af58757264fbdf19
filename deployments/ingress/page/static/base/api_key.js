// The dialog for the API key, which is kept in this tab only.

import { key, onKeyNeeded, setKey } from "./api.js";
import { byId } from "./dom.js";

/** `changed()` is called once another key is in use. */
export function keys(changed) {
  const dialog = byId("key-dialog");
  const note = byId("key-note");
  const explanation = note.textContent;
  const ask = (isRefused = false) =>
    new Promise((resolve) => {
      note.textContent = isRefused ? "The server does not accept this key." : explanation;
      note.className = isRefused ? "why" : "faint";
      byId("key-text").value = key();
      dialog.returnValue = "cancel";
      if (!dialog.open) dialog.showModal();
      dialog.addEventListener("close", () => {
        const isKept = dialog.returnValue === "keep";
        if (isKept) setKey(byId("key-text").value.trim());
        resolve(isKept && Boolean(key()));
      }, { once: true });
    });
  onKeyNeeded(() => ask(Boolean(key())));
  byId("key-cancel").addEventListener("click", () => dialog.close("cancel"));
  byId("key").addEventListener("click", async () => (await ask()) && changed());
}
