// The engine as it works: who shares a decode step, which KV blocks are taken, how large the layout's batches are.

import { byId, h } from "./dom.js";

const BUSY_MS = 1000;
const IDLE_MS = 4000;
const HISTORY = 60; // looks that are kept
const MAX_SLOTS = 64; // that are drawn one by one

/** Looks at /readyz while the page is in view, more often while there is work; `worked()` is told when jobs came or went. */
export function engine(worked) {
  const past = [];
  let before = null;
  const look = async () => {
    const answer = document.hidden ? null : await fetch("/readyz").catch(() => null);
    const told = await answer?.json().catch(() => null);
    if (told?.parts) {
      const now = { at: performance.now(), ...told.parts };
      past.push(now.ocr.num_running ?? 0);
      if (past.length > HISTORY) past.shift();
      draw(now, before, past, told.status);
      if (before && before.jobs.unfinished_jobs !== now.jobs.unfinished_jobs) worked();
      before = now;
    } else if (!document.hidden) byId("engine-view").replaceChildren(h("p", { className: "why" }, "The server does not answer."));
    const busy = told?.parts?.jobs?.unfinished_jobs || told?.parts?.ocr?.num_running;
    setTimeout(look, busy ? BUSY_MS : IDLE_MS);
  };
  look();
}

function draw({ at, ocr, layout, jobs }, before, past, status) {
  const seconds = before ? (at - before.at) / 1000 : 0;
  const rate = (part, name, now) => (seconds && before[part]?.[name] !== undefined ? Math.max(0, (now - before[part][name]) / seconds) : 0);
  const running = ocr.num_running ?? 0;
  const slots = ocr.max_running ?? Math.max(...past, 1);
  const used = (ocr.num_blocks ?? 0) - (ocr.num_free_blocks ?? 0);
  const pages = layout.pages ?? 0;
  const batches = layout.batches ?? 0;
  byId("engine-view").replaceChildren(
    status === "ready" ? "" : h("p", { className: "why" }, "Some parts are still starting."),
    h("div", { className: "slots", role: "img", "aria-label": `${running} of ${slots} decode slots in use` }, squares(running, slots)),
    h(
      "dl",
      {},
      fact("Decode slots", `${running} of ${slots}`),
      fact("Waiting for a slot", ocr.num_waiting ?? 0),
      fact("KV blocks", h("span", {}, gauge(used, ocr.num_blocks ?? 1), `${used} of ${ocr.num_blocks ?? 0}`)),
      fact("Steps a second", rate("ocr", "num_steps", ocr.num_steps).toFixed(1)),
      fact("Largest step", `${ocr.largest_step ?? 0} sequences`),
      fact("Steps shared by documents", ocr.shared_steps ?? 0),
      fact("Pages a layout batch", batches ? `${(pages / batches).toFixed(1)}, at most ${layout.largest_batch}` : "–"),
      fact("Pages in the queue", jobs.queued_pages ?? 0),
      fact("Unfinished jobs", jobs.unfinished_jobs ?? 0),
    ),
    h("div", { className: "past", "aria-hidden": "true" }, past.map((value) => bar(value, slots))),
    h("p", { className: "faint" }, "Slots in use, look by look."),
  );
}

const fact = (name, value) => h("div", {}, h("dt", {}, name), h("dd", {}, typeof value === "object" ? value : String(value)));

/** How full; the words beside it say the same. */
function gauge(value, max) {
  const filled = h("span");
  filled.style.width = `${(100 * value) / max}%`;
  return h("span", { className: "gauge", "aria-hidden": "true" }, filled);
}

function squares(running, slots) {
  const drawn = Math.min(slots, MAX_SLOTS);
  const full = Math.round((running * drawn) / slots);
  return Array.from({ length: drawn }, (_, index) => h("span", { className: index < full ? "slot full" : "slot" }));
}

function bar(value, slots) {
  const drawn = h("span");
  drawn.style.height = `${Math.min(100, (100 * value) / slots)}%`;
  return drawn;
}
