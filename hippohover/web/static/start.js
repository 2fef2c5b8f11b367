// What is in the index: what to ask first, its themes, its names, and facts about itself.

import { get } from "./api.js";
import { counted, h, number } from "./dom.js";

const aboutTitle = (title) => `What is ${title}?`;
const aboutName = (name) => `What about ${name}?`; // it may be somebody's

const buttons = (words, asked, ask) => h("ul", { class: "examples" }, ...words.map((one) =>
  h("li", {}, h("button", { type: "button", class: "quiet", onclick: () => ask(asked(one)) },
    h("bdi", {}, one)))));

export function startSection({ titles, names, questions }, held, ask) {
  const list = (name, words, asked) => (words.length
    ? [h("h2", {}, name), buttons(words, asked, ask)] : []);
  return [
    h("p", { class: "hint" }, `This index has ${held}. Ask, and the documents that answer together come back `
      + "with the words that join them. Start with one of these:"),
    ...list("Questions that need two documents", questions, (one) => one),
    ...list("Mentioned most often", titles, aboutTitle),
    ...list("Mentioned most often", titles.length ? [] : names, aboutName),
  ];
}

// A large index tells no themes here, and a busy server none now: the view then does without.
export async function graphSection(place, facts, ask) {
  const about = h("details", { id: "about" }, h("summary", {}, "About this index"), facts);
  place.replaceChildren(h("p", { class: "hint" }, "Looking for themes …"), about);
  const told = await get("/v1/themes").then(
    (themes) => themesSection(themes, ask),
    (error) => { if (error.status === 401) throw error; return [h("p", { class: "hint" }, error.message)]; });
  place.replaceChildren(...told, about);
}

function themesSection({ largest: every, n_alone: nAlone }, ask) {
  const largest = every.filter(({ titles, names }) => titles.length || names.length);
  const alone = nAlone ? ` In no group: ${counted(nAlone, "document")}.` : "";
  return [
    h("h2", {}, "Themes"),
    h("p", { class: "hint" }, largest.length
      ? `Groups of documents that name each other, largest first.${alone}`
      : "No documents of this index form a group by naming each other."),
    ...largest.flatMap(({ n_documents: n, titles, names }) => [
      h("p", { class: "theme" }, counted(n, "document"),
        ...(titles.length && names.length ? [" with ", h("bdi", {}, names.join(", "))] : [])),
      titles.length ? buttons(titles, aboutTitle, ask) : buttons(names, aboutName, ask),
    ]),
  ];
}

export function factsOf(index) {
  const { n_documents, n_passages, n_entities, n_facts, n_edges } = index.counts;
  const models = Object.entries(index.models).map(([part, model]) =>
    `${part}: ${model.name ?? Object.values(model)[0]}`);
  const facts = {
    "Documents": number(n_documents), "Passages": number(n_passages), "Entities": number(n_entities),
    "Facts": number(n_facts), "Edges": number(n_edges), "On disk": size(index.n_bytes),
    "Version": index.version, "Recipe": `${index.recipe.name} ${index.recipe_sha256.slice(0, 12)}`,
    "Models": models.join(", ") || "none", "Fields to filter by": index.fields.join(", ") || "none",
    "Failures": failures(index), "Language model": index.language_model ?? "none",
    "Judge": index.judge ?? "rules only", "Package": index.package_version,
  };
  return h("dl", { id: "facts" }, ...Object.entries(facts).map(([name, value]) =>
    h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}

function failures({ n_not_read: nNotRead, n_failures: nFailed }) {
  const told = [
    nNotRead && `${counted(nNotRead, "file or record", "files or records")} not read`,
    nFailed && `${counted(nFailed, "passage")} that no facts could be read from`,
  ].filter(Boolean);
  return told.join(", ") || "none";
}

const size = (n) => (n < 1e6 ? `${number(Math.ceil(n / 1e3))} kB` : `${number(Math.round(n / 1e6))} MB`);
