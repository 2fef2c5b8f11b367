// Before anything is asked: what is in the index, and questions that its links answer.

import { counted, h } from "./dom.js";

export function startSection({ titles, questions }, nPassages, ask) {
  const list = (name, words, asked) => (words.length ? [
    h("h2", {}, name),
    h("ul", { class: "examples" }, ...words.map((one) =>
      h("li", {}, h("button", { type: "button", class: "quiet", onclick: () => ask(asked(one)) },
        h("bdi", {}, one))))),
  ] : []);
  return [
    h("p", { class: "hint" }, `${counted(nPassages, "passage")} to ask. Write a question or a claim, or `
      + "begin with one of these."),
    ...list("Questions over two documents", questions, (one) => one),
    ...list("Named most often", titles, (one) => `What is ${one}?`),
  ];
}
