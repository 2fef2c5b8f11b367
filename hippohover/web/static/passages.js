// Ranked passages, one list or two side by side; each can show the walk that led to it.

import { cited, coded, counted, cut, h, marked, number } from "./dom.js";
import { codeSpans } from "./code.js";
import { post } from "./api.js";
import { toItsEnd, walkFigure } from "./walk.js";

const FOLDED = 400;
const OPEN = 3; // passages whose text is shown at once; the others are a line each

export function passagesSection(lists, claim) {
  const columns = lists.map((list, i) => {
    const other = lists[1 - i];
    const places = new Map((other?.passages ?? []).map((one) => [one.pid, one.rank]));
    return column(list, claim, other, places);
  });
  return h("div", { class: lists.length > 1 ? "columns two" : "columns" }, ...columns);
}

function column(list, claim, other, places) {
  const head = h("h2", {}, `Passages by ${list.retriever}`);
  const n = list.passages.length;
  const both = list.passages.filter((one) => places.has(one.pid)).length;
  const told = `${counted(n, "passage")} in ${(1000 * list.seconds).toFixed(0)} ms`
    + (other?.passages.length ? `, ${both} also ${firstOf(other)}` : "");
  return h(
    "section",
    { class: "column", "aria-label": `Passages by ${list.retriever}` },
    head,
    h("p", { class: "hint" }, told, " ", n > OPEN && !other ? unfoldAll() : null),
    list.by_similarity ? h("p", { class: "problem", role: "status" }, "No name and no search term of this text is in "
      + "the index: these passages are only the nearest by similarity.") : null,
    list.encoding_failure ? h("p", { class: "problem", role: "status" },
      `Words were compared, because vectors failed: ${list.encoding_failure}`) : null,
    ...list.source_failures.map((why) => h("p", { class: "problem", role: "status" }, `Source ${why}`)),
    n ? h("ol", { class: "passages" },
      ...list.passages.map((one, i) => card(one, claim, other, places.get(one.pid), !other && i >= OPEN)))
      : h("p", {}, "Nothing was found: none of these words is in the index."),
  );
}

// Only so many were asked for: what is not among them may be found further down.
const firstOf = ({ retriever, passages }) => (passages.length
  ? `among the first ${passages.length} by ${retriever}` : `found by ${retriever}`);

const unfoldAll = () => h("button", { type: "button", class: "quiet", onclick: ({ currentTarget }) => {
  for (const one of currentTarget.closest(".column").querySelectorAll("details.line")) one.open = true;
  currentTarget.remove();
} }, "Unfold all");

// A passage on one line: the sentence that says most, and how it was reached.
const line = ({ title, text, highlights, path }) => h("span", { class: "short" },
  h("bdi", { class: "sentence" }, highlights.length ? cut(Array.from(text).slice(...highlights[0]).join(""), 110) : cut(text, 110)),
  path && path.passages.length > 1 ? h("bdi", { class: "hint" }, path.summary) : null);

function card(passage, claim, other, otherRank, isFolded) {
  const place = h("div", { class: "walk-place" });
  const button = h(
    "button",
    { type: "button", class: "quiet", "aria-expanded": "false",
      onclick: () => toggleWalk(button, place, passage, claim) },
    "Show the walk",
  );
  const title = passage.title || "(untitled)";
  const tag = other === undefined ? null
    : h("span", { class: otherRank ? "tag both" : "tag" },
      otherRank ? `rank ${otherRank} by ${other.retriever}` : `not ${firstOf(other)}`);
  const alone = other !== undefined && !otherRank;
  return h(
    "li",
    { class: alone ? "card alone" : "card", "data-title": title, "data-pid": passage.pid,
      "data-part": passage.part, tabindex: "-1" },
    ...folded(isFolded,
      h("h3", {}, h("span", { class: "rank" }, `${passage.rank}`), " ", h("bdi", {}, title), " ", tag),
      line(passage),
      standing(passage),
      source(passage),
      textOf(passage),
      passage.others.length ? othersOf(passage) : null,
      passage.path?.passages.length > 1 && isFolded !== undefined
        ? h("p", { class: "hint way" }, "reached by ", h("bdi", {}, passage.path.summary)) : null,
      h("p", { class: "foot" },
        passage.source ? h("span", { class: "hint" }, `found by ${passage.source}`)
          : h("span", { class: "hint" }, `score ${number(Number(passage.score.toPrecision(3)))}`),
        passage.source ? null : button),
      place),
  );
}

const folded = (isFolded, head, short, ...rest) => (isFolded
  ? [h("details", { class: "line" }, h("summary", {}, head, short), ...rest)] : [head, ...rest]);

