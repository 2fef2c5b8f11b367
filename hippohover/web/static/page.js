// The page: a claim goes in; passages, verdicts and walks come out.

import { startSection, themesSection } from "./start.js";
import { get, keepToken, post } from "./api.js";
import { counted, cut, h, number } from "./dom.js";
import { passagesSection } from "./passages.js";
import { verdictsSection } from "./verdicts.js";

const $ = (id) => document.getElementById(id);
const STAGES = {
  waiting: "waiting for a free worker", working: "searching", draft: "writing the answer",
  claims: "verifying claims", facts: "encoding facts (the first time only)",
  graph: "preparing the graph (the first time only)",
};
let asking = null;
let addressed = location.search;
let judgedByModel = false;
let siteTitle = document.title;

async function describe() {
  let index;
  try {
    index = await get("/v1/index");
  } catch (error) {
    fail(error);
    return;
  }
  if (!$("token-form").hidden) $("claim").focus();
  $("token-form").hidden = true;
  const { n_documents, n_passages, n_entities, n_facts, n_edges } = index.counts;
  const held = `${counted(n_documents, "document")} in ${counted(n_passages, "passage")}`;
  $("index-line").textContent = `${index.recipe.name}, ${held}`;
  siteTitle = `hippohover: ${index.recipe.name}`;
  document.title = siteTitle;
  const models = Object.entries(index.models).map(([part, model]) =>
    `${part}: ${model.name ?? Object.values(model)[0]}`);
  const facts = {
    "Documents": number(n_documents), "Passages": number(n_passages), "Entities": number(n_entities), "Facts": number(n_facts),
    "Edges": number(n_edges), "On disk": size(index.n_bytes),
    "Version": index.version, "Recipe": `${index.recipe.name} ${index.recipe_sha256.slice(0, 12)}`,
    "Models": models.join(", ") || "none", "Fields to filter by": index.fields.join(", "),
    "Failures": failures(index), "Language model": index.language_model ?? "none",
    "Judge": index.judge ?? "rules only", "Package": index.package_version,
  };
  $("facts").replaceChildren(...Object.entries(facts).map(([name, value]) =>
    h("div", {}, h("dt", {}, name), h("dd", {}, value))));
  fill($("retriever"), index.retrievers);
  fill($("beside"), index.retrievers, "none");
  $("draft").disabled = index.language_model === null;
  $("model-line").textContent = index.language_model === null
    ? "This server has no language model: it cannot draft answers, but everything else works."
    : `${index.language_model} drafts the answers.`;
  const askThis = (asked) => {
    $("claim").value = asked;
    $("ask").requestSubmit();
    $("results").focus({ preventScroll: true }); // what was clicked goes away: not the focus too
  };
  $("start").replaceChildren(...startSection(index.examples, held, askThis));
  // A large index tells no themes here, and a busy server none now: the page does without.
  get("/v1/themes").then((themes) => $("start").append(...themesSection(themes, askThis)), () => {});
  judgedByModel = index.language_model !== null && (index.judge ?? "").includes(index.language_model);
  fromAddress();
}

function failures({ n_not_read: nNotRead, n_failures: nFailed }) {
  const told = [
    nNotRead && `${counted(nNotRead, "file or record", "files or records")} not read`,
    nFailed && `${counted(nFailed, "passage")} that no facts could be read from`,
  ].filter(Boolean);
  return told.join(", ") || "none";
}

const size = (n) => (n < 1e6 ? `${number(Math.ceil(n / 1e3))} kB` : `${number(Math.round(n / 1e6))} MB`);

function fill(select, names, none) {
  const options = names.map((name) => h("option", { value: name }, name));
  if (none !== undefined) options.unshift(h("option", { value: "" }, none));
  const chosen = select.value;
  select.replaceChildren(...options);
  select.value = [...select.options].some((one) => one.value === chosen) ? chosen : options[0].value;
}

function fail(error) {
  if (error.name === "AbortError") return;
  $("problem").textContent = error.message;
  if (error.status === 401) {
    $("token-form").hidden = false;
    $("token").focus();
  }
}

function busy(on) {
  if (!on && document.activeElement === $("cancel")) $("claim").focus(); // it goes: not the focus too
  $("working").hidden = !on;
  $("cancel").hidden = !on;
}

function tellStatus(text) {
  if ($("status").textContent !== text) $("status").textContent = text; // else it is read out again
}

function teller(parts, name) {
  return ({ stage, done, total }) => {
    parts.set(name, { stage, done, total });
    tellAll(parts);
  };
}

function tellAll(parts) {
  const bar = $("bar");
  const counted = [...parts.values()].find((part) => part.total > 0);
  if (counted) [bar.max, bar.value] = [counted.total, counted.done];
  else bar.removeAttribute("value");
  tellStatus([...parts].map(([name, { stage, done, total }]) =>
    `${name}: ${STAGES[stage] ?? stage}${total ? ` (${done} of ${total})` : ""}`).join("; "));
}

