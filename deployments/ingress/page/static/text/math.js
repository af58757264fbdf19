// Renders LaTeX formulas as MathML.

import { ALPHABET_OF, FUNCTIONS, IGNORED, INTEGRALS, inAlphabet, LARGE, LETTERS, LIMITS, OPERATORS, OVER, SPACES, UNDER } from "./math_symbols.js";

const MATHML = "http://www.w3.org/1998/Math/MathML";
const MAX_LENGTH = 5000; // characters
const MAX_DEPTH = 60;
const TOKEN = /\\[a-zA-Z]+\*?|\\[\s\S]|\d+(?:[.,]\d+)*|\s+|[\s\S]/gu;
const FENCES = { "\\{": "{", "\\}": "}", "\\|": "‖", "<": "⟨", ">": "⟩", ".": "" };
const MATRIX_FENCES = new Map(Object.entries({ pmatrix: ["(", ")"], bmatrix: ["[", "]"], Bmatrix: ["{", "}"], vmatrix: ["|", "|"], Vmatrix: ["‖", "‖"], cases: ["{", ""], matrix: ["", ""], smallmatrix: ["", ""], array: ["", ""] }));
const EQUATIONS = new Set(["aligned", "align", "alignedat", "split", "gather", "gathered", "eqnarray", "equation", "multline"]);

