// One job that is followed: its events come in order, each once, and go on where they were when the line breaks.

import { events, Problem } from "./api.js";

const PAUSE_MS = 1000;
const ENDS = new Set(["succeeded", "partial", "failed", "cancelled"]);

export const ended = (status) => ENDS.has(status);

/**
 * Calls `each(event)` until the job has ended, `signal` aborts, or the server refuses. Of `regions`, which are not kept,
 * a line that breaks is taken up by what is known then.
 */
export async function follow(jobId, each, signal, what = "events") {
  let lastId = 0;
  let over = false;
  while (!over && !signal.aborted) {
    try {
      await events(
        `/v1/jobs/${encodeURIComponent(jobId)}/${what}`,
        (event) => {
          lastId = event.id ?? lastId;
          over ||= ended(event.name);
          if (!signal.aborted) each(event);
        },
        { lastId, signal },
      );
      over ||= what !== "events"; // ends with the job, in good order
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
