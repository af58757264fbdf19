// All calls to the server: every one carries the key, and every failure is a Problem with the server's own words.

const KEY = "pagemill.key";
const GONE = "the server cannot be reached";
let asking = null; // one question for a key at a time
let askForKey = async () => false;

/** What the server says when it refuses (RFC 9457). */
export class Problem extends Error {
  constructor(status, body) {
    super(body.detail || body.title || `the server answered ${status}`);
    this.status = status;
    this.code = body.code || "unknown";
    this.jobId = body.job_id || null;
  }
}

export const key = () => sessionStorage.getItem(KEY) || "";

export function setKey(text) {
  if (text) sessionStorage.setItem(KEY, text);
  else sessionStorage.removeItem(KEY);
}

/** `ask()` resolves to true once the person gave another key. */
export function onKeyWanted(ask) {
  askForKey = ask;
}

export const headers = () => (key() ? { "X-API-Key": key() } : {});

/** The answer to a call that went well; one that lacks a key is made again after the person gave one. */
export async function call(path, options = {}) {
  const answer = await fetch(path, { ...options, headers: { ...options.headers, ...headers() } }).catch((error) => {
    throw error.name === "AbortError" ? error : new Problem(0, { detail: GONE });
  });
  if (answer.ok) return answer;
  if (answer.status === 401 && (await keyGiven())) return call(path, options);
  throw await problem(answer);
}

export const json = async (path, options) => (await call(path, options)).json();

async function problem(answer) {
  const body = await answer.json().catch(() => ({}));
  return new Problem(answer.status, body);
}

function keyGiven() {
  asking ??= askForKey().finally(() => (asking = null));
  return asking;
}

/** Server-sent events of one answer: `each(event)` with name, data (parsed) and id. Resolves when the stream ends. */
export async function events(path, each, { lastId = null, ...options } = {}) {
  const more = lastId === null ? {} : { "Last-Event-ID": String(lastId) };
  const answer = await call(path, { ...options, headers: { ...options.headers, ...more } });
  if (answer.status === 204) return; // nothing has happened since, and nothing will
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let left = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (left + value).split(/\r?\n\r?\n/);
    left = parts.pop();
    for (const part of parts) {
      const event = parsed(part);
      if (event) each(event);
    }
  }
}

function parsed(text) {
  const event = { name: "message", data: "", id: null };
  for (const line of text.split(/\r?\n/)) {
    const colon = line.indexOf(":");
    if (colon < 1) continue; // a comment is a sign of life
    const value = line.slice(colon + 1).replace(/^ /, "");
    const field = line.slice(0, colon);
    if (field === "event") event.name = value;
    else if (field === "id") event.id = Number(value);
    else if (field === "data") event.data += value;
  }
  return event.data ? { ...event, data: JSON.parse(event.data) } : null;
}

/** One form by POST, with `progress(share)` of the bytes that are sent; fetch cannot tell that. */
export function upload(path, form, progress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", path);
    request.responseType = "json";
    for (const [name, value] of Object.entries(headers())) request.setRequestHeader(name, value);
    request.upload.onprogress = (told) => told.lengthComputable && progress(told.loaded / told.total);
    request.onerror = () => reject(new Problem(0, { detail: GONE }));
    request.onload = async () => {
      if (request.status < 300) resolve(request.response);
      else if (request.status === 401 && (await keyGiven())) upload(path, form, progress).then(resolve, reject);
      else reject(new Problem(request.status, request.response || {}));
    };
    request.send(form);
  });
}

/** A picture as an address of this page; to be given back by `URL.revokeObjectURL`. */
export async function picture(path, options) {
  return URL.createObjectURL(await (await call(path, options)).blob());
}

/** Let the browser keep an answer as a file. */
export async function download(path, name) {
  const address = URL.createObjectURL(await (await call(path)).blob());
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
