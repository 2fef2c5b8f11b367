// What is asked and checked: requests, their progress, and what comes out.

import { post } from "./api.js";
import { chainsSection } from "./chains.js";
import { $, counted, cut, h, number } from "./dom.js";
import { passagesSection } from "./passages.js";
import { verdictsSection } from "./verdicts.js";

const STAGES = {
  waiting: "waiting for a free worker", working: "searching", draft: "writing the answer",
  claims: "verifying claims", facts: "encoding facts (the first time only)",
  graph: "preparing the graph (the first time only)",
};
const MOST_CHECKED = 100000; // characters that the server takes
let asking = null;
let siteTitle = document.title;
let addressed = location.search;
const lastOf = { ask: "" }; // the address of what each view shows
let judgedByModel = false;

export function fail(error) {
  if (error.name === "AbortError") return;
  $("problem").textContent = error.message;
  if (error.status === 401) {
    $("token-form").hidden = false;
    $("token").focus();
  }
}

export function fillChoices(index) {
  siteTitle = `hippohover: ${index.recipe.name}`;
  document.title = siteTitle;
  fill($("retriever"), index.retrievers);
  fill($("beside"), index.retrievers, "none");
  $("draft").disabled = index.language_model === null;
  $("model-line").textContent = index.language_model === null
    ? "This server has no language model: it cannot draft answers, but everything else works."
    : `${index.language_model} drafts the answers.`;
  judgedByModel = index.language_model !== null && (index.judge ?? "").includes(index.language_model);
}

function fill(select, names, none) {
  const options = names.map((name) => h("option", { value: name }, name));
  if (none !== undefined) options.unshift(h("option", { value: "" }, none));
  const chosen = select.value;
  select.replaceChildren(...options);
  select.value = [...select.options].some((one) => one.value === chosen) ? chosen : options[0].value;
}

function busy(on) {
  const box = $(document.body.dataset.view === "check" ? "text" : "claim");
  if (!on && document.activeElement === $("cancel")) box.focus(); // it goes: not the focus too
  $("working").hidden = !on;
}

function tellStatus(text) {
  if ($("status").textContent !== text) $("status").textContent = text; // else it is read out again
}

function tellAll(parts) {
  const bar = $("bar");
  const some = [...parts.values()].find((part) => part.total > 0);
  if (some) [bar.max, bar.value] = [some.total, some.done];
  else bar.removeAttribute("value");
  tellStatus([...parts].map(([name, { stage, done, total }]) =>
    `${name}: ${STAGES[stage] ?? stage}${total ? ` (${done} of ${total})` : ""}`).join("; "));
}

// A new piece of work ends the one that is under way, and hides what it will show.
function work(hidden) {
  asking?.abort();
  const mine = new AbortController();
  asking = mine;
  $("problem").textContent = "";
  for (const id of hidden) $(id).hidden = true;
  busy(true);
  const parts = new Map();
  const part = (name, path, body, then) => {
    const tell = (step) => {
      parts.set(name, step);
      tellAll(parts);
    };
    tell({ stage: "waiting", done: 0, total: 0 });
    return post(path, body, { signal: mine.signal, tell })
      .then((found) => { if (asking === mine) then(found); })
      .finally(() => { parts.delete(name); if (asking === mine) tellAll(parts); });
  };
  const end = async (works, told) => {
    const ends = await Promise.allSettled(works);
    if (asking !== mine) return;
    asking = null;
    busy(false);
    const failed = ends.find((one) => one.status === "rejected");
    if (failed) fail(failed.reason);
    tellStatus(mine.signal.aborted ? "Cancelled." : told());
  };
  return { part, end };
}

export const cancel = () => asking?.abort();

export function begin() {
  cancel();
  $("claim").value = "";
  document.title = siteTitle;
  for (const id of ["verdicts", "chains", "found"]) $(id).hidden = true;
  tellStatus("");
  $("start").hidden = !$("start").childElementCount;
}

function missing(box, told) {
  $("problem").textContent = told;
  box.focus();
}

function showVerdicts(found, of, isDraft) {
  $("verdicts").dataset.of = of;
  $("verdicts").replaceChildren(...verdictsSection(found, isDraft).filter(Boolean));
  $("verdicts").hidden = false;
}

