// Before anything is asked: what is in the index, and questions that its links answer.

import { counted, h } from "./dom.js";

const aboutTitle = (title) => `What is ${title}?`;
const aboutName = (name) => `What about ${name}?`; // it may be somebody's

const buttons = (words, asked, ask) => h("ul", { class: "examples" }, ...words.map((one) =>
  h("li", {}, h("button", { type: "button", class: "quiet", onclick: () => ask(asked(one)) },
    h("bdi", {}, one)))));

export function startSection({ titles, names, questions }, held, ask) {
  const list = (name, words, asked) => (words.length
    ? [h("h2", {}, name), buttons(words, asked, ask)] : []);
  return [
    h("p", { class: "hint" }, `This index has ${held}. Write a question or a claim, `
      + "or start with one of these."),
    ...list("Questions that need two documents", questions, (one) => one),
    ...list("Mentioned most often", titles, aboutTitle),
    ...list("Mentioned most often", titles.length ? [] : names, aboutName),
  ];
}

export function themesSection({ largest: every, n_alone: nAlone }, ask) {
  const largest = every.filter(({ titles, names }) => titles.length || names.length);
  if (largest.length < 2) return [];
  return [
    h("h2", {}, "Themes"),
    h("p", { class: "hint" }, "Groups of documents that name each other, largest first."
      + (nAlone ? ` In no group: ${counted(nAlone, "document")}.` : "")),
    ...largest.flatMap(({ n_documents: n, titles, names }) => [
      h("p", { class: "theme" }, counted(n, "document"),
        ...(titles.length && names.length ? [" with ", h("bdi", {}, names.join(", "))] : [])),
      titles.length ? buttons(titles, aboutTitle, ask) : buttons(names, aboutName, ask),
    ]),
  ];
}
