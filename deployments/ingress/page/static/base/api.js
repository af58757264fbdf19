// Calls to the server: adds the API key, and turns every failure into a Problem with the server's message.

const KEY = "pagemill.key";
const UNREACHABLE = "the server cannot be reached";
let keyPrompt = null; // one question for a key at a time
let askForKey = async () => false;

/** Why the server refused a call (RFC 9457). */
export class Problem extends Error {
  constructor(status, body) {
    super(body.detail || body.title || `the server answered ${status}`);
    this.status = status;
    this.code = body.code || "unknown";
  }
}

export const key = () => sessionStorage.getItem(KEY) || "";

export function setKey(text) {
  if (text) sessionStorage.setItem(KEY, text);
  else sessionStorage.removeItem(KEY);
}

/** `ask()` resolves to true once the person has entered another key. */
export function onKeyNeeded(ask) {
  askForKey = ask;
}

const headers = () => (key() ? { "X-API-Key": key() } : {});

/** The answer to a call that went well; one that lacks a key is made again after the person has entered one. */
export async function call(path, options = {}) {
  const answer = await fetch(path, { ...options, headers: { ...options.headers, ...headers() } }).catch((error) => {
    throw error.name === "AbortError" ? error : new Problem(0, { detail: UNREACHABLE });
  });
  if (answer.ok) return answer;
  if (answer.status === 401 && (await enterKey())) return call(path, options);
  throw new Problem(answer.status, await answer.json().catch(() => ({})));
}

export const json = async (path, options) => (await call(path, options)).json();

/** Options of a call that posts this as JSON. */
export const posted = (body, options = {}) => ({ ...options, method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" } });

function enterKey() {
  keyPrompt ??= askForKey().finally(() => (keyPrompt = null));
  return keyPrompt;
}

/** Server-sent events of one answer: `onEvent(event)` with name, data (parsed) and id. Resolves when the stream ends. */
export async function events(path, onEvent, { lastId = null, ...options } = {}) {
  const position = lastId === null ? {} : { "Last-Event-ID": String(lastId) };
  const answer = await call(path, { ...options, headers: { ...options.headers, ...position } });
  if (answer.status === 204) return; // no further events: the job has ended
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split(/\r?\n\r?\n/);
    rest = blocks.pop();
    for (const block of blocks) {
      const event = parsedEvent(block);
      if (event) onEvent(event);
    }
  }
}

function parsedEvent(block) {
  const event = { name: "message", data: "", id: null };
  for (const line of block.split(/\r?\n/)) {
    const colon = line.indexOf(":");
    if (colon < 1) continue; // a comment keeps the line open
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
    request.upload.onprogress = (event) => event.lengthComputable && progress(event.loaded / event.total);
    request.onerror = () => reject(new Problem(0, { detail: UNREACHABLE }));
    request.onload = async () => {
      if (request.status < 300) resolve(request.response);
      else if (request.status === 401 && (await enterKey())) upload(path, form, progress).then(resolve, reject);
      else reject(new Problem(request.status, request.response || {}));
    };
    request.send(form);
  });
}

/** A picture as an address of this page; to be released by `URL.revokeObjectURL`. */
export async function picture(path, options) {
  return URL.createObjectURL(await (await call(path, options)).blob());
}

/** Let the browser keep an answer as a file. */
export async function download(path, name) {
  save(await (await call(path)).blob(), name);
}

/** Let the browser keep a blob as a file. */
export function save(blob, name) {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
