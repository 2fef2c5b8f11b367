"""Takes the README's two pictures of the page, of the toy index: python docs/images/take.py

It needs the extra ``test`` and a Chromium on the path.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from hippohover.cli.demo import toy_recipe_path
from hippohover.indexing.build import build
from hippohover.toy import toy_corpus_path

HERE = Path(__file__).parent
QUESTION = (
    "The builder of the hotel where Ilka Soromenho finished ahead of three grandmasters began as a "
    "maker of violins."
)
TEXT = (
    "The drama in which Mira Oldane played the ferryman's daughter was shot in eleven days. "
    "Augusta Thornby drove the last train in 1951. Her ear trumpet was hollowed from a gourd."
)


def take(browser: Browser, address: str, scheme: str) -> None:
    context = browser.new_context(
        viewport={"width": 1280, "height": 900},
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector("#start .examples")
    if scheme == "light":
        page.fill("#claim", QUESTION)
        page.click("#find")
        page.wait_for_selector(".card")
        page.get_by_text("How the documents hang together").click()
    else:
        page.click("#tab-check")
        page.fill("#text", TEXT)
        page.click("#check")
        page.wait_for_selector(".badge")
        page.locator(".verdict").nth(1).hover()
    page.screenshot(path=HERE / f"page-{scheme}.png")
    context.close()


def main() -> None:
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as made:
        build(toy_recipe_path(), corpus=toy_corpus_path(), out=Path(made) / "toy")
        serve = [sys.executable, "-m", "hippohover", "serve", f"{made}/toy", "--port", "0"]
        server = subprocess.Popen(serve, stderr=subprocess.PIPE, text=True)  # noqa: S603
        try:
            assert server.stderr is not None  # noqa: S101
            said = next(line for line in server.stderr if "http://" in line)
            address = said[said.index("http://") :].split()[0]
            with sync_playwright() as driver:
                browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
                for scheme in ("light", "dark"):
                    take(browser, address, scheme)
                browser.close()
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
