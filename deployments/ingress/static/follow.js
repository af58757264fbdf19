// One job that is followed: its events come in order, each once, and go on where they were when the line breaks.

import { events, Problem } from "./api.js";

const PAUSE_MS = 1000;
const ENDS = new Set(["succeeded", "partial", "failed", "cancelled"]);

export const ended = (status) => ENDS.has(status);

/** Calls `each(event)` until the job has ended, `signal` aborts, or the server refuses. */
export async function follow(jobId, each, signal) {
  let lastId = 0;
  let over = false;
  while (!over && !signal.aborted) {
    try {
      await events(
        `/v1/jobs/${encodeURIComponent(jobId)}/events`,
        (event) => {
          lastId = event.id ?? lastId;
          over ||= ended(event.name);
          if (!signal.aborted) each(event);
        },
        { lastId, signal },
      );
    } catch (error) {
      if (error instanceof Problem && error.status >= 400 && error.status < 500) return; // the job is gone, or not ours
    }
    if (!over && !signal.aborted) await pause(signal); // the line broke
  }
}

function pause(signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, PAUSE_MS);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}