async function ask({ draft, verify, note = "", isAgain = false }) {
  const claim = $("claim").value.trim();
  if (!claim) {
    $("problem").textContent = "Write a claim or a question, such as \"Where was … born?\".";
    $("claim").focus();
    return;
  }
  asking?.abort();
  const mine = new AbortController();
  asking = mine;
  const retriever = $("retriever").value;
  const beside = $("beside").value;
  const k = Math.min(21, Math.max(1, Math.round(Number($("k").value)) || 10));
  $("k").value = k; // what is asked is what stands there
  const isShared = toAddress({ claim, retriever, beside, k, isVerified: $("verify").checked },
    isAgain ? "replaceState" : "pushState");
  const long = isShared ? "" : " This text is too long for an address, so it has no link to share.";
  document.title = `${cut(claim, 60)} · ${siteTitle}`; // so that entries of the history differ
  $("problem").textContent = "";
  $("start").hidden = true;
  $("verdicts").hidden = true;
  $("found").hidden = true;
  busy(true);
  const parts = new Map();
  const part = (name, path, body, then) => {
    const tell = teller(parts, name);
    tell({ stage: "waiting", done: 0, total: 0 });
    return post(path, body, { signal: mine.signal, tell })
      .then((found) => { if (asking === mine) then(found); })
      .finally(() => { parts.delete(name); if (asking === mine) tellAll(parts); });
  };
  const names = beside && beside !== retriever ? [retriever, beside] : [retriever];
  const lists = new Map();
  const works = names.map((name) =>
    part(name, "/v1/retrieve", { claim, k, retriever: name }, (found) => {
      lists.set(name, found);
      const ready = names.filter((one) => lists.has(one)).map((one) => lists.get(one));
      $("found").replaceChildren(passagesSection(ready, claim));
      $("found").hidden = false;
    }));
  const verdicts = (drafted) => (found) => {
    $("verdicts").replaceChildren(...verdictsSection(found, drafted).filter(Boolean));
    $("verdicts").hidden = false;
  };
  if (draft) works.push(part("answer", "/v1/answer", { question: claim, retriever }, verdicts(true)));
  else if (verify && /[\p{L}\p{N}]/u.test(claim)) { // a text without words has no claim
    works.push(part("verdict", "/v1/verify", { text: claim, retriever }, verdicts(false)));
  }
  const ends = await Promise.allSettled(works);
  if (asking !== mine) return;
  asking = null;
  busy(false);
  const failed = ends.find((end) => end.status === "rejected");
  if (failed) fail(failed.reason);
  const n = names.filter((name) => lists.has(name)).map((name) =>
    `${counted(lists.get(name).passages.length, "passage")} by ${name}`
      + (lists.get(name).by_similarity ? ", by similarity alone" : ""));
  tellStatus(mine.signal.aborted ? "Cancelled." : n.length ? `Found ${n.join(", ")}.${note}${long}` : "");
}

// What was asked stands in the address: a link shares it, and Back asks again what was asked before.
// False for a text that is too long for an address, which then has none.
function toAddress({ claim, retriever, beside, k, isVerified }, how) {
  const told = new URLSearchParams({
    claim, retriever, k, ...(beside ? { beside } : {}), ...(isVerified ? {} : { verify: "off" }),
  });
  const fits = `${told}`.length < 2000;
  const search = fits ? `?${told}` : "";
  if (search !== location.search) history[how](null, "", search || location.pathname);
  addressed = location.search;
  return fits;
}

function fromAddress({ isBack = false } = {}) {
  const told = new URLSearchParams(location.search);
  if (isBack && !told.get("claim")) return begin();
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
  $("verify").checked = told.get("verify") !== "off";
  // A link alone spends nothing at a language model.
  const note = judgedByModel && $("verify").checked
    ? " Opening a link does not call the language model: press Find evidence for verdicts."
    : "";
  ask({ draft: false, verify: $("verify").checked && !judgedByModel, note, isAgain: true });
  if (unknown.length) {
    $("problem").textContent = `This index has no retriever called ${unknown.join(" or ")}: `
      + `the answer is by ${$("retriever").value}.`;
  }
}

function begin() {
  asking?.abort();
  $("claim").value = "";
  document.title = siteTitle;
  for (const id of ["verdicts", "found"]) $(id).hidden = true;
  tellStatus("");
  $("start").hidden = !$("start").childElementCount;
}

function cancel() {
  asking?.abort();
}

$("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  ask({ draft: $("draft").checked && !$("draft").disabled, verify: $("verify").checked });
});
$("cancel").addEventListener("click", cancel);
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") cancel();
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target === $("claim")) {
    $("ask").requestSubmit();
  }
});
$("token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  keepToken($("token").value);
  $("token").value = "";
  $("problem").textContent = "";
  describe();
});
addEventListener("popstate", () => {
  if (location.search === addressed) return; // a link within the page: nothing else is asked
  addressed = location.search;
  fromAddress({ isBack: true });
});
describe();
