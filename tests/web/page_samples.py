"""What the tests of the page share: a server on a thread, hostile documents, a slow model."""

import json
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import uvicorn

from hippohover.web.server import ServerSettings, make_app
from hippohover.web.service import Service
from hippohover.web.serving import bound_socket
from tests.stub_server import Reply, chat, completion, send

CLAIM = "The director of the drama in which Mira Oldane played the ferryman's daughter was tall."
SEVERAL = (
    "Casimir Thole was an apprentice of a watchmaker. Casimir Thole was not born in Vessby. "
    "Nobody knows the 🚂 of Zanzibar. Mira Oldane was raised above a bakery."
)
ANSWER = "Mira Oldane was raised above a bakery. [1] She was born on the moon in 1412."
SLOW = "How slow is the model?"

# Whatever of this runs sets `window.ran`, opens a dialog, or asks for http://outside.invalid.
HOSTILE = [
    ("<script>window.ran=1</script>",
     "<script>alert(1)</script> names <img src=x onerror=window.ran=2> in its lair."),
    ('"><svg onload=window.ran=3>',
     "The svg of the lair breaks out of \"quotes\" and 'others' --> ]]> </p>."),
    ("<img src=http://outside.invalid/x onerror=alert(4)>",
     "A picture of the lair <iframe src='javascript:window.ran=5'></iframe> "
     "[x](javascript:alert(6)) javascript:alert(7) http://outside.invalid/"),
    ("ירושלים \u202etfel ot thgir",
     "ירושלים היא עיר. \u202eA text that turns round\u202c the lair."),
    ("東京都庁舎", "東京都庁舎は新宿区にある。東京都庁舎 is a lair in CJK."),
    ("W" * 300, "The lair of " + "x" * 900 + " and " + "漢" * 400 + "."),
    ("Lair \x01\x07\x1b[31m\ud800 control",
     "A lair with \x00 \x1b \x7f \u0085 \ufeff \u2028 marks."),
    ("__proto__", "The lair of constructor and __proto__. </textarea></title><b>bold</b>"),
]  # fmt: skip

CONTRASTS = """() => {
  const pen = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const over = (colors) => {
    pen.clearRect(0, 0, 1, 1);
    for (const color of colors) { pen.fillStyle = color; pen.fillRect(0, 0, 1, 1); }
    return [...pen.getImageData(0, 0, 1, 1).data];
  };
  const light = (rgb) => {
    const [r, g, b] = rgb.slice(0, 3).map((v) => v / 255)
      .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const grounds = (one) => {
    const found = [];
    for (let at = one; at; at = at.parentElement) {
      found.unshift(getComputedStyle(at).backgroundColor);
    }
    return found;
  };
  const ratio = (color, below) => {
    const back = over(["white", ...below]);
    const [a, b] = [light(over([`rgb(${back.slice(0, 3)})`, color])), light(back)];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  };
  const told = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const one = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || !one.getClientRects().length) continue;
    if (one.closest("option, title, noscript, .skip") || one.querySelector(":disabled")) continue;
    const style = getComputedStyle(one);
    const inSvg = one instanceof SVGElement;
    const node = inSvg && one.closest(".node");
    const below = grounds(inSvg ? one.closest("div") : one);
    if (node) below.push(getComputedStyle(node.querySelector("rect")).fill);
    const name = inSvg ? (node ? `node ${node.classList[1]}` : "edge-label")
      : one.className || `${one.parentElement.className} ${one.localName}`.trim();
    told.push([name, ratio(inSvg ? style.fill : style.color, below)]);
  }
  const claim = document.getElementById("claim");
  const hint = getComputedStyle(claim, "::placeholder");
  told.push(["placeholder", ratio(hint.color, grounds(claim))]);
  return told;
}"""
"""Of every text in sight, its class and its contrast with what it stands on."""


HIDDEN = """() => [...document.querySelectorAll(".walk-scroll svg")].flatMap((one) => {
  const box = (part) => part.getBoundingClientRect();
  const meet = (a, b) => a.left < b.right && b.left < a.right
    && a.top < b.bottom && b.top < a.bottom;
  const rects = [...one.querySelectorAll("rect")].map(box);
  const labels = [...one.querySelectorAll(".edge-label")];
  const wide = [...one.querySelectorAll(".node")].filter((node) =>
    [...node.querySelectorAll("text")].some((text) =>
      box(text).width > box(node.querySelector("rect")).width));
  const hits = labels.filter((a, i) => rects.some((rect) => meet(box(a), rect))
    || labels.slice(i + 1).some((b) => meet(box(a), box(b))));
  return [...wide, ...hits].map((part) => part.textContent);
})"""
"""In graphs of walks: names wider than their boxes, and labels on a box or on one another."""


BEHIND = """() => [...document.querySelectorAll(".walk-scroll svg")].flatMap((one) => {
  const boxes = [...one.querySelectorAll("rect")].map((rect) => rect.getBBox());
  return [...one.querySelectorAll("path")].map((line) => {
    const inside = (at) => boxes.some((box) => at.x > box.x && at.x < box.x + box.width
      && at.y > box.y && at.y < box.y + box.height);
    let n = 0;
    for (let at = 0; at < line.getTotalLength(); at += 2) {
      if (inside(line.getPointAtLength(at))) n += 2;
    }
    return n;
  });
})"""
"""Of every line in graphs of walks, how much of it is hidden behind boxes."""


def write_hostile(path: Path) -> Path:
    """A corpus whose texts attack the page."""
    lines = [json.dumps({"title": title, "text": text}) for title, text in HOSTILE]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


class SlowModel:
    """Answers at once, but what it is asked of ``SLOW`` only when ``free`` is set."""

    def __init__(self) -> None:
        self.free = threading.Event()
        self.n_asked = 0

    def reply(self, body: dict[str, Any]) -> Reply:
        self.n_asked += 1
        text = chat("", answer=ANSWER)
        if SLOW not in body["messages"][-1]["content"]:
            return text

        def later(handler: BaseHTTPRequestHandler) -> None:
            self.free.wait(60)
            send(handler, completion(text))

        return later


@contextmanager
def running(
    service: Service, settings: ServerSettings | None = None, port: int = 0
) -> Generator[str]:
    """The address of a real server for as long as the block runs."""
    app = make_app(service, settings or ServerSettings())
    with bound_socket("127.0.0.1", port) as listening:
        server = uvicorn.Server(
            uvicorn.Config(app, log_config=None, access_log=False, timeout_graceful_shutdown=1)
        )
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        while not server.started:
            assert thread.is_alive(), "the server did not start"
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
        finally:
            server.should_exit = True
            thread.join()
