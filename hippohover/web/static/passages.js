// Ranked passages, one list or two side by side; each can show the walk that led to it.

import { cited, h, number } from "./dom.js";
import { post } from "./api.js";
import { walkFigure } from "./walk.js";

export function passagesSection(lists, claim) {
  const columns = lists.map((list, i) => {
    const other = lists[1 - i];
    const places = new Map((other?.passages ?? []).map((one) => [one.pid, one.rank]));
    return column(list, claim, other?.retriever, places);
  });
  return h("div", { class: lists.length > 1 ? "columns two" : "columns" }, ...columns);
}

function column(list, claim, otherName, places) {
  const head = h("h2", {}, `Passages by ${list.retriever}`);
  const n = list.passages.length;
  const both = list.passages.filter((one) => places.has(one.pid)).length;
  const told = `${n} in ${(1000 * list.seconds).toFixed(0)} ms`
    + (otherName ? `, ${both} of them also by ${otherName}` : "");
  return h(
    "section",
    { class: "column", "aria-label": `Passages by ${list.retriever}` },
    head,
    h("p", { class: "hint" }, told),
    n ? h("ol", { class: "passages" },
      ...list.passages.map((one) => card(one, claim, otherName, places.get(one.pid))))
      : h("p", {}, "Nothing was found: the index knows none of these words."),
  );
}

function card(passage, claim, otherName, otherRank) {
  const place = h("div", { class: "walk-place" });
  const button = h(
    "button",
    { type: "button", class: "quiet", "aria-expanded": "false",
      onclick: () => toggleWalk(button, place, passage, claim) },
    "Show the walk",
  );
  const title = passage.title || "(untitled)";
  const tag = otherName === undefined ? null
    : h("span", { class: otherRank ? "tag both" : "tag" },
      otherRank ? `${otherName}: ${otherRank}` : `not by ${otherName}`);
  return h(
    "li",
    { class: "card", "data-title": title, tabindex: "-1" },
    h("h3", {}, h("span", { class: "rank" }, `${passage.rank}`), " ",
      h("bdi", {}, title), " ", tag),
    passage.heading ? h("p", { class: "heading", dir: "auto" }, passage.heading) : null,
    source(passage),
    h("p", { class: "text", dir: "auto" }, passage.text),
    passage.others.length ? othersOf(passage.others) : null,
    h("p", { class: "foot" },
      h("span", { class: "hint" }, `score ${number(Number(passage.score.toPrecision(3)))}`), button),
    place,
  );
}

// Where a passage stands, where that is more than its title.
function source(passage) {
  if (!passage.link && passage.citation === passage.title) return null;
  return h("p", { class: "source" }, cited(passage.citation, passage.link));
}

// Further passages of the document, each under its headings, and near-copies of it.
function othersOf(others) {
  const n = others.length;
  return h(
    "details",
    { class: "others" },
    h("summary", {}, n === 1 ? "1 more passage" : `${n} more passages`),
    h("ol", { start: "2" }, ...others.map((one) => h(
      "li",
      {},
      one.near_copy ? h("p", { class: "hint" }, "near-copy: ", h("bdi", {}, one.title)) : null,
      one.heading ? h("p", { class: "heading", dir: "auto" }, one.heading) : null,
      source(one),
      h("p", { class: "text", dir: "auto" }, one.text),
    ))),
  );
}

async function toggleWalk(button, place, passage, claim) {
  const open = button.getAttribute("aria-expanded") === "true";
  button.setAttribute("aria-expanded", String(!open));
  button.textContent = open ? "Show the walk" : "Hide the walk";
  place.hidden = open;
  if (open || place.childElementCount) return;
  place.replaceChildren(h("p", { class: "hint" }, "Looking for the paths …"));
  try {
    const explanation = await post("/v1/explain", { claim, pid: passage.pid });
    place.replaceChildren(walkFigure(explanation, (title) => wayTo(button, title)));
  } catch (error) {
    place.replaceChildren(h("p", { class: "problem", role: "alert" }, error.message));
    button.setAttribute("aria-expanded", "false");
    button.textContent = "Show the walk";
  }
}

// What goes to the card of a passage, if that is in the ranking.
function wayTo(from, title) {
  const list = from.closest(".passages");
  const found = [...list.children].find((one) => one.dataset.title === title);
  return found && (() => {
    found.scrollIntoView({ block: "center" });
    found.focus({ preventScroll: true });
  });
}
