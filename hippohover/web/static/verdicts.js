// A text with a badge on each of its claims; the raw signals of a claim on hover, focus or click.

import { cited, h } from "./dom.js";

const KINDS = {
  "Supported": { name: "supported", sign: "✓" },
  "Contradictory": { name: "contradictory", sign: "✗" },
  "Low Confidence": { name: "uncertain", sign: "?" },
};

export function verdictsSection(found, drafted) {
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
    button.addEventListener("mouseenter", () => show(i));
    button.addEventListener("mouseleave", () => { if (pinned !== null) show(pinned); });
    button.addEventListener("focus", () => { pinned = i; show(i); });
    button.addEventListener("click", () => { pinned = i; show(i); });
  });
  const stats = found.answer.summary_stats;
  const counts = `${stats.supported_high + stats.supported_low} supported, `
    + `${stats.insufficient} of low confidence, ${stats.contradicted} contradicted`;
  return [
    h("h2", { id: "verdicts-head" }, drafted ? "Answer" : "Verdict"),
    drafted ? h("p", { class: "hint" }, "Written by the language model for: ",
      h("bdi", {}, found.query.text)) : null,
    h("p", { class: "annotated", dir: "auto" }, ...annotated(found, buttons)),
    h("p", { class: "hint" }, `${counts}. A hint where to look, not a decision: choose a claim to see `
      + "what it was held against."),
    found.failure ? h("p", { class: "problem" }, `A model failed on the way: ${found.failure}`) : null,
    panel,
  ];
}

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
  const sure = decision.confidence.overall_confidence.toFixed(2);
  return h(
    "button",
    { type: "button", class: `verdict ${kind.name}`, "aria-expanded": "false",
      "aria-controls": "signals" },
    h("bdi", {}, found.claims[i].text),
    " ",
    h("span", { class: "badge" }, `${kind.sign} ${decision.status} ${sure}`),
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
  return [
    h("h3", {}, h("bdi", {}, claim.claim)),
    h("p", {}, decision.rationale),
    spans.length ? h("h4", {}, "Evidence") : h("p", {}, "There is no evidence."),
    h("ul", { class: "evidence" }, ...spans.map((span) =>
      h("li", {},
        h("strong", {}, cited(found.citations[span.doc_id], found.links[span.doc_id])), ": ",
        h("bdi", {}, span.text)))),
    h("table", {},
      h("caption", {}, "Raw signals of this claim"),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "signal"),
        h("th", { scope: "col" }, "value"), h("th", { scope: "col" }, "remark"))),
      h("tbody", {}, ...rows)),
  ];
}
