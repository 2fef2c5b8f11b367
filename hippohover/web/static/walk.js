// The walk to a passage: a graph to look at, and the same paths as sentences.

import { cut, h, number, svg } from "./dom.js";

const COLUMN = 200;
const ROW = 76;
const BOX = { width: 146, height: 42 };

const KINDS = {
  claim: "the claim",
  entity: "entity",
  passage: "passage",
  target: "this passage",
};

const SEEDS = {
  mention: "named in the claim",
  passage: "shares words with the claim",
  fact: "in a fact close to the claim",
};

const EDGES = {
  title: "title: the passage is about it",
  mention: "mention: the passage names it",
  phrase: "phrase: the passage holds the phrase",
  source: "source: a fact of the passage names it",
  fact: "fact: one sentence joins the two",
  synonymy: "synonymy: names that are alike",
};

export function walkFigure(explanation, onPassage) {
  const { drawing, paths } = explanation;
  if (!paths.length) {
    return h("p", { class: "hint" }, `No short path to draw: ${explanation.reason}`);
  }
  const counted = paths.some((path) => path.share > 0);
  return h(
    "figure",
    { class: "walk" },
    h("div", { class: "walk-scroll", tabindex: "0", role: "group", "aria-label": "Graph of the walk" },
      graph(drawing, onPassage)),
    legend(drawing),
    h(
      "figcaption",
      {},
      counted ? "Strongest paths, with their share of the passage's score in the walk:"
        : "Paths, too faint to be counted:",
      h("span", { class: "hint" }, " A → B: A names B; A ← B: B names A; =: a fact or a name joins them."),
      h("ol", { class: "paths" }, ...paths.map((path) => pathLine(path, counted))),
      explanation.reason ? h("p", {}, explanation.reason) : null,
    ),
    seedsList(explanation.seeds),
  );
}

function pathLine(path, counted) {
  const facts = path.edges.flatMap((edge) => edge.facts).map((words) => words.join(" | "));
  return h(
    "li",
    { dir: "auto" },
    counted ? h("strong", {}, `${(100 * path.share).toFixed(1)} %  `) : null,
    h("span", { title: path.sentence }, path.summary),
    ...[...new Set(facts)].map((fact) => h("div", { class: "fact" }, fact)),
  );
}

function seedsList(seeds) {
  const shown = seeds.slice(0, 8);
  return h(
    "details",
    {},
    h("summary", {}, `Seeds of the walk (${number(seeds.length)})`),
    h("ul", { class: "seeds" }, ...shown.map((seed) =>
      h("li", { dir: "auto" }, `${(100 * seed.mass).toFixed(1)} %  ${seed.label} `,
        h("span", { class: "hint" }, `(${SEEDS[seed.kind] ?? seed.kind})`)))),
  );
}

function graph(drawing, onPassage) {
  const nLayers = 1 + Math.max(...drawing.nodes.map((node) => node.layer));
  const nRows = 1 + Math.round(2 * Math.max(...drawing.nodes.map((node) => node.place)));
  const [width, height] = [nLayers * COLUMN, nRows * ROW];
  const at = drawing.nodes.map((node) => ({
    x: (node.layer + 0.5) * COLUMN,
    y: height / 2 + node.place * ROW,
  }));
  return svg(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, width, height, role: "group", "aria-label":
      `${drawing.nodes.length} nodes and ${drawing.edges.length} edges, from the claim on the left` },
    ...drawing.edges.map((edge) => edgeLine(edge, drawing, at)),
    ...drawing.nodes.map((node, i) => nodeBox(node, at[i], onPassage)),
    ...drawing.edges.map((edge) => edgeLabel(edge, drawing, at)),
  );
}

function nodeBox(node, { x, y }, onPassage) {
  const kind = node.is_target ? "target" : node.kind;
  const name = node.name || "(untitled)";
  const opens = node.kind === "passage" && !node.is_target;
  return svg(
    "g",
    {
      class: `node ${kind}`, tabindex: "0", role: opens ? "button" : "img",
      "aria-label": `${KINDS[kind]}: ${name}${opens ? ", go to it in the ranking" : ""}`,
      onclick: opens ? () => onPassage(name) : null,
      onkeydown: opens ? (event) => {
        if (event.key === "Enter" || event.key === " ") {
          event.preventDefault();
          onPassage(name);
        }
      } : null,
    },
    svg("title", {}, `${KINDS[kind]}: ${name}`),
    svg("rect", { x: x - BOX.width / 2, y: y - BOX.height / 2, ...BOX,
      rx: node.kind === "passage" ? 5 : BOX.height / 2 }),
    svg("text", { x, y: y + 4 }, cut(name, 20)),
  );
}

const over = (edge, drawing, at) =>
  Math.abs(drawing.nodes[edge.end].layer - drawing.nodes[edge.start].layer) > 1
  && at[edge.start].y === at[edge.end].y;

function edgeLine(edge, drawing, at) {
  const [from, to] = [at[edge.start], at[edge.end]];
  const half = (to.x > from.x ? 1 : -1) * BOX.width / 2;
  const [x1, x2] = [from.x + half, to.x - half];
  const bend = (x1 + x2) / 2;
  const lift = over(edge, drawing, at) ? -0.45 * ROW : 0; // goes round what stands between
  const told = edge.facts.map((words) => words.join(" | "));
  return svg(
    "path",
    { class: `edge ${edge.types.join(" ")}`,
      d: `M${x1} ${from.y}C${bend} ${from.y + lift} ${bend} ${to.y + lift} ${x2} ${to.y}` },
    svg("title", {}, [edge.types.join(", "), ...told].join("\n")),
  );
}

function edgeLabel(edge, drawing, at) {
  const [from, to] = [at[edge.start], at[edge.end]];
  const lift = over(edge, drawing, at) ? -0.34 * ROW : -5;
  return svg(
    "text",
    { class: "edge-label", x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 + lift,
      "aria-hidden": "true" },
    cut(edge.label, 12),
  );
}

function legend(drawing) {
  const types = new Set(drawing.edges.flatMap((edge) =>
    drawing.nodes[edge.start].kind === "claim" ? [] : edge.types));
  return h(
    "ul",
    { class: "legend", "aria-label": "Legend" },
    ...Object.entries(KINDS).map(([kind, name]) =>
      h("li", {}, h("span", { class: `swatch ${kind}`, "aria-hidden": "true" }), name)),
    ...Object.entries(EDGES).filter(([type]) => types.has(type)).map(([, told]) => h("li", {}, told)),
  );
}
