// A key is asked for where the server wants one, and kept in this tab alone.

import { key, onKeyWanted, setKey } from "./api.js";
import { byId } from "./dom.js";

/** `changed()` is called once another key is in use. */
export function keys(changed) {
  const dialog = byId("key-dialog");
  const told = byId("key-why").textContent;
  const ask = (refused = false) =>
    new Promise((resolve) => {
      byId("key-why").textContent = refused ? "The server does not take this key." : told;
      byId("key-why").className = refused ? "why" : "faint";
      byId("key-text").value = key();
      dialog.returnValue = "cancel";
      if (!dialog.open) dialog.showModal();
      dialog.addEventListener("close", () => {
        const kept = dialog.returnValue === "keep";
        if (kept) setKey(byId("key-text").value.trim());
        resolve(kept && Boolean(key()));
      }, { once: true });
    });
  onKeyWanted(() => ask(Boolean(key())));
  byId("key-cancel").addEventListener("click", () => dialog.close("cancel"));
  byId("key").addEventListener("click", async () => (await ask()) && changed());
}
