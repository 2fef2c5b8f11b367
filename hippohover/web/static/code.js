// Where the text of a passage is code: what is fenced, and blocks that are indented.

const FENCE = /^[\s>]*(`{3,}|~{3,})(.*)$/;
const INDENTED = /^(?: {4}|\t)/;
const ITEM = /^\s*(?:[-*+•]|\d{1,9}[.)])\s/;

// Spans of whole lines, in code points, as highlights count them.
export function codeSpans(text) {
  const lines = text.split("\n");
  const fenced = fencedLines(lines);
  const indented = indentedLines(lines, fenced);
  const spans = [];
  let at = 0;
  lines.forEach((line, i) => {
    const stop = at + Array.from(line).length;
    const last = spans.at(-1);
    if (fenced.has(i) || indented.has(i)) {
      if (last?.[1] === at - 1) last[1] = stop;
      else spans.push([at, stop]);
    }
    at = stop + 1;
  });
  return spans;
}

// A passage may end within its code; a lone fence that says no language may begin or end some, and is
// left alone.
function fencedLines(lines) {
  const found = new Set();
  const fences = lines.flatMap((line, at) => {
    const [, fence, told = ""] = FENCE.exec(line) ?? [];
    return fence && !(fence[0] === "`" && told.includes("`")) ? [{ at, fence, told: told.trim() }] : [];
  });
  for (let n = 0; n < fences.length; n += 1) {
    const { at, fence, told } = fences[n];
    const end = fences.findIndex((one, m) => m > n && !one.told && one.fence.startsWith(fence));
    if (end < 0 && !told) continue;
    n = end < 0 ? fences.length : end;
    add(found, at, fences[end]?.at ?? lines.length - 1);
  }
  return found;
}

function add(found, first, last) {
  for (let at = first; at <= last; at += 1) found.add(at);
}

// Blocks between blank lines. Within a list, indented is what goes on with an item.
function indentedLines(lines, fenced) {
  const found = new Set();
  let inList = false;
  for (let i = 0; i < lines.length; i += 1) {
    if (fenced.has(i) || !lines[i].trim()) continue;
    const start = i;
    while (i + 1 < lines.length && lines[i + 1].trim() && !fenced.has(i + 1)) i += 1;
    const block = lines.slice(start, i + 1);
    if (!block.every((line) => INDENTED.test(line))) inList = block.some((line) => ITEM.test(line));
    else if (!inList && !ITEM.test(block[0])) add(found, start, i);
  }
  return found;
}
