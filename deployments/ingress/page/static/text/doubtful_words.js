// Marks words in the text that OCR is unsure of.

import { h } from "../base/dom.js";
import { count } from "../base/display_names.js";

const DOUBTFUL = 0.85; // words that are less likely right are marked
const FAR = 400; // characters between a word's place by the order of reading and where it stands in the text

/** Every word that OCR read in a region, with its confidence, in the order of reading. */
function wordsOf(region) {
  return region.spans.flatMap((span) => {
    const words = span.text.split(/\s+/).filter(Boolean);
    return words.map((word, index) => ({ word, confidence: span.word_confidences?.[index] ?? 1 }));
  });
}

const isDoubtful = ({ confidence }) => confidence < DOUBTFUL;

export const numDoubtful = (region) => wordsOf(region).filter(isDoubtful).length;

const percent = (confidence) => `OCR's confidence: ${Math.min(99, Math.floor(100 * confidence))} %`;

/** Mark the doubtful words of a region in the element that shows its text. */
export function markDoubts(element, region) {
  const words = wordsOf(region);
  if (!words.some(isDoubtful)) return;
  const text = element.textContent;
  const ranges = [];
  let from = 0;
  for (const entry of words) {
    let start = text.indexOf(entry.word, from);
    if (start < 0 || start - from > FAR) start = isDoubtful(entry) ? text.indexOf(entry.word) : -1;
    if (start < 0) continue;
    if (isDoubtful(entry)) ranges.push({ start, end: start + entry.word.length, confidence: entry.confidence });
    if (start >= from) from = start + entry.word.length;
  }
  const free = ranges.sort((one, other) => one.start - other.start).filter((range, index, all) => index === 0 || range.start >= all[index - 1].end);
  wrap(element, free, ({ confidence }) => h("mark", { className: "doubt", title: percent(confidence) }));
}

/** Put what stands within each range of an element's text, in order and apart, into a new element; ranges across elements stay. */
export function wrap(element, ranges, make) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const nodes = [];
  for (let start = 0, node = walker.nextNode(); node; node = walker.nextNode()) {
    nodes.push({ node, start, end: start + node.length });
    start += node.length;
  }
  let at = nodes.length - 1;
  for (const range of [...ranges].reverse()) {
    while (at > 0 && nodes[at].start > range.start) at -= 1;
    const item = nodes[at];
    if (!item || range.start < item.start || range.end > item.end) continue;
    const rest = item.node.splitText(range.start - item.start);
    rest.splitText(range.end - range.start);
    const wrapper = make(range);
    rest.replaceWith(wrapper);
    wrapper.append(rest);
    item.end = range.start;
  }
}

/** Lines of a region that could not be read, with what they may say. */
export function unreadLines({ unreadable }) {
  if (!unreadable.length) return "";
  const lines = unreadable.map(({ guess, confidence }) => h("mark", { className: "doubt", title: percent(confidence) }, guess));
  return h("p", { className: "faint doubts" }, `Not read (${count(unreadable.length, "line")}), perhaps: `, ...lines.flatMap((line) => [line, " "]));
}