export async function ask({ isDraft, note = "", isAgain = false }) {
  const claim = $("claim").value.trim();
  if (!claim) return missing($("claim"), "Write a question or a claim, such as \"Where was … born?\".");
  const [retriever, beside] = [$("retriever").value, $("beside").value];
  const k = Math.min(21, Math.max(1, Math.round(Number($("k").value)) || 10));
  $("k").value = k; // what is asked is what stands there
  const isShared = toAddress({ claim, retriever, k, ...(beside ? { beside } : {}) }, isAgain);
  const long = isShared ? "" : " This text is too long for an address, so it has no link to share.";
  document.title = `${cut(claim, 60)} · ${siteTitle}`; // so that entries of the history differ
  const { part, end } = work(["start", "verdicts", "chains", "found"]);
  const names = beside && beside !== retriever ? [retriever, beside] : [retriever];
  const lists = new Map();
  const works = names.map((name) =>
    part(name, "/v1/retrieve", { claim, k, retriever: name }, (found) => {
      lists.set(name, found);
      const ready = names.filter((one) => lists.has(one)).map((one) => lists.get(one));
      const chains = names.length === 1 ? chainsSection(found) : null;
      $("chains").replaceChildren(...(chains ? [chains] : []));
      $("chains").hidden = !chains;
      $("found").replaceChildren(passagesSection(ready, claim));
      $("found").hidden = false;
    }));
  if (isDraft) {
    works.push(part("answer", "/v1/answer", { question: claim, retriever },
      (found) => showVerdicts(found, "ask", true)));
  }
  await end(works, () => {
    const n = names.filter((name) => lists.has(name)).map((name) =>
      `${counted(lists.get(name).passages.length, "passage")} by ${name}`
        + (lists.get(name).by_similarity ? ", by similarity alone" : ""));
    return n.length ? `Found ${n.join(", ")}.${note}${long}` : "";
  });
}

export async function check({ isAgain = false } = {}) {
  const text = $("text").value.trim();
  if (!text) return missing($("text"), "Write or paste a text that says something.");
  const isShared = toAddress({ view: "check", text }, isAgain);
  document.title = `${cut(text, 60)} · ${siteTitle}`;
  const { part, end } = work(["verdicts"]);
  const retriever = $("retriever").value;
  await end([part("verdict", "/v1/verify", { text, retriever }, (found) => showVerdicts(found, "check", false))],
    () => (isShared ? "" : "This text is too long for an address, so it has no link to share."));
}

// Nothing pasted is cut: how much is too much is said before it is sent.
export function limits() {
  const n = Array.from($("text").value).length;
  $("length").textContent = n > MOST_CHECKED
    ? `${number(n)} characters: the server takes ${number(MOST_CHECKED)}; check it in parts.`
    : "Ctrl+Enter sends.";
}

// What was asked stands in the address: a link shares it, and Back asks again what was asked before.
// False for a text that is too long for an address, which then has none.
function toAddress(told, isAgain) {
  const search = `?${new URLSearchParams(told)}`;
  const fits = search.length < 2000;
  const view = told.view ?? "ask";
  lastOf[view] = fits ? search : view === "ask" ? "" : `?view=${view}`;
  go(lastOf[view], isAgain ? "replaceState" : "pushState");
  return fits;
}

function go(search, how) {
  if (search !== location.search) history[how](null, "", search || location.pathname);
  addressed = location.search;
}

export function toView(view) {
  go(lastOf[view] ?? `?view=${view}`, "pushState");
  document.title = siteTitle;
}

// Whether the address is what is shown; from now on it is.
export function isAddressed() {
  const is = location.search === addressed;
  addressed = location.search;
  return is;
}

export function fromAddress({ isBack = false } = {}) {
  const told = new URLSearchParams(location.search);
  if (told.get("text")) return checkAgain(told.get("text"));
  if (!told.get("claim") || ($("claim").value && !isBack)) {
    $("start").hidden = $("claim").value !== "" || !$("start").childElementCount;
    return;
  }
  if (isBack && !told.has("beside")) $("beside").value = "";
  for (const name of ["claim", "retriever", "beside"]) {
    if (told.has(name)) $(name).value = told.get(name);
  }
  const unknown = ["retriever", "beside"].filter((name) => $(name).selectedIndex < 0)
    .map((name) => told.get(name));
  if (/^\d+$/.test(told.get("k"))) $("k").value = told.get("k");
  if (!$("retriever").value) $("retriever").selectedIndex = 0;
  if ($("beside").selectedIndex < 0) $("beside").selectedIndex = 0;
  ask({ isDraft: false, isAgain: true });
  if (unknown.length) {
    $("problem").textContent = `This index has no retriever called ${unknown.join(" or ")}: `
      + `the answer is by ${$("retriever").value}.`;
  }
}

// A link alone spends nothing at a language model.
function checkAgain(text) {
  $("text").value = text;
  if (judgedByModel) tellStatus("Opening a link does not call the language model: press Check for verdicts.");
  else check({ isAgain: true });
}
