// Light and dark theme.

import { byId } from "./dom.js";

const THEME = "pagemill.theme";
const NEXT = { auto: "light", light: "dark", dark: "auto" };

export function theme() {
  const set = (name) => {
    document.documentElement.dataset.theme = name;
    byId("theme").textContent = `Theme: ${name}`;
    localStorage.setItem(THEME, name);
  };
  const now = () => (localStorage.getItem(THEME) in NEXT ? localStorage.getItem(THEME) : "auto");
  set(now());
  byId("theme").addEventListener("click", () => set(NEXT[now()]));
}
