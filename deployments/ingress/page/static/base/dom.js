// Helpers that create HTML elements; document text always becomes text nodes, never markup (XSS).

const PROPERTIES = new Set(["className", "textContent", "value", "hidden", "disabled", "tabIndex", "checked", "open", "src", "href"]);

/** An element with properties, listeners (`onclick`), attributes and children (strings, elements, null). */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (PROPERTIES.has(name)) element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** The element of this id, which the page has. */
export const byId = (id) => document.getElementById(id);

/** A button that submits nothing. */
export const button = (text, onclick, attributes = {}) => h("button", { type: "button", className: "plain", onclick, ...attributes }, text);

/** Tell a screen reader. */
export function announce(text) {
  byId("announcements").textContent = text;
}

/** Where a box of points stands on a page of that size, in percent, by the style's own object: no style attribute. */
export function place(element, box, [width, height]) {
  element.style.left = `${(100 * box.x0) / width}%`;
  element.style.top = `${(100 * box.y0) / height}%`;
  element.style.width = `${(100 * (box.x1 - box.x0)) / width}%`;
  element.style.height = `${(100 * (box.y1 - box.y0)) / height}%`;
  return element;
}
