// Writes places in Office files for people (Sheet1!B3:F40, slide 3), and compares them.

/** As `Sheet1!B3:F40`, `slide 3, Title 1`, `body/p[12] under “Numbers”`. */
export function where(place) {
  return [...(place.inside ?? []), within(place)].filter(Boolean).join(" › ");
}

function within(place) {
  switch (place.kind) {
    case "document":
      return `${place.page ? `page ${place.page}, ` : ""}${place.path}${place.heading ? ` under “${place.heading}”` : ""}`;
    case "slide":
      return `slide ${place.slide}, ${place.shape || place.part || "slide"}`;
    case "sheet":
      return [place.sheet, place.range].filter(Boolean).join("!");
    case "element":
      return [place.chapter || place.file, place.path].filter(Boolean).join(", ");
    case "lines":
      return place.first === place.last ? `line ${place.first}` : `lines ${place.first}–${place.last}`;
    case "mail":
      return `part ${place.part}${place.path ? `, ${place.path}` : place.first ? `, lines ${place.first}–${place.last}` : ""}`;
    default:
      return place.kind;
  }
}

/** Whether `inner` is `outer` or a part of it. */
export function standsIn(outer, inner) {
  if (!outer || !inner || outer.kind !== inner.kind) return false;
  if (JSON.stringify(outer.inside ?? []) !== JSON.stringify(inner.inside ?? [])) return false;
  switch (outer.kind) {
    case "document":
      return outer.path === inner.path || (typeof inner.path === "string" && inner.path.startsWith(`${outer.path}/`));
    case "slide":
      return outer.slide === inner.slide && outer.shape_id === inner.shape_id && outer.shape === inner.shape && (outer.part ?? "slide") === (inner.part ?? "slide");
    case "sheet":
      return outer.sheet === inner.sheet && (outer.range ?? "") !== "" && overlaps(outer.range, inner.range ?? "");
    case "element":
      if (outer.file !== inner.file || outer.path !== inner.path) return false;
      return !outer.end || ((inner.start ?? 0) < outer.end && (inner.end ?? 0) >= (outer.start ?? 0));
    case "lines":
      return outer.first <= inner.last && inner.first <= outer.last;
    default:
      return outer.part === inner.part && outer.path === inner.path && outer.first === inner.first;
  }
}

/** The place of cells of a table that has this place; null: cells of this kind of file have none of their own. */
export function cellPlace(place, row, column, numRows, numColumns) {
  if (place?.kind === "document") return { ...place, path: `${place.path}/tr[${row + 1}]/tc[${column + 1}]` };
  if (place?.kind !== "sheet" || !place.range) return null;
  const first = cell(place.range.split(":")[0]);
  if (!first) return null;
  const name = (at) => `${letters(first.column + at.column)}${first.row + at.row}`;
  const last = { row: row + numRows - 1, column: column + numColumns - 1 };
  return { ...place, range: `${name({ row, column })}:${name(last)}` };
}

const letters = (column) => (column > 26 ? letters(Math.floor((column - 1) / 26)) : "") + String.fromCharCode(65 + ((column - 1) % 26));

function overlaps(range, otherRange) {
  const a = corners(range);
  const b = corners(otherRange);
  return Boolean(a && b) && a.left <= b.right && b.left <= a.right && a.top <= b.bottom && b.top <= a.bottom;
}

function corners(range) {
  if (typeof range !== "string") return null; // a place may come from an address
  const [first, last = first] = range.split(":").map(cell);
  return first && last ? { left: first.column, top: first.row, right: last.column, bottom: last.row } : null;
}

function cell(name) {
  const parts = /^([A-Z]{1,3})(\d{1,9})$/.exec(name);
  if (!parts) return null;
  return { column: [...parts[1]].reduce((sum, letter) => 26 * sum + letter.charCodeAt(0) - 64, 0), row: Number(parts[2]) };
}
