// The engine panel: shows decode steps, KV blocks and batch sizes live from /readyz.

import { byId, h } from "./base/dom.js";

const BUSY_MS = 1000;
const IDLE_MS = 4000;
const HISTORY = 60; // readings that are kept
const MAX_SLOTS = 64; // that are drawn one by one

/** Reads /readyz while the page is in view, more often while there is work; `worked()` is called when jobs came or went. */
export function engine(worked) {
  const history = [];
  let before = null;
  const read = async () => {
    const answer = document.hidden ? null : await fetch("/readyz").catch(() => null);
    const readiness = await answer?.json().catch(() => null);
    if (readiness?.parts) {
      const now = { at: performance.now(), ...readiness.parts, jobs: ofAllOwners(readiness.parts) };
      history.push(now.ocr.num_running ?? 0);
      if (history.length > HISTORY) history.shift();
      draw(now, before, history, answer.ok);
      if (before && before.jobs.unfinished_jobs !== now.jobs.unfinished_jobs) worked();
      before = now;
    } else if (!document.hidden) showState("The server does not answer.");
    const isBusy = readiness?.parts && (before.jobs.unfinished_jobs || (before.ocr?.num_running && byId("engine").open));
    setTimeout(read, isBusy ? BUSY_MS : IDLE_MS);
  };
  read();
}

/** The sums of the owners of jobs: with shards there are several. */
function ofAllOwners(parts) {
  const owners = Object.keys(parts).filter((name) => /^jobs\d*$/.test(name));
  const sum = (fact) => owners.reduce((total, name) => total + (parts[name][fact] ?? 0), 0);
  return { unfinished_jobs: sum("unfinished_jobs"), queued_pages: sum("queued_pages") };
}

/** One line beside the title, which is seen while the view is folded. */
function showState(text, className = "why") {
  byId("engine-state").textContent = text;
  byId("engine-state").className = className;
}

function draw({ at, ocr, layout, jobs }, before, history, isReady) {
  const seconds = before ? (at - before.at) / 1000 : 0;
  const rate = (part, name, now) => (seconds && before[part]?.[name] !== undefined ? Math.max(0, (now - before[part][name]) / seconds) : 0);
  const running = ocr.num_running ?? 0;
  const slots = ocr.max_running ?? Math.max(...history, 1);
  const used = (ocr.num_blocks ?? 0) - (ocr.num_free_blocks ?? 0);
  const { pages = 0, batches = 0 } = layout;
  if (isReady) showState(running ? `${running} of ${slots} slots` : "idle", "faint");
  else showState("some parts are still starting");
  byId("engine-view").replaceChildren(
    h("div", { className: "slots", role: "img", "aria-label": `${running} of ${slots} decode slots in use` }, squares(running, slots)),
    h(
      "dl",
      {},
      fact("Decode slots", `${running} of ${slots}`),
      fact("Waiting for a slot", ocr.num_waiting ?? 0),
      fact("KV blocks", h("span", {}, gauge(used, ocr.num_blocks ?? 1), `${used} of ${ocr.num_blocks ?? 0}`)),
      fact("Steps per second", rate("ocr", "num_steps", ocr.num_steps).toFixed(1)),
      fact("Largest step", `${ocr.largest_step ?? 0} sequences`),
      fact("Steps shared by documents", ocr.shared_steps ?? 0),
      fact("Pages per layout batch", batches ? `${(pages / batches).toFixed(1)}, at most ${layout.largest_batch}` : "–"),
      fact("Pages in the queue", jobs.queued_pages ?? 0),
      fact("Unfinished jobs", jobs.unfinished_jobs ?? 0),
    ),
    h("div", { className: "past", "aria-hidden": "true" }, history.map((value) => bar(value, slots))),
    h("p", { className: "faint" }, "Decode slots in use, newest at the right."),
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
  const numSquares = Math.min(slots, MAX_SLOTS);
  const numFull = Math.round((running * numSquares) / slots);
  return Array.from({ length: numSquares }, (_, index) => h("span", { className: index < numFull ? "slot full" : "slot" }));
}

function bar(value, slots) {
  const element = h("span");
  element.style.height = `${Math.min(100, (100 * value) / slots)}%`;
  return element;
}