// Its headings, and which part of its document it is.
function standing({ heading, part, n_parts }) {
  if (!heading && n_parts < 2) return null;
  return h("p", { class: "heading" }, heading ? h("bdi", {}, heading) : null, heading ? " " : null,
    n_parts > 1 ? h("span", { class: "hint" }, `part ${part} of ${n_parts}`) : null);
}

// The sentences that matter, marked; a long text is folded to them, or without any to its beginning.
function textOf({ text, highlights }) {
  const code = codeSpans(text);
  const whole = marked(text, highlights, code);
  const letters = Array.from(text);
  const n = highlights.reduce((sum, [start, stop]) => sum + stop - start, 0);
  if (letters.length <= FOLDED || n > letters.length / 2) {
    return h("p", { class: "text", dir: "auto" }, ...whole);
  }
  const folded = n ? highlights.flatMap(([start, stop], i) => [
    ...before(letters, i ? highlights[i - 1][1] : 0, start, code),
    h("mark", {}, ...coded(letters, start, stop, code)),
    i === highlights.length - 1 && stop < letters.length ? " …" : "",
  ]) : [...coded(letters, 0, beginning(letters), code), " …"];
  const words = h("p", { class: "text", dir: "auto" }, ...folded);
  const button = h("button", { type: "button", class: "quiet unfold", "aria-expanded": "false",
    onclick: () => {
      const open = button.getAttribute("aria-expanded") === "true";
      button.setAttribute("aria-expanded", String(!open));
      button.textContent = open ? "Show the whole text" : "Show less";
      words.replaceChildren(...(open ? folded : whole));
    } }, "Show the whole text");
  return h("div", { class: "folding" }, words, button);
}

// What stands before a mark of a folded text: dots for what is left out, on a line of their own where
// the mark begins a line, and then its indentation.
function before(letters, from, start, code) {
  const gap = letters.slice(from, start).join("");
  const [indent] = /[^\S\n]*$/.exec(gap);
  const begins = from + gap.length - indent.length === 0 || gap.endsWith(`\n${indent}`);
  if (!begins) return gap.trim() ? ["… "] : [from ? " " : ""];
  return [gap.trim() ? "…\n" : from ? "\n" : "", ...coded(letters, start - indent.length, start, code)];
}

// How much of a folded text without marks is shown: without blanks at its end.
const beginning = (letters) =>
  Array.from(letters.slice(0, FOLDED).join("").trimEnd()).length;

// Where a passage stands, where that is more than its title.
function source(passage) {
  if (!passage.link && passage.citation === passage.title) return null;
  return h("p", { class: "source" }, cited(passage.citation, passage.link));
}

// Further passages of the document, each under its headings, and near-copies of it.
function othersOf({ others, n_near_copies: nCopies }) {
  const n = others.filter((one) => !one.near_copy).length + nCopies;
  return h(
    "details",
    { class: "others" },
    h("summary", {}, n === 1 ? "1 more passage" : `${n} more passages`),
    h("ol", { start: "2" }, ...others.map((one) => h(
      "li",
      {},
      one.near_copy ? h("p", { class: "hint" }, "near-copy: ", h("bdi", {}, one.title)) : null,
      standing(one),
      source(one),
      textOf(one),
    ))),
  );
}

async function toggleWalk(button, place, passage, claim) {
  const open = button.getAttribute("aria-expanded") === "true";
  button.setAttribute("aria-expanded", String(!open));
  button.textContent = open ? "Show the walk" : "Hide the walk";
  place.hidden = open;
  if (open || place.childElementCount) return;
  place.replaceChildren(h("p", { class: "hint" }, "Looking for paths …"));
  try {
    const explanation = await post("/v1/explain", { claim, pid: passage.pid });
    place.replaceChildren(walkFigure(explanation, (title, part) => wayTo(button, title, part)));
    toItsEnd(place);
  } catch (error) {
    place.replaceChildren(h("p", { class: "problem", role: "alert" }, error.message));
    button.setAttribute("aria-expanded", "false");
    button.textContent = "Show the walk";
  }
}

// What goes to the card of a passage, if that is in the ranking.
function wayTo(from, title, part) {
  const list = from.closest(".passages");
  const ofTitle = [...list.children].filter((one) => one.dataset.title === title);
  const found = ofTitle.find((one) => one.dataset.part === String(part)) ?? ofTitle[0];
  return found && (() => show(found));
}

// The card of a passage, wherever it is shown; null if it is not.
export const cardOf = (pid) =>
  [...document.querySelectorAll(".card")].find((one) => one.dataset.pid === pid) ?? null;

export function show(card) {
  const folding = card.querySelector("details.line");
  if (folding) folding.open = true;
  card.scrollIntoView({ block: "center" });
  card.focus({ preventScroll: true });
}
