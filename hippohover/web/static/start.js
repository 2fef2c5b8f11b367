// Before anything is asked: what is in the index, and questions that its links answer.

import { counted, h } from "./dom.js";

const about = (title) => `What is ${title}?`;

const buttons = (words, asked, ask) => h("ul", { class: "examples" }, ...words.map((one) =>
  h("li", {}, h("button", { type: "button", class: "quiet", onclick: () => ask(asked(one)) },
    h("bdi", {}, one)))));

export function startSection({ titles, questions }, held, ask) {
  const list = (name, words, asked) => (words.length
    ? [h("h2", {}, name), buttons(words, asked, ask)] : []);
  return [
    h("p", { class: "hint" }, `This index has ${held}. Write a question or a claim, `
      + "or start with one of these."),
    ...list("Questions that need two documents", questions, (one) => one),
    ...list("Mentioned most often", titles, about),
  ];
}

export function themesSection({ largest, n_alone: nAlone }, ask) {
  if (largest.length < 2) return [];
  return [
    h("h2", {}, "Themes"),
    h("p", { class: "hint" }, "Groups of documents that name each other, largest first."
      + (nAlone ? ` In no group: ${counted(nAlone, "document")}.` : "")),
    ...largest.flatMap((theme) => [
      h("p", { class: "theme" }, counted(theme.n_documents, "document"),
        ...(theme.names.length ? [" with ", h("bdi", {}, theme.names.join(", "))] : [])),
      buttons(theme.titles, about, ask),
    ]),
  ];
}