/** The formula as an element, with its LaTeX as the annotation; null: it cannot be set. */
export function formula(latex) {
  if (latex.length > MAX_LENGTH) return null;
  try {
    const body = new Parser(latex).whole();
    const source = m("annotation", [], { encoding: "application/x-tex" });
    source.textContent = latex;
    return m("math", [m("semantics", [row(body), source])], { display: "block" });
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function m(tag, children, attributes = {}) {
  const element = document.createElementNS(MATHML, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const row = (nodes) => (nodes.length === 1 ? nodes[0] : m("mrow", nodes));
const operator = (text, attributes = {}) => m("mo", [text], attributes);
const fence = (text) => operator(text, { fence: "true", stretchy: "true" });

class Parser {
  constructor(latex) {
    this.tokens = latex.replace(/%.*/g, "").match(TOKEN) ?? [];
    this.at = 0;
    this.depth = 0;
  }

  whole() {
    const nodes = this.#row(() => false);
    if (this.at < this.tokens.length) throw new SyntaxError("something is left over");
    return nodes;
  }

  #peek() {
    while (/^\s+$/.test(this.tokens[this.at] ?? "x")) this.at += 1;
    return this.tokens[this.at];
  }

  #next() {
    const token = this.#peek();
    if (token === undefined) throw new SyntaxError("the formula ends too early");
    this.at += 1;
    return token;
  }

  #row(isEnd) {
    this.depth += 1;
    if (this.depth > MAX_DEPTH) throw new SyntaxError("nested too deeply");
    const nodes = [];
    for (let token = this.#peek(); token !== undefined && !isEnd(token); token = this.#peek()) {
      if (token === "}" || token === "&" || token === "\\\\") throw new SyntaxError(`${token} out of place`);
      nodes.push(...this.#scripted());
    }
    this.depth -= 1;
    return nodes;
  }

  #group() {
    this.#next();
    const nodes = this.#row((token) => token === "}");
    if (this.#next() !== "}") throw new SyntaxError("a brace is missing");
    return nodes;
  }

  /** What a command takes: a group, or one symbol; of a number, one digit. */
  #argument() {
    const token = this.#peek() ?? "";
    if (token === "{") return row(this.#group());
    if (/^\d./.test(token)) this.tokens.splice(this.at, 1, token[0], ...token.slice(1).match(TOKEN));
    const nodes = this.#atom();
    if (nodes.length === 0) throw new SyntaxError("an argument is missing");
    return row(nodes);
  }

  /** The letters of a group as they stand. */
  #rawGroup() {
    if (this.#next() !== "{") throw new SyntaxError("a group is missing");
    let text = "";
    for (let depth = 1; ; ) {
      const token = this.tokens[this.at];
      if (token === undefined) throw new SyntaxError("a brace is missing");
      this.at += 1;
      depth += token === "{" ? 1 : token === "}" ? -1 : 0;
      if (depth === 0) return text;
      if (token !== "{" && token !== "}" && token !== "$") text += /^\\[^a-zA-Z]$/.test(token) ? token[1] : token === "~" ? " " : token;
    }
  }

  /** An atom with what stands above and below it. */
  #scripted() {
    const first = this.#peek();
    const nodes = ["^", "_"].includes(first) ? [m("mrow", [])] : this.#atom();
    if (nodes.length === 0) return nodes;
    const base = nodes.pop();
    let under = null;
    let over = null;
    for (let token = this.#peek(); token === "^" || token === "_" || token === "'" || IGNORED_SCRIPTS.has(token); token = this.#peek()) {
      this.#next();
      if (IGNORED_SCRIPTS.has(token)) continue;
      if (token === "'") over = over ? m("mrow", [over, operator("′")]) : operator("′");
      else if (token === "^") over = over ? m("mrow", [over, this.#argument()]) : this.#argument();
      else if (under) throw new SyntaxError("two subscripts");
      else under = this.#argument();
    }
    if (!under && !over) return [...nodes, base];
    const isLarge = base.getAttribute("data-limits") === "true";
    const [both, low, high] = isLarge ? ["munderover", "munder", "mover"] : ["msubsup", "msub", "msup"];
    const scripted = under && over ? m(both, [base, under, over]) : under ? m(low, [base, under]) : m(high, [base, over]);
    return [...nodes, scripted];
  }

  #atom() {
    const token = this.#next();
    if (token === "{") {
      this.at -= 1;
      return [row(this.#group())];
    }
    if (token.startsWith("\\")) return this.#command(token.slice(1), token);
    if (/^\d/.test(token)) return [m("mn", [token])];
    if (/^\p{L}/u.test(token)) return [m("mi", [token])];
    if (token === "~") return [m("mspace", [], { width: "0.25em" })];
    if (token === "$" || token === "#") throw new SyntaxError(`${token} out of place`);
    return [operator(token === "-" ? "−" : token === "*" ? "∗" : token, "()[]|".includes(token) ? { stretchy: "false" } : {})];
  }

  #command(name, token) {
    if (FENCES[token]) return [operator(FENCES[token], { stretchy: "false" })];
    if ("%$#&_".includes(name)) return [operator(name)];
    if (SPACES.has(name)) return [m("mspace", [], { width: SPACES.get(name) })];
    if (IGNORED.has(name)) return [];
    if (LETTERS.has(name)) return [m("mi", [LETTERS.get(name)])];
    if (OPERATORS.has(name)) return [operator(OPERATORS.get(name))];
    if (INTEGRALS.has(name)) return [operator(INTEGRALS.get(name), { largeop: "true" })];
    if (LARGE.has(name)) return [operator(LARGE.get(name), { largeop: "true", "data-limits": "true" })];
    if (LIMITS.has(name)) return [m("mi", [LIMITS.get(name)], { "data-limits": "true" })];
    if (FUNCTIONS.has(name)) return [m("mi", [name]), operator("\u2061")];
    if (OVER.has(name)) return [m("mover", [this.#argument(), operator(OVER.get(name))], name.endsWith("brace") ? { "data-limits": "true" } : { accent: "true" })];
    if (UNDER.has(name)) return [m("munder", [this.#argument(), operator(UNDER.get(name))], { "data-limits": "true" })];
    if (ALPHABET_OF.has(name)) return [inLetters(this.#argument(), ALPHABET_OF.get(name))];
    return this.#structure(name);
  }

  #structure(name) {
    switch (name) {
      case "frac": case "dfrac": case "tfrac": case "cfrac":
        return [m("mfrac", [this.#argument(), this.#argument()])];
      case "binom": case "dbinom":
        return [m("mrow", [fence("("), m("mfrac", [this.#argument(), this.#argument()], { linethickness: "0" }), fence(")")])];
      case "sqrt":
        return [this.#root()];
      case "text": case "textrm": case "textbf": case "textit": case "mbox": case "hbox": case "mathrm": case "operatorname": case "operatorname*": case "mathop":
        return [this.#words(name)];
      case "overset": case "stackrel": {
        const above = this.#argument();
        return [m("mover", [this.#argument(), above])];
      }
      case "underset": {
        const below = this.#argument();
        return [m("munder", [this.#argument(), below])];
      }
      case "not": {
        const negated = this.#argument();
        negated.append("\u0338");
        return [negated];
      }
      case "tag": case "tag*":
        return [m("mspace", [], { width: "2em" }), m("mtext", [`(${this.#rawGroup()})`])];
      case "label":
        this.#rawGroup();
        return [];
      case "left":
        return [this.#fenced()];
      case "middle":
        return [fence(this.#delimiter())];
      case "begin":
        return [this.#environment()];
      default:
        throw new SyntaxError(`\\${name} is not known`);
    }
  }

  #words(name) {
    if (name === "mathop") return this.#argument();
    const text = this.#rawGroup();
    if (text.includes("\\")) throw new SyntaxError("a command in words");
    if (name.startsWith("operatorname")) return m("mi", [text], name.endsWith("*") ? { "data-limits": "true" } : {});
    return name === "mathrm" ? m("mi", [text.trim()], { mathvariant: "normal" }) : m("mtext", [text.replace(/^ | $/g, "\u00a0")]);
  }

  #root() {
    if (this.#peek() !== "[") return m("msqrt", [this.#argument()]);
    this.#next();
    const index = row(this.#row((token) => token === "]"));
    this.#next();
    return m("mroot", [this.#argument(), index]);
  }

  #delimiter() {
    const token = this.#next();
    const text = FENCES[token] ?? OPERATORS.get(token.slice(1)) ?? (token.length === 1 ? token : null);
    if (text === null) throw new SyntaxError(`${token} is no fence`);
    return text;
  }

  #fenced() {
    const opening = this.#delimiter();
    const nodes = this.#row((token) => token === "\\right");
    this.#next();
    return m("mrow", [fence(opening), ...nodes, fence(this.#delimiter())]);
  }

  #environment() {
    const name = this.#rawGroup().replace("*", "");
    const fences = MATRIX_FENCES.get(name);
    if (!fences && !EQUATIONS.has(name)) throw new SyntaxError(`${name} is not known`);
    if (name === "array" || name === "alignedat") this.#rawGroup();
    const rows = [[]];
    for (;;) {
      rows.at(-1).push(m("mtd", [row(this.#row((token) => ["&", "\\\\", "\\end"].includes(token)))]));
      const end = this.#next();
      if (end === "\\\\") rows.push([]);
      else if (end === "\\end") break;
    }
    if (this.#rawGroup().replace("*", "") !== name) throw new SyntaxError(`${name} does not end`);
    const isEmpty = (cells) => cells.every((cell) => cell.textContent === "");
    if (isEmpty(rows.at(-1))) rows.pop();
    const table = m("mtable", rows.map((cells) => m("mtr", cells)), { class: EQUATIONS.has(name) ? "equations" : name });
    return fences?.[0] || fences?.[1] ? m("mrow", [fence(fences[0]), table, fences[1] ? fence(fences[1]) : ""]) : table;
  }
}

const IGNORED_SCRIPTS = new Set(["\\limits", "\\nolimits"]);

/** The letters within an element in another alphabet. */
function inLetters(element, alphabet) {
  const leaves = element.childElementCount ? element.querySelectorAll("mi, mn") : [element];
  for (const leaf of leaves) leaf.textContent = [...leaf.textContent].map((character) => inAlphabet(character, alphabet)).join("");
  return element;
}
