// Where something stands in a file without printed pages: said for a person, and whether one place lies in another.

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
      return outer.path === inner.path || inner.path.startsWith(`${outer.path}/`);
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

function overlaps(one, other) {
  const [a, b] = [corners(one), corners(other)];
  return Boolean(a && b) && a.left <= b.right && b.left <= a.right && a.top <= b.bottom && b.top <= a.bottom;
}

function corners(range) {
  const [first, last = first] = range.split(":").map(cell);
  return first && last ? { left: first.column, top: first.row, right: last.column, bottom: last.row } : null;
}

function cell(name) {
  const found = /^([A-Z]{1,3})(\d{1,9})$/.exec(name);
  if (!found) return null;
  return { column: [...found[1]].reduce((sum, letter) => 26 * sum + letter.charCodeAt(0) - 64, 0), row: Number(found[2]) };
}
