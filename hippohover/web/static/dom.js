// Elements from values: texts are set as texts, so nothing of a corpus is ever read as HTML.

export const $ = (id) => document.getElementById(id);

const SVG = "http://www.w3.org/2000/svg";

function build(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export const h = (tag, attributes = {}, ...children) =>
  build(document.createElement(tag), attributes, children);

export const svg = (tag, attributes = {}, ...children) =>
  build(document.createElementNS(SVG, tag), attributes, children);

export const number = (value) => value.toLocaleString("en");

export const counted = (n, one, many = `${one}s`) => `${number(n)} ${n === 1 ? one : many}`;

// The words for where something stands, leading there if there is a way.
export function cited(words, link) {
  const told = h("bdi", {}, words || "(untitled)");
  return link ? h("a", { href: link, target: "_blank", rel: "noopener noreferrer" }, told) : told;
}

// A passage by its title, and by its part of the document from the second on.
export const titled = (title, part = 1) =>
  (title || "(untitled)") + (part > 1 ? ` (part ${part})` : "");

// A text with the stretches of spans marked; they count characters as Python does: code points.
export function marked(text, spans, code = []) {
  const letters = Array.from(text);
  const parts = [];
  let at = 0;
  for (const [start, stop] of spans) {
    parts.push(...coded(letters, at, start, code), h("mark", {}, ...coded(letters, start, stop, code)));
    at = stop;
  }
  return [...parts, ...coded(letters, at, letters.length, code)];
}

// A stretch of a text, with what is code in it set as such.
export function coded(letters, from, to, code) {
  const parts = [];
  let at = from;
  for (const [start, stop] of code) {
    const [first, last] = [Math.max(start, at), Math.min(stop, to)];
    if (first >= last) continue;
    parts.push(...bold(letters.slice(at, first).join("")), h("code", {}, letters.slice(first, last).join("")));
    at = last;
  }
  return [...parts, ...bold(letters.slice(at, to).join(""))].filter((part) => part !== "");
}

// Markdown's bold words as such.
const bold = (text) => text.split(/\*\*([^*\n]+)\*\*/u).map((part, i) => (i % 2 ? h("strong", {}, part) : part));

export function cut(text, longest) {
  const line = text.trim().replace(/\s+/gu, " ");
  const letters = Array.from(line);
  return letters.length <= longest ? line : `${letters.slice(0, longest - 1).join("")}…`;
}
