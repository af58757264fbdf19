// Tables as HTML elements, and as HTML and TSV for copying.

import { h } from "../base/dom.js";
import { elementsOfText, struckText } from "./marked_text.js";

/** Rows of the cells that begin there; places that no cell takes are null. */
function rowsOf({ cells, num_rows: numRows, num_columns: numColumns }) {
  const covered = new Set();
  const first = new Map();
  for (const cell of cells) {
    first.set(`${cell.row} ${cell.column}`, cell);
    for (let row = cell.row; row < cell.row + cell.num_rows; row += 1) {
      for (let column = cell.column; column < cell.column + cell.num_columns; column += 1) covered.add(`${row} ${column}`);
    }
  }
  const columns = Array.from({ length: numColumns }, (_, column) => column);
  return Array.from({ length: numRows }, (_, row) =>
    columns.map((column) => `${row} ${column}`).filter((at) => first.has(at) || !covered.has(at)).map((at) => first.get(at) ?? null),
  );
}

/** `cellText(text, struck)` gives the children of a cell, of which these ranges are struck out. */
export function tableElement(table, cellText = (text, struck) => elementsOfText(text, [], struck)) {
  const rows = rowsOf(table).map((cells, row) => h("tr", {}, cells.map((cell) => cellElement(cell, row < table.num_header_rows, cellText))));
  const head = table.num_header_rows ? h("thead", {}, rows.slice(0, table.num_header_rows)) : null;
  return h("table", {}, head, h("tbody", {}, rows.slice(table.num_header_rows)));
}

function cellElement(cell, isHeader, cellText) {
  if (!cell) return h("td");
  const attributes = { rowspan: cell.num_rows > 1 ? cell.num_rows : null, colspan: cell.num_columns > 1 ? cell.num_columns : null };
  const element = h(isHeader && cell.text ? "th" : "td", attributes, cellText(cell.text, cell.struck));
  element.dataset.cell = [cell.row, cell.column, cell.num_rows, cell.num_columns].join(" ");
  return element;
}

/** For a clipboard: tags and text alone. */
export function tableHtml(table) {
  const element = tableElement(table);
  for (const cell of element.querySelectorAll("[data-cell]")) cell.removeAttribute("data-cell");
  return new XMLSerializer().serializeToString(element).replace(' xmlns="http://www.w3.org/1999/xhtml"', "");
}

/** One line per row, one tab per column; a merged cell says its own once. */
export function tableTsv({ cells, num_rows: numRows, num_columns: numColumns }) {
  const grid = Array.from({ length: numRows }, () => Array(numColumns).fill(""));
  for (const { row, column, text, struck } of cells) {
    if (grid[row]) grid[row][column] = struckText(text, struck).replace(/\s+/g, " ").trim();
  }
  return grid.map((row) => row.join("\t")).join("\n");
}
