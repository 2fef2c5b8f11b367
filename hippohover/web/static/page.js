// The page: its views, what the index is, and what was asked, in the address.

import { get, keepToken } from "./api.js";
import { apiSection } from "./api_view.js";
import { ask, begin, cancel, check, fail, fillChoices, fromAddress, isAddressed, limits, toView } from "./asking.js";
import { $, counted } from "./dom.js";
import { documentsSection } from "./documents.js";
import { factsOf, graphSection, startSection } from "./start.js";

const VIEWS = ["ask", "check", "documents", "graph", "api"];
let index = null;
const filled = new Set();

async function describe() {
  try {
    index = await get("/v1/index");
  } catch (error) {
    fail(error);
    return;
  }
  if (!$("token-form").hidden) $("claim").focus();
  $("token-form").hidden = true;
  const held = `${counted(index.counts.n_documents, "document")} in ${counted(index.counts.n_passages, "passage")}`;
  $("index-line").textContent = `${index.recipe.name}, ${held}`;
  fillChoices(index);
  $("start").replaceChildren(...startSection(index.examples, held, askThis));
  filled.clear();
  const view = new URLSearchParams(location.search).get("view");
  show(VIEWS.includes(view) ? view : "ask");
  fromAddress();
}

function askThis(asked) {
  show("ask");
  $("claim").value = asked;
  $("ask").requestSubmit();
  $("results").focus({ preventScroll: true }); // what was clicked goes away: not the focus too
}

// One view is shown; those that ask the server something are filled when they are first seen.
function show(view) {
  document.body.dataset.view = view;
  for (const one of VIEWS) {
    const tab = $(`tab-${one}`);
    tab.setAttribute("aria-selected", String(one === view));
    tab.tabIndex = one === view ? 0 : -1;
    $(`view-${one}`).hidden = one !== view;
  }
  $("problem").textContent = "";
  if (filled.has(view) || index === null) return;
  filled.add(view);
  const place = $(`view-${view}`);
  const fillers = {
    documents: () => documentsSection(place),
    graph: () => graphSection(place, factsOf(index), askThis),
    api: () => apiSection(place),
  };
  fillers[view]?.().catch((error) => {
    filled.delete(view);
    fail(error);
  });
}

function choose(view) {
  if (view === document.body.dataset.view) return;
  toView(view);
  show(view);
}

VIEWS.forEach((view, at) => {
  const tab = $(`tab-${view}`);
  tab.addEventListener("click", () => choose(view));
  tab.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = VIEWS[(at + step + VIEWS.length) % VIEWS.length];
    choose(next);
    $(`tab-${next}`).focus();
  });
});
$("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  ask({ isDraft: $("draft").checked && !$("draft").disabled });
});
$("checking").addEventListener("submit", (event) => {
  event.preventDefault();
  check();
});
$("cancel").addEventListener("click", cancel);
$("text").addEventListener("input", limits);
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") cancel();
  if (event.key !== "Enter" || event.isComposing) return;
  const sends = event.target === $("claim") ? !event.shiftKey : event.ctrlKey || event.metaKey;
  if (!sends || !event.target.form || !["claim", "text"].includes(event.target.id)) return;
  event.preventDefault();
  event.target.form.requestSubmit();
});
$("token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  keepToken($("token").value);
  $("token").value = "";
  $("problem").textContent = "";
  describe();
});
addEventListener("popstate", () => {
  if (isAddressed()) return; // a link within the page: nothing else is asked
  const told = new URLSearchParams(location.search);
  show(VIEWS.includes(told.get("view")) ? told.get("view") : "ask");
  if (told.has("claim") || told.has("text")) fromAddress({ isBack: true });
  else begin();
});
document.body.dataset.view = "ask";
show("ask");
describe();
