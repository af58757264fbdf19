// Follows a job's event stream, and resumes when the connection breaks.

import { events, Problem } from "../base/api.js";

const PAUSE_MS = 1000;
const FINAL = new Set(["succeeded", "partial", "failed", "cancelled"]);

export const hasEnded = (status) => FINAL.has(status);

/**
 * Calls `onEvent(event)` until the job has ended, `signal` aborts, or the server refuses. Of the stream `regions`, which the
 * server does not keep, a connection that breaks goes on with what is known then.
 */
export async function follow(jobId, onEvent, signal, stream = "events") {
  let lastId = 0;
  let isOver = false;
  while (!isOver && !signal.aborted) {
    try {
      await events(
        `/v1/jobs/${encodeURIComponent(jobId)}/${stream}`,
        (event) => {
          lastId = event.id ?? lastId;
          isOver ||= hasEnded(event.name);
          if (!signal.aborted) onEvent(event);
        },
        { lastId, signal },
      );
      isOver ||= stream !== "events"; // ends with the job, in good order
    } catch (error) {
      if (error instanceof Problem && error.status >= 400 && error.status < 500) return; // the job is gone, or not ours
    }
    if (!isOver && !signal.aborted) await pause(signal); // the connection broke
  }
}

function pause(signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, PAUSE_MS);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}
