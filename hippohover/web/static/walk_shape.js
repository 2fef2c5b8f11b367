// Where lines and texts of a walk's graph stand, so that none hides a node or another text.

import { cut } from "./dom.js";

const COLUMN = 220;
const ROW = 76;
const MARGIN = 10;
const LABEL = { size: 11, height: 14, room: 78 };
const LIFTS = [0, -35, 35, -70, 70, -105, 105, -140, 140];
const STEPS = [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.12, 0.88];

export const BOX = { width: 148, height: 42 };
export const NAME_SIZE = 12;

const pen = document.createElement("canvas").getContext("2d");

function widthOf(text, size) {
  pen.font = `${size}px system-ui, sans-serif`;
  return pen.measureText(text).width;
}

function fitted(text, size, room) {
  let n = 60;
  let line = cut(text, n);
  while (n > 1 && widthOf(line, size) > room) line = cut(text, n -= 1);
  return line;
}

// One line, or two: broken between words, or inside one that is too long. ``below`` has a line of its own.
export function nameLines(name, below = "") {
  const room = BOX.width - 14;
  if (below) return [fitted(name, NAME_SIZE, room), below];
  const whole = cut(name, 80);
  if (widthOf(whole, NAME_SIZE) <= room) return [whole];
  const words = whole.split(" ");
  const parts = widthOf(words[0], NAME_SIZE) <= room ? words : Array.from(whole);
  const joint = parts === words ? " " : "";
  let n = 1;
  while (widthOf(parts.slice(0, n + 1).join(joint), NAME_SIZE) <= room) n += 1;
  return [parts.slice(0, n).join(joint), fitted(parts.slice(n).join(joint), NAME_SIZE, room)];
}

export function shape({ nodes, edges }) {
  const layers = [...new Set(nodes.map((node) => node.layer))].sort((a, b) => a - b); // none empty
  const centers = nodes.map(({ layer, place }) =>
    ({ x: (layers.indexOf(layer) + 0.5) * COLUMN, y: place * ROW }));
  const boxes = centers.map(({ x, y }) => around(x, y, BOX.width + 4, BOX.height + 4));
  const drawn = [];
  const curves = edges.map(({ start, end }) => curve(centers[start], centers[end], boxes, drawn));
  const taken = [...boxes];
  const labels = edges.map(({ label }, i) =>
    labelPlace(fitted(label, LABEL.size, LABEL.room), curves[i], taken));
  const heights = [...boxes.flatMap((box) => [box.top, box.bottom]),
    ...curves.flatMap((line) => STEPS.map((t) => at(line, t).y))];
  const top = Math.min(...heights) - MARGIN;
  return {
    centers, labels, top, width: COLUMN * layers.length, height: Math.max(...heights) + MARGIN - top,
    lines: curves.map(([a, b, c, d]) => `M${a.x} ${a.y}C${b.x} ${b.y} ${c.x} ${c.y} ${d.x} ${d.y}`),
  };
}

function curve(from, to, boxes, drawn) {
  if (from.x === to.x) return beside(from, to);
  const half = Math.sign(to.x - from.x) * BOX.width / 2;
  const [a, d] = [{ x: from.x + half, y: from.y }, { x: to.x - half, y: to.y }];
  const x = (a.x + d.x) / 2;
  const ways = (Math.abs(to.x - from.x) > COLUMN ? LIFTS : [0]).map((lift) => {
    const line = [a, { x, y: a.y + lift }, { x, y: d.y + lift }, d];
    const cost = 100 * hidden(line, boxes) + 10 * alongside(line, drawn) + Math.abs(lift);
    return { line, cost };
  });
  const { line } = ways.reduce((best, way) => (way.cost < best.cost ? way : best));
  drawn.push(...STEPS.map((t) => at(line, t)));
  return line;
}

// Of one column: straight between neighbours, else round the right of what stands between.
function beside({ x, y: fromY }, { y: toY }) {
  if (Math.abs(toY - fromY) > ROW) {
    const right = x + BOX.width / 2;
    return [{ x: right, y: fromY }, { x: right + 45, y: fromY }, { x: right + 45, y: toY },
      { x: right, y: toY }];
  }
  const half = Math.sign(toY - fromY) * BOX.height / 2;
  const [a, d] = [{ x, y: fromY + half }, { x, y: toY - half }];
  return [a, a, d, d];
}

function hidden(line, boxes) {
  let n = 0;
  for (let t = 0.06; t < 0.95; t += 0.04) {
    const { x, y } = at(line, t);
    if (boxes.some((box) => meet(box, { left: x, right: x, top: y, bottom: y }))) n += 1;
  }
  return n;
}

const alongside = (line, drawn) => STEPS.map((t) => at(line, t)).filter(({ x, y }) =>
  drawn.some((point) => Math.abs(point.x - x) < 25 && Math.abs(point.y - y) < 9)).length;

// The first place along the line that is free; a label that has none is left out.
function labelPlace(text, line, taken) {
  const wide = widthOf(text, LABEL.size);
  for (const t of STEPS) {
    const { x, y } = at(line, t);
    const place = around(x, y, wide, LABEL.height);
    if (taken.some((box) => meet(box, place))) continue;
    taken.push(place);
    return { text, x, y: y + 4 };
  }
  return null;
}

const around = (x, y, width, height) =>
  ({ left: x - width / 2, right: x + width / 2, top: y - height / 2, bottom: y + height / 2 });

const meet = (one, other) => one.left < other.right && other.left < one.right
  && one.top < other.bottom && other.top < one.bottom;

function at([a, b, c, d], t) {
  const s = 1 - t;
  const mean = (p, q, r, u) => s * s * s * p + 3 * s * s * t * q + 3 * s * t * t * r + t * t * t * u;
  return { x: mean(a.x, b.x, c.x, d.x), y: mean(a.y, b.y, c.y, d.y) };
}
