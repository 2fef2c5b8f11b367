// A text with a badge on each of its claims; the raw signals of a claim on hover, focus or click.

import { cited, h, marked } from "./dom.js";
import { cardOf, show } from "./passages.js";

const KINDS = {
  "Supported": { name: "supported", sign: "✓" },
  "Contradictory": { name: "contradictory", sign: "✗" },
  "Low Confidence": { name: "uncertain", sign: "?" },
  "No Claim": { name: "unclaimed", sign: "–" },
};

export function verdictsSection(found, drafted) {
  if (!drafted && found.answer.claims.every((decision) => decision.status === "No Claim")) {
    return nothingToVerify(found);
  }
  const panel = h("div", { id: "signals", class: "signals" });
  const buttons = found.claims.map((claim, i) => claimButton(found, i, panel));
  let pinned = null;
  let shown = null;
  const show = (i) => {
    if (shown === i) return;
    shown = i;
    buttons.forEach((button, at) => button.setAttribute("aria-expanded", String(at === i)));
    panel.replaceChildren(...(i === null ? [] : signals(found, i)));
  };
  buttons.forEach((button, i) => {
    button.addEventListener("mousemove", ({ movementX, movementY }) => {
      if (movementX || movementY) show(i); // not when the page scrolls below a mouse at rest
    });
    button.addEventListener("mouseleave", () => { if (pinned !== null) show(pinned); });
    button.addEventListener("focus", () => { pinned = i; show(i); });
    button.addEventListener("click", () => { pinned = i; show(i); });
  });
  const stats = found.answer.summary_stats;
  const counts = `${stats.supported_high + stats.supported_low} supported, `
    + `${stats.insufficient} with low confidence, ${stats.contradicted} contradicted`
    + (stats.no_claim ? `, ${stats.no_claim} without a claim` : "");
  return [
    h("h2", { id: "verdicts-head" }, drafted ? "Answer" : "Verdict"),
    drafted ? h("p", { class: "hint" }, "The language model's answer to: ",
      h("bdi", {}, found.query.text)) : null,
    h("p", { class: "annotated", dir: "auto" }, ...annotated(found, buttons)),
    h("p", { class: "hint" }, `${counts}. Take these as hints, not as decisions: select a claim to see `
      + "the evidence it was compared with."),
    found.failure ? h("p", { class: "problem" }, `A model failed: ${found.failure}`) : null,
    panel,
    ...finalResponse(found),
  ];
}

// A text of questions, orders and phrases has no verdict, and nothing of it is a response.
function nothingToVerify({ answer }) {
  const why = [...new Set(answer.claims.map((decision) => decision.rationale))];
  const each = answer.claims.length > 1 ? "of each sentence, " : "";
  const told = why.length === 1 ? each + why[0] : "this text claims nothing";
  return [h("p", { class: "hint", id: "verdicts-head" }, `Nothing to verify: ${told}.`)];
}

// What is left of the text: contradicted claims gone, doubtful ones flagged, numbers leading below.
function finalResponse(found) {
  if (!found.claims.length) return [];
  const cites = found.formatted.passages;
  const parts = found.final_response.split(/(\[\d+\]|\[low confidence[^\]]*\]|\[Warning: [^\]]*\])/u);
  const told = parts.filter(Boolean).map((part) => {
    const number = /^\[(\d+)\]$/u.exec(part);
    if (number && cites[number[1] - 1]) return h("a", { href: `#cite-${number[1]}` }, part);
    return part.startsWith("[") ? h("em", { class: "flag" }, part) : part;
  });
  return [
    h("h3", { id: "final-head" }, "Final response"),
    h("p", { class: "final", dir: "auto" }, ...(told.length ? told : ["No text is left: every claim was removed as contradicted."])),
    cites.length ? h("ol", { class: "cites" }, ...cites.map((passage, i) => {
      const chunk = Object.values(found.evidence).find((one) =>
        one.text === passage.text && found.titles[one.doc_id] === (passage.title || ""));
      const source = chunk ? cited(found.citations[chunk.doc_id], found.links[chunk.doc_id]) : passage.title;
      return h("li", { id: `cite-${i + 1}`, tabindex: "-1" },
        h("strong", {}, source), ": ", h("bdi", {}, ...clauseOf(found, chunk, passage.text)), " ",
        chunk ? wayToPassage(chunk.doc_id) : null);
    })) : null,
  ];
}

