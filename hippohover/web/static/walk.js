// The walk to a passage: a graph to look at, and the same paths as sentences.

import { h, number, svg, titled } from "./dom.js";
import { BOX, NAME_SIZE, nameLines, shape } from "./walk_shape.js";

let asked = "claim"; // or "question": what the server calls what was asked

const KINDS = {
  get claim() { return `the ${asked}`; },
  entity: "entity",
  passage: "passage",
  target: "this passage",
};

const SEEDS = {
  get mention() { return `named in the ${asked}`; },
  get passage() { return `shares words with the ${asked}`; },
  get fact() { return `in a fact close to the ${asked}`; },
};

const SHORT = { mention: "named", passage: "shares words", fact: "in a fact" };

const EDGES = {
  title: "title: the passage is about it",
  mention: "mention: the passage names it",
  phrase: "phrase: the passage contains the phrase",
  term: "term: the passage contains a rare code or number",
  source: "source: a fact from the passage names it",
  fact: "fact: a fact joins the two",
  synonymy: "synonymy: similar names",
  link: "link: the passage links to it",
  neighbour: "neighbour: follows in the same document",
};

export function walkFigure(explanation, wayTo) {
  const { drawing, paths } = explanation;
  asked = drawing.nodes.find((node) => node.kind === "claim")?.name ?? "claim";
  if (!paths.length) {
    return h("p", { class: "hint" }, `No short path to draw: ${explanation.reason}`);
  }
  const counted = paths.some((path) => path.share > 0);
  return h(
    "figure",
    { class: "walk" },
    h("div", { class: "walk-scroll", tabindex: "0", role: "group", "aria-label": "Graph of the walk" },
      graph(drawing, wayTo)),
    legend(drawing),
    h(
      "figcaption",
      {},
      counted ? "Strongest paths, with their share of the passage's score in the walk:"
        : "Paths whose share of the score is too small to measure:",
      h("span", { class: "hint" }, " A → B: A names or links to B; A ← B: B names or links to A; "
        + "A = B: a fact, a name or a document joins them."),
      h("ol", { class: "paths" }, ...paths.map((path) => pathLine(path, counted))),
      explanation.reason ? h("p", {}, explanation.reason) : null,
    ),
    seedsList(explanation.seeds),
  );
}

// A walk wider than its box is shown from its end, where the passage is, and says so.
export function toItsEnd(place) {
  const box = place.querySelector(".walk-scroll");
  if (!box || box.scrollWidth <= box.clientWidth) return;
  box.scrollLeft = box.scrollWidth;
  box.after(h("p", { class: "hint" }, `This is the end of the walk: scroll to the left for the ${asked}.`));
}

function pathLine(path, counted) {
  const facts = path.edges.flatMap((edge) => edge.facts).map((words) => words.join(" | "));
  return h(
    "li",
    {},
    counted ? h("strong", {}, `${(100 * path.share).toFixed(1)} %  `) : null,
    h("bdi", { title: path.sentence }, unturned(path.summary)),
    ...[...new Set(facts)].map((fact) => h("div", { class: "fact", dir: "auto" }, fact)),
  );
}

// A title that turns the direction of writing would turn the words behind it too.
const unturned = (text) => text.replace(/[\u202a-\u202e\u2066-\u2069]/gu, "");

function seedsList(seeds) {
  const shown = seeds.slice(0, 8);
  const some = seeds.length > shown.length ? `, the first ${shown.length} shown` : "";
  return h(
    "details",
    {},
    h("summary", {}, `Seeds of the walk (${number(seeds.length)}${some})`),
    h("ul", { class: "seeds" }, ...shown.map((seed) =>
      h("li", {}, `${(100 * seed.mass).toFixed(1)} %  `, h("bdi", {}, titled(seed.label, seed.part)), " ",
        h("span", { class: "hint" }, `(${SEEDS[seed.kind] ?? seed.kind})`)))),
  );
}

export function graph(drawing, wayTo) {
  const edges = drawing.edges.map((edge) =>
    (leavesClaim(edge, drawing) ? { ...edge, label: SHORT[edge.types[0]] ?? edge.label } : edge));
  const { centers, labels, lines, width, top, height } = shape({ nodes: drawing.nodes, edges });
  const drawn = svg(
    "svg",
    { viewBox: `0 ${top} ${width} ${height}`, width, height, role: "group", "aria-label":
      `${drawing.nodes.length} nodes and ${drawing.edges.length} edges, from the ${asked} on the left` },
    ...drawing.edges.map((edge, i) => edgeLine(edge, drawing, lines[i])),
    ...drawing.nodes.map((node, i) => nodeBox(node, centers[i], wayTo)),
    ...labels.map((label) => label
      && svg("text", { class: "edge-label", x: label.x, y: label.y, "aria-hidden": "true" }, label.text)),
  );
  drawn.style.minWidth = `${0.8 * width}px`; // smaller than that, it scrolls
  return drawn;
}

function nodeBox(node, { x, y }, wayTo) {
  const kind = node.is_target ? "target" : node.kind;
  const name = titled(node.name, node.part);
  const told = node.kind === "claim" ? KINDS.claim : `${KINDS[kind]}: ${name}`;
  const go = node.kind === "passage" && !node.is_target ? wayTo(node.name || "(untitled)", node.part) : undefined;
  const lines = nameLines(node.name || "(untitled)", node.part > 1 ? `part ${node.part}` : "");
  const first = y + NAME_SIZE / 3 - (lines.length - 1) * 7;
  return svg(
    "g",
    {
      class: `node ${kind}`, tabindex: go && "0", role: go ? "button" : "img",
      "aria-label": `${told}${go ? ", go to it in the ranking" : ""}`,
      onclick: go,
      onkeydown: go && ((event) => {
        if (event.key === "Enter" || event.key === " ") {
          event.preventDefault();
          go();
        }
      }),
    },
    svg("title", {}, told),
    svg("rect", { x: x - BOX.width / 2, y: y - BOX.height / 2, ...BOX,
      rx: node.kind === "passage" ? 5 : BOX.height / 2 }),
    ...lines.map((line, i) => svg("text", { x, y: first + 14 * i }, line)),
  );
}

const leavesClaim = (edge, drawing) => drawing.nodes[edge.start].kind === "claim";

function edgeLine(edge, drawing, d) {
  const said = leavesClaim(edge, drawing) ? edge.types.map((seed) => SEEDS[seed] ?? seed) : edge.types;
  const facts = edge.facts.map((words) => words.join(" | "));
  return svg(
    "path",
    { class: `edge ${leavesClaim(edge, drawing) ? "seed" : edge.types.join(" ")}${edge.is_strong ? " strong" : ""}`, d },
    svg("title", {}, [said.join(", "), ...facts].join("\n")),
  );
}

function legend(drawing) {
  const types = new Set(drawing.edges.flatMap((edge) =>
    leavesClaim(edge, drawing) ? [] : edge.types));
  return h(
    "ul",
    { class: "legend", "aria-label": "Legend" },
    ...Object.entries(KINDS).map(([kind, name]) =>
      h("li", {}, h("span", { class: `swatch ${kind}`, "aria-hidden": "true" }), name)),
    ...Object.entries(EDGES).filter(([type]) => types.has(type)).map(([type, told]) =>
      h("li", {}, svg("svg", { class: "stroke", width: 26, height: 8, "aria-hidden": "true" },
        svg("path", { class: `edge ${type}`, d: "M0 4H26" })), told)),
  );
}
