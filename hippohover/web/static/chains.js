// Chains of evidence: the passages that carry a question together, and the words that join them.

import { cited, counted, h, marked, titled } from "./dom.js";
import { cardOf, show } from "./passages.js";
import { graph } from "./walk.js";

const JOINS = {
  mention: "names it", link: "links to it", key: "same value", name: "both name", series: "follows it",
  document: "same document", claim: "asked for together",
};

// The best chain as cards in a row, the graph of all, and the weaker ones; null without any.
export function chainsSection({ chains, seconds, passages }) {
  if (!chains?.length || !passages.length) return null;
  const [first, ...others] = chains;
  const n = first.passages.length;
  return h("section", { class: "evidence-box" },
    h("h2", {}, "Evidence"),
    h("p", { class: "hint" }, `${counted(n, "passage")} that ${n > 1 ? "carry" : "carries"} `
      + `${Math.round(100 * first.coverage)} % of what was asked, in ${(1000 * seconds).toFixed(0)} ms, `
      + "without a language model."),
    row(first, passages),
    others.length ? h("details", {},
      h("summary", {}, `Weaker chains (${others.length})`), ...others.map((one) => row(one, passages))) : null,
    chains.some((one) => one.passages.length > 1) ? h("details", { class: "together" },
      h("summary", {}, "How the documents hang together"), drawn(chains)) : null,
  );
}

function row(chain, passages) {
  const items = chain.passages.flatMap((one, at) => [
    ...(at ? [joint(chain, at)] : []),
    link(one, passages.find((passage) => passage.pid === one.pid), chain, at),
  ]);
  return h("ol", { class: "chain", "aria-label": chain.summary }, ...items);
}

// What joins a passage to an earlier one: a sign, and the words.
function joint({ joins, passages }, at) {
  const { kind, words, start, forward } = joins[at - 1];
  const sign = !["mention", "link"].includes(kind) ? "=" : forward ? "→" : "←";
  const from = start === at - 1 ? "" : ` (from ${titled(passages[start].title, passages[start].part)})`;
  return h("li", { class: "joint" },
    h("span", { class: "sign", "aria-hidden": "true" }, sign),
    h("span", { class: "hint" }, JOINS[kind] ?? kind, words ? ": " : "", words ? h("bdi", {}, words) : null, from));
}

function link(one, passage, { joins }, at) {
  const said = one.sentence || Array.from(passage?.text ?? "").slice(...(passage?.highlights[0] ?? [0, 0])).join("");
  const told = new Set([said, ...joins.filter((join, i) =>
    (join.forward ? join.start === at : i + 1 === at)).map((join) => join.sentence)]);
  const title = h("bdi", {}, titled(one.title, one.part));
  const card = () => { const found = cardOf(one.pid); if (found) show(found); };
  return h("li", { class: "link" },
    h("h3", {}, passage ? h("button", { type: "button", class: "plain", onclick: card }, title) : title),
    one.citation !== one.title ? h("p", { class: "source" }, cited(one.citation, passage?.link)) : null,
    ...[...told].filter(Boolean).map((sentence) => h("p", { class: "said", dir: "auto" },
      ...marked(sentence, wordSpans(sentence, one.answers)))),
    one.answers.length ? h("p", { class: "hint" }, "answers: ", h("bdi", {}, one.answers.join(", "))) : null);
}

// Where a sentence has the words of the question, in code points; short words say little.
function wordSpans(sentence, answers) {
  const words = answers.flatMap((one) => one.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
  const wanted = new Set(words.filter((word) => word.length > 3 || /\p{N}|[^\p{ASCII}]/u.test(word)));
  return [...sentence.matchAll(/[\p{L}\p{N}]+/gu)].filter(([word]) => wanted.has(word.toLowerCase()))
    .map(({ 0: word, index }) => {
      const start = Array.from(sentence.slice(0, index)).length;
      return [start, start + Array.from(word).length];
    });
}

// One graph for the whole answer: the best chain is thick.
function drawn(chains) {
  const nodes = [{ name: "the question", part: 1, kind: "claim", is_target: false, layer: 0, place: 0 }];
  const edges = [];
  const at = new Map();
  const places = [1];
  for (const [number, chain] of chains.entries()) {
    const own = chain.passages.map((one, i) => {
      if (!at.has(one.pid)) {
        const layer = i ? nodes[at.get(chain.passages[chain.joins[i - 1].start].pid)].layer + 1 : 1;
        places[layer] = (places[layer] ?? 0) + 1;
        at.set(one.pid, nodes.length);
        nodes.push({ name: one.title, part: one.part, kind: "passage", is_target: number === 0 && i + 1 === chain.passages.length,
          layer, place: places[layer] - 1 });
      }
      return at.get(one.pid);
    });
    const add = (start, end, types, label) => {
      if (!edges.some((one) => one.start === start && one.end === end)) {
        edges.push({ start, end, types, label, facts: [], is_strong: number === 0 });
      }
    };
    add(0, own[0], [chain.passages[0].is_named ? "mention" : "passage"], "");
    chain.joins.forEach((join, i) => add(own[join.start], own[i + 1], [join.kind], join.words));
  }
  const wayTo = (title, part) => {
    const one = chains.flatMap(({ passages }) => passages).find((p) => (p.title || "(untitled)") === title && p.part === part);
    const card = one && cardOf(one.pid);
    return card && (() => show(card));
  };
  return h("div", { class: "walk-scroll", tabindex: "0", role: "group", "aria-label": "Graph of the chains" },
    graph({ nodes, edges }, wayTo));
}