// An evidence sentence with the clause marked that a part of a claim was held against.
function clauseOf(found, chunk, text) {
  const key = chunk && `${chunk.doc_id}#${chunk.sent_id}`;
  const spans = Object.values(found.parts).flat().filter((part) => part.evidence === key)
    .map((part) => part.clause).filter(([start, stop]) => stop > start);
  if (!spans.length) return marked(text, [[0, Array.from(text).length]]);
  return marked(text, [[Math.min(...spans.map(([start]) => start)), Math.max(...spans.map(([, stop]) => stop))]]);
}

function wayToPassage(pid) {
  const button = h("button", { type: "button", class: "quiet", onclick: () => {
    const card = cardOf(pid);
    if (card) show(card);
    else button.replaceWith(h("span", { class: "hint" }, "(not among the passages below)"));
  } }, "Go to the passage");
  return button;
}

// A claim's text: words that the evidence does not have are struck or underlined, with what it says.
function markedWords(found, i) {
  const letters = Array.from(found.claims[i].text);
  const parts = [];
  let at = 0;
  for (const { span: [start, stop], mark, said } of found.marks[found.claims[i].claim_id]) {
    if (mark === "held") continue;
    parts.push(letters.slice(at, start).join(""),
      h(mark === "contradicted" || said ? "s" : "u", {}, letters.slice(start, stop).join("")), " ",
      h("span", { class: "instead" }, said ? "the evidence: " : mark, said ? h("bdi", {}, said) : null));
    at = stop;
  }
  return [...parts, letters.slice(at).join("")];
}

// The weightiest reason.
const reason = (decision) => decision.rationale.split("; ")[0];

function annotated(found, buttons) {
  // Spans count characters of the text as Python does: code points, not UTF-16 units.
  const letters = Array.from(found.draft_response);
  const parts = [];
  let at = 0;
  found.claims.forEach((claim, i) => {
    const [start, stop] = claim.answer_char_span;
    parts.push(letters.slice(at, start).join(""), buttons[i], " ");
    at = Math.max(at, stop);
  });
  parts.push(letters.slice(at).join(""));
  return parts;
}

function claimButton(found, i) {
  const decision = found.answer.claims[i];
  const kind = KINDS[decision.status];
  const how = { Supported: "overall_confidence", Contradictory: "contradict_prob" }[decision.status];
  const sure = how ? decision.confidence[how].toFixed(2) : "";
  return h(
    "button",
    { type: "button", class: `verdict ${kind.name}`, "aria-expanded": "false",
      "aria-controls": "signals" },
    h("bdi", {}, ...markedWords(found, i)),
    " ",
    h("span", { class: "badge" }, `${kind.sign} ${decision.status} ${sure}`.trim()),
    " ",
    h("span", { class: "told" }, reason(decision)),
  );
}

function signals(found, i) {
  const claim = found.verified_claims[i];
  const decision = found.answer.claims[i];
  const spans = found.claim_evidence_pairs[i].evidence_spans.slice(0, 3);
  const readings = Object.entries(claim.confidence_breakdown);
  readings.sort(([, a], [, b]) => (a.value === null) - (b.value === null)); // those with a value first
  const rows = readings.map(([name, reading]) =>
    h("tr", {},
      h("th", { scope: "row" }, name.replaceAll("_", " ")),
      h("td", { class: "value" }, reading.value === null ? "–" : reading.value.toFixed(3)),
      h("td", {}, reading.reason || "")));
  const parts = found.parts[found.claims[i].claim_id];
  const shown = new Set(parts.map((part) => part.evidence));
  return [
    h("h3", {}, h("bdi", {}, claim.claim)),
    h("p", {}, decision.rationale),
    spans.length ? h("h4", {}, "Evidence") : h("p", {}, "No evidence was found."),
    h("ul", { class: "evidence" }, ...spans.map((span) =>
      h("li", {},
        h("strong", {}, cited(found.citations[span.doc_id], found.links[span.doc_id])), ": ",
        h("bdi", {}, ...(shown.has(`${span.doc_id}#${span.sent_id}`)
          ? clauseOf({ parts: { own: parts } }, span, span.text) : [span.text]))))),
    h("details", {}, h("summary", {}, "Raw signals of this claim"), h("table", {},
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "signal"),
        h("th", { scope: "col" }, "value"), h("th", { scope: "col" }, "remark"))),
      h("tbody", {}, ...rows))),
  ].filter(Boolean);
}
