// The dialog that asks before something is deleted.

import { byId } from "./dom.js";

/** Resolves to whether the person agrees; `action` is the word on the button. */
export function confirmed(question, action) {
  const dialog = byId("confirm-dialog");
  byId("confirm-question").textContent = question;
  byId("confirm-yes").textContent = action;
  dialog.returnValue = "";
  dialog.showModal();
  byId("confirm-no").focus();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}
