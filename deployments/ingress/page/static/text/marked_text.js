// Text as elements, line by line: words that lead to an address are links, struck-out words are struck.

import { h } from "../base/dom.js";

const SAFE = /^(?:https?:\/\/|mailto:)\S/i;

/** The lines of a text, each in runs of characters that lead to the same address and are struck out or not. */
export function markedLines(text, links = [], struck = []) {
  const characters = [...text]; // offsets count code points
  const uris = Array(characters.length).fill(null);
  const isStruck = Array(characters.length).fill(false);
  let end = 0;
  for (const link of links) {
    const start = placeOf(link, text, characters, end);
    if (start < 0 || !link.text || !SAFE.test(link.uri)) continue;
    end = start + [...link.text].length;
    uris.fill(link.uri, start, end);
  }
  for (const words of struck) isStruck.fill(true, words.start, words.end);
  const lines = [[]];
  characters.forEach((character, at) => {
    const last = lines.at(-1).at(-1);
    if (character === "\n") lines.push([]);
    else if (last && last.uri === uris[at] && last.struck === isStruck[at]) last.text += character;
    else lines.at(-1).push({ text: character, uri: uris[at], struck: isStruck[at] });
  });
  return lines;
}

/** Where a link begins; one without a place begins where its words stand next, -1 if nowhere. */
function placeOf(link, text, characters, end) {
  const length = [...link.text].length;
  if (link.start >= end && characters.slice(link.start, link.start + length).join("") === link.text) return link.start;
  const at = text.indexOf(link.text, characters.slice(0, end).join("").length);
  return at < 0 ? -1 : [...text.slice(0, at)].length;
}

/** The runs of a line as elements and text. */
export function elementsOf(line) {
  return line.map(({ text, uri, struck }) => {
    const outside = { href: uri, target: "_blank", rel: "noopener noreferrer nofollow" };
    const words = uri ? h("a", outside, text) : text;
    return struck ? h("s", {}, words) : words;
  });
}

/** Text alone, what is struck out of it between `~~`. */
export function struckText(text, struck = []) {
  const shown = (run) => (run.struck && run.text.trim() ? `~~${run.text}~~` : run.text);
  return markedLines(text, [], struck).map((line) => line.map(shown).join("")).join("\n");
}

/** A text with its lines' ends. */
export function elementsOfText(text, links = [], struck = []) {
  return markedLines(text, links, struck).flatMap((line, number) => [number ? "\n" : null, ...elementsOf(line)]);
}
