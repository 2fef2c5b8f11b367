"""The page in a real Chromium: what it shows, what runs in it, keyboard, contrast, narrow screens.

One line of skip where there is no Chromium or no Playwright; ``.ci/run`` installs both.
"""

import json
import re
import shutil
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from hippohover.errors import SourceError
from hippohover.indexing.build import build
from hippohover.language_model.opening import open_language_model
from hippohover.recipe import IndexRecipe, LanguageModelSettings
from hippohover.retrieval.engine import HippoHover
from hippohover.sources.router import SourceRouter
from hippohover.verification.judging import LanguageModelNli
from hippohover.web.documents import Documents
from hippohover.web.server import ServerSettings
from hippohover.web.service import Judges, Service
from tests.placed_samples import write_files
from tests.sources.reply_samples import Shelf, document
from tests.stub_server import serving
from tests.web.page_samples import (
    BEHIND,
    CLAIM,
    CONTRASTS,
    HIDDEN,
    HOSTILE,
    SEVERAL,
    SLOW,
    SlowModel,
    running,
    write_hostile,
)

try:
    from axe_playwright_python.sync_playwright import Axe
    from playwright.sync_api import Browser, Dialog, Page, Route, expect, sync_playwright
except ImportError:
    pytest.skip("no Playwright, no axe: pip install 'hippohover[test]'", allow_module_level=True)

expect.set_options(timeout=60_000)  # a busy machine takes its time

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, BROWSERS)), None)
if CHROMIUM is None:
    pytest.skip("no Chromium on the path: apt-get install chromium", allow_module_level=True)

pytestmark = pytest.mark.slow
TOKEN = "open sesame"  # noqa: S105
QUESTION = "Where was Mira Oldane raised?"


@dataclass(kw_only=True)
class Sites:
    """Addresses of the servers, the stub of the language model, and the browser."""

    browser: Browser
    plain: str
    model: str
    hostile: str
    token: str
    files: str
    engine: HippoHover
    slow: SlowModel


@dataclass
class Seen:
    """A page, and what must not be: messages, errors, dialogs, requests to elsewhere."""

    page: Page
    bad: list[str] = field(default_factory=list[str])

    @property
    def cards(self) -> Any:  # noqa: ANN401
        return self.page.locator(".card")

    def ask(self, claim: str, *, done: bool = True) -> None:
        self.page.click("#tab-ask")
        self.page.fill("#claim", claim)
        self.page.click("#find")
        if done:
            self.page.wait_for_selector("#cancel", state="hidden")

    def check(self, text: str) -> None:
        """Have a text checked, in the view for that."""
        self.page.click("#tab-check")
        self.page.fill("#text", text)
        self.page.click("#check")
        self.page.wait_for_selector("#cancel", state="hidden")

    def unfold(self) -> None:
        """Show the whole of each passage."""
        self.page.get_by_role("button", name="Unfold all").click()

    def set(self, **options: str | bool) -> None:
        """Choose options of a question by their ids."""
        if self.page.locator("#options").get_attribute("open") is None:
            self.page.click("#options summary")
        for name, value in options.items():
            if isinstance(value, bool):
                self.page.set_checked(f"#{name}", value)
            elif name == "k":
                self.page.fill("#k", value)
            else:
                self.page.select_option(f"#{name}", value)


@pytest.fixture(scope="module")
def sites(
    tmp_path_factory: pytest.TempPathFactory, toy_engine: HippoHover, placed_index: Path
) -> Iterator[Sites]:
    folder = tmp_path_factory.mktemp("page")
    recipe = IndexRecipe.model_validate(
        {"name": "hostile", "extractor": "between", "encoder": "none", "query": {"rerank": False}}
    )
    attacks = build(recipe, corpus=write_hostile(folder / "corpus.jsonl"), out=folder / "hostile")
    slow = SlowModel()
    with ExitStack() as stack:
        stub = stack.enter_context(serving(answer=slow.reply))
        settings = LanguageModelSettings(name="openai/stub", api_base=stub.api_base)
        model = stack.enter_context(open_language_model(settings))
        plain = Service(toy_engine)
        hostile, placed = HippoHover.open(attacks), HippoHover.open(placed_index)
        stack.callback(hostile.close)
        stack.callback(placed.close)
        files = Documents(write_files(folder / "files" / "corpus"), TOKEN)
        yield Sites(
            plain=stack.enter_context(running(plain)),
            model=stack.enter_context(running(Service(toy_engine, model=model))),
            hostile=stack.enter_context(running(Service(hostile))),
            token=stack.enter_context(running(plain, ServerSettings(token=TOKEN))),
            files=stack.enter_context(
                running(Service(placed, documents=files), ServerSettings(token=TOKEN))
            ),
            engine=toy_engine,
            slow=slow,
            browser=stack.enter_context(sync_playwright()).chromium.launch(
                executable_path=CHROMIUM, args=["--no-sandbox"]
            ),
        )
        slow.free.set()


@contextmanager
def shown(sites: Sites, address: str, *, width: int = 1280, dark: bool = False) -> Generator[Seen]:
    """The page at an address; nothing bad may be seen on it by the end of the block."""
    context = sites.browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if dark else "light",
        reduced_motion="reduce",
    )
    context.set_default_timeout(60_000)
    page = context.new_page()
    seen = Seen(page)

    def refuse(dialog: Dialog) -> None:
        seen.bad.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    page.on("console", lambda said: seen.bad.append(f"console: {said.text}"))
    page.on("pageerror", lambda error: seen.bad.append(f"error: {error}"))
    page.on("dialog", refuse)
    page.on(
        "request",
        lambda one: None if one.url.startswith("http://127.0.0.1:") else seen.bad.append(one.url),
    )
    try:
        page.goto(address)
        ready = page.locator("#index-line:not(:empty)").or_(
            page.locator("#token-form:not([hidden])")
        )
        ready.first.wait_for(state="attached")
        yield seen
        assert seen.bad == []
    finally:
        context.close()


@pytest.fixture
def plain(sites: Sites) -> Iterator[Seen]:
    """The page without a language model."""
    with shown(sites, sites.plain) as seen:
        yield seen


@pytest.fixture
def model(sites: Sites) -> Iterator[Seen]:
    """The page with a language model."""
    sites.slow.free.clear()
    with shown(sites, sites.model) as seen:
        yield seen
    sites.slow.free.set()


def focused(page: Page) -> str:
    """What has the focus: its id, else its class, else its tag."""
    return page.evaluate(
        "() => { const one = document.activeElement;"
        " return one.id || one.getAttribute('class') || one.localName; }"
    )


def overflow(page: Page) -> int:
    return page.evaluate(
        "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )


# What comes out


def test_a_claim_gives_ranked_passages_and_a_text_verdicts(plain: Seen):
    plain.ask(CLAIM)
    expect(plain.page.locator("#verdicts")).to_be_hidden()
    expect(plain.cards).to_have_count(10)
    assert plain.page.locator(".rank").all_inner_texts() == [str(n) for n in range(1, 11)]
    expect(plain.cards.first.locator(".text")).not_to_be_empty()
    expect(plain.page.locator("#status")).to_have_text("Found 10 passages by ppr.")
    plain.check(CLAIM)
    badge = plain.page.locator(".verdict .badge")
    expect(badge).to_have_count(1)
    expect(badge).to_have_text(
        re.compile(r"^[✓✗?] ((Supported|Contradictory) \d\.\d\d|Low Confidence)$")
    )
    expect(plain.cards.first).to_be_hidden()
    plain.page.click("#tab-ask")
    expect(plain.cards.first).to_be_visible()
    expect(badge).to_be_hidden()


def test_the_best_chain_stands_above_the_passages_with_the_words_that_join_them(plain: Seen):
    plain.ask("The director of Lantern Hill was born in Vellmouth.")
    box = plain.page.locator("#chains")
    first = box.locator(".chain").first
    links = first.locator(".link h3")
    n = links.count()
    assert 2 <= n <= 4
    expect(first.locator(".joint")).to_have_count(n - 1)
    expect(links.first).to_contain_text("Lantern Hill")
    expect(first.locator(".said").first).not_to_be_empty()
    box.get_by_text("How the documents hang together").click()
    graph = box.locator(".walk-scroll svg")
    expect(graph).to_be_visible()
    expect(graph.locator(".edge.strong")).to_have_count(n)
    title = links.nth(n - 1).inner_text()
    links.nth(n - 1).locator("button").click()
    expect(plain.page.locator(".card:focus")).to_have_attribute("data-title", title)
    expect(plain.page.locator(".card:focus .text").first).to_be_visible()
    plain.set(beside="bm25")
    plain.ask("The director of Lantern Hill was born in Vellmouth.")
    expect(box).to_be_hidden()  # two lists are compared


def test_further_passages_are_a_line_each(plain: Seen):
    plain.ask(CLAIM)
    lines = plain.page.locator(".card > details.line")
    expect(lines).to_have_count(7)
    expect(plain.cards.nth(4).locator(".text").first).to_be_hidden()
    expect(plain.cards.nth(4).locator(".sentence")).not_to_be_empty()
    plain.cards.nth(4).locator("summary").first.click()
    expect(plain.cards.nth(4).locator(".text").first).to_be_visible()
    plain.unfold()
    expect(plain.page.locator(".card .text:visible")).not_to_have_count(4)


def test_words_that_the_evidence_has_not_are_struck_with_what_it_says_beside_them(plain: Seen):
    plain.check("Augusta Thornby drove the last train in 1951.")
    verdict = plain.page.locator(".verdict")
    expect(verdict.locator("s")).to_have_text("1951")
    expect(verdict.locator(".instead")).to_have_text("the evidence: 1936")
    expect(verdict.locator(".told")).to_have_text("the evidence says “1936”, not “1951”")


def test_one_passage_and_none_are_told_in_words(plain: Seen):
    plain.set(k="1")
    plain.ask(CLAIM)
    expect(plain.page.locator("#status")).to_have_text("Found 1 passage by ppr.")
    plain.ask("qqqq")
    expect(plain.page.locator("#found")).to_contain_text("Nothing was found")
    expect(plain.page.locator("#status")).to_have_text("Found 0 passages by ppr.")


def test_passages_that_are_only_similar_are_told_to_be(plain: Seen):
    def similar(route: Route) -> None:
        told = json.loads(route.fetch().text().splitlines()[-1])
        told["result"]["by_similarity"] = True
        route.fulfill(body=f"{json.dumps(told)}\n")

    plain.page.route("**/v1/retrieve", similar)
    plain.ask(CLAIM)
    expect(plain.page.locator("#found")).to_contain_text("No name and no search term of this text")
    expect(plain.page.locator("#status")).to_have_text(
        "Found 10 passages by ppr, by similarity alone."
    )


def test_vectors_that_failed_are_told(plain: Seen):
    def failed(route: Route) -> None:
        told = json.loads(route.fetch().text().splitlines()[-1])
        told["result"]["encoding_failure"] = "no answer in 3 s"
        route.fulfill(body=f"{json.dumps(told)}\n")

    plain.page.route("**/v1/retrieve", failed)
    plain.ask(CLAIM)
    told = "Words were compared, because vectors failed: no answer in 3 s"
    expect(plain.page.locator("#found")).to_contain_text(told)


def test_signals_come_on_hover_on_focus_and_on_click(plain: Seen):
    plain.check(SEVERAL)
    page = plain.page
    buttons, panel = page.locator(".verdict"), page.locator("#signals")
    expect(buttons).to_have_count(4)
    expect(buttons.nth(2)).to_contain_text("🚂 of Zanzibar")
    between = page.locator(".annotated").evaluate(
        "(one) => [...one.childNodes].filter((part) => part.nodeType === 3)"
        ".map((part) => part.data).join('').trim()"
    )
    assert between == ""  # spans count code points, not what JavaScript does
    expect(panel).to_be_empty()
    buttons.nth(0).hover()
    expect(panel.locator("h3")).to_contain_text("apprentice")
    table = panel.locator("table")
    expect(table.locator("tr", has_text="coverage tokens").locator(".value")).to_have_text(
        re.compile(r"^\d\.\d{3}$")
    )
    row = table.locator("tr", has_text="max entailment prob")
    expect(row.locator("td").first).to_have_text("–")
    expect(row.locator("td").last).to_have_text("no NLI model")
    panel.locator("summary").hover()  # one can go there with the mouse
    expect(panel.locator("h3")).to_contain_text("apprentice")
    page.locator("#check").focus()
    for _ in range(2):
        page.keyboard.press("Tab")
    expect(buttons.nth(1)).to_be_focused()
    expect(panel.locator("h3")).to_contain_text("not born in Vessby")
    buttons.nth(3).click()
    expect(panel.locator("h3")).to_contain_text("bakery")
    expect(buttons.nth(3)).to_have_attribute("aria-expanded", "true")
    buttons.nth(0).hover()
    page.locator("h1").hover()
    expect(panel.locator("h3")).to_contain_text("bakery")  # what was clicked stays


def test_a_claim_that_scrolls_under_a_mouse_at_rest_does_not_take_the_signals(plain: Seen):
    plain.check(SEVERAL)
    page = plain.page
    buttons, panel = page.locator(".verdict"), page.locator("#signals")
    buttons.nth(1).focus()
    expect(panel.locator("h3")).to_contain_text("not born in Vessby")
    page.mouse.move(5, 5)
    page.evaluate("window.scrollTo(0, 0)")
    box = buttons.nth(3).bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 5, box["y"] + box["height"] / 2 + 200)
    expect(panel.locator("h3")).to_contain_text("not born in Vessby")
    buttons.nth(3).evaluate(
        "(one) => one.addEventListener('mouseenter', () => { one.dataset.entered = 'yes'; })"
    )
    page.evaluate("document.body.style.paddingTop = '200px'")
    expect(buttons.nth(3)).to_have_attribute("data-entered", "yes")
    expect(panel.locator("h3")).to_contain_text("not born in Vessby")
    page.mouse.move(box["x"] + 9, box["y"] + box["height"] / 2 + 200)  # now the mouse goes there
    expect(panel.locator("h3")).to_contain_text("bakery")


def test_a_walk_is_a_graph_with_a_legend_and_its_passages_lead_to_their_cards(plain: Seen):
    plain.ask(CLAIM)
    plain.unfold()
    page = plain.page
    for number in range(10):
        plain.cards.nth(number).locator(".foot button").click()
    expect(page.locator(".card .walk-scroll svg")).to_have_count(10)
    for kind in ("claim", "entity", "passage", "target"):
        expect(page.locator(f".card .node.{kind}").first).to_be_visible()
    for number in range(10):
        card = plain.cards.nth(number)
        target = card.locator(".node.target")
        expect(target).to_have_count(1)
        title = card.get_attribute("data-title")
        expect(target).to_have_attribute("aria-label", f"this passage: {title}")
    legends = " ".join(page.locator(".card .legend").all_inner_texts())
    for told in ("the claim", "this passage", "mention: the passage names it"):
        assert told in legends
    way = page.locator(".card .node.passage[role=button]").first
    title = str(way.get_attribute("aria-label")).removeprefix("passage: ")
    title = title.removesuffix(", go to it in the ranking")
    way.click()
    expect(page.locator(f'.card[data-title="{title}"]')).to_be_focused()
    page.keyboard.press("Shift+Tab")
    way.focus()
    page.keyboard.press("Enter")
    expect(page.locator(f'.card[data-title="{title}"]')).to_be_focused()
    button = plain.cards.first.locator(".foot button")
    button.click()
    expect(button).to_have_text("Show the walk")
    expect(plain.cards.first.locator(".walk")).to_be_hidden()


def test_a_walk_from_a_question_calls_it_one_however_it_ends(plain: Seen):
    plain.ask("Who directed Lantern Hill")
    plain.cards.first.locator(".foot button").click()
    walk = plain.cards.first.locator(".walk")
    expect(walk.locator(".legend")).to_contain_text("the question")
    expect(walk.locator(".node.claim")).to_have_attribute("aria-label", "the question")
    assert "claim" not in walk.inner_text()


def test_names_and_labels_of_a_graph_hide_nothing(plain: Seen):
    plain.ask(CLAIM)
    plain.unfold()
    for number in range(10):
        plain.cards.nth(number).locator(".foot button").click()
    expect(plain.page.locator(".card .walk-scroll svg")).to_have_count(10)
    assert plain.page.evaluate(HIDDEN) == []
    assert max(plain.page.evaluate(BEHIND)) < 120  # no line runs behind the whole of a box


QUESTIONS = [
    ("In what year did Mira Oldane first appear before a camera?", "camera in 1962"),
    ("At what park does the Harbour Cup end?", "final at Lockyard Park"),
    ("Of what was the ear trumpet of Augusta Thornby hollowed?", "hollowed from a gourd"),
]


@pytest.mark.parametrize(("question", "answer"), QUESTIONS)
def test_the_sentence_that_answers_is_highlighted_after_two_actions(
    plain: Seen, question: str, answer: str
):
    plain.page.fill("#claim", question)
    plain.page.click("#find")
    highlighted = plain.page.locator(".card mark").filter(has_text=answer)
    expect(highlighted.first).to_be_visible()
    box = highlighted.first.bounding_box()
    assert box is not None
    assert box["y"] < 2 * 900  # within two screens of the top


def test_the_graph_shows_themes_and_one_leads_to_an_answer(plain: Seen):
    plain.page.click("#tab-graph")
    view = plain.page.locator("#view-graph")
    expect(view.get_by_role("heading", name="Themes")).to_be_visible()
    expect(view).to_contain_text("Groups of documents that name each other")
    title = view.locator(".theme + ul button").first
    words = title.inner_text()
    title.click()
    expect(plain.page.locator("#claim")).to_have_value(f"What is {words}?")
    assert focused(plain.page) == "results"  # what had it is hidden
    expect(plain.cards.first).to_be_visible()
    assert focused(plain.page) == "results"
    plain.page.keyboard.press("Tab")
    assert plain.page.evaluate(
        "() => document.getElementById('results').contains(document.activeElement)"
    )


def test_names_stand_on_the_first_page_where_titles_are_ids(sites: Sites, plain: Seen):
    page = plain.page
    index = page.request.get(f"{sites.plain}v1/index").json()
    index["examples"] = {"titles": [], "names": ["Mira Oldane", "Vessby"], "questions": []}
    group = {"n_documents": 3, "n_passages": 3, "titles": [], "names": ["Casimir Thole"]}
    themes = {"largest": [group, {**group, "names": []}, {**group, "names": ["Veldria"]}]}
    page.route("**/v1/index", partial(_fulfilled, index))
    page.route("**/v1/themes", partial(_fulfilled, {**themes, "n_alone": 0}))
    page.reload()
    page.click("#tab-graph")
    groups = page.locator("#view-graph .examples button")
    expect(groups).to_have_text(["Casimir Thole", "Veldria"])
    expect(page.locator("#view-graph .theme")).to_have_text(["3 documents"] * 2)
    page.click("#tab-ask")
    buttons = page.locator("#start .examples button")
    expect(buttons).to_have_text(["Mira Oldane", "Vessby"])
    expect(page.locator("#start")).to_contain_text("Mentioned most often")
    buttons.first.click()
    expect(page.locator("#claim")).to_have_value("What about Mira Oldane?")
    expect(plain.cards.first).to_be_visible()


def test_each_entry_of_the_history_is_called_what_was_asked(plain: Seen):
    page = plain.page
    expect(page).to_have_title("hippohover: toy")
    for asked in ("Lantern Hill", f"Mira Oldane, {'who was born ' * 9}"):
        plain.ask(asked)
        expect(page).to_have_title(re.compile(rf"^{asked[:20]}.{{0,40}} · hippohover: toy$"))
    page.go_back()
    expect(page).to_have_title("Lantern Hill · hippohover: toy")
    page.go_back()
    expect(page).to_have_title("hippohover: toy")
    page.go_forward()
    expect(page).to_have_title("Lantern Hill · hippohover: toy")


def test_a_link_within_the_page_asks_nothing_again(plain: Seen):
    plain.ask("Lantern Hill")
    sent: list[str] = []
    plain.page.on("request", lambda request: sent.append(request.url))
    plain.page.evaluate("() => { location.hash = '#results'; }")
    plain.page.go_back()
    expect(plain.cards.first).to_be_visible()
    plain.page.evaluate("() => new Promise((done) => setTimeout(done, 100))")
    assert not [url for url in sent if "/v1/" in url]


def test_a_text_too_long_for_an_address_leaves_no_other_question_there(plain: Seen):
    plain.ask("Lantern Hill")
    assert "claim=Lantern" in plain.page.url
    plain.ask("Mira Oldane was born in Vessby. " * 80)
    assert "?" not in plain.page.url
    expect(plain.page.locator("#status")).to_contain_text("too long for an address")


def test_two_retrievers_side_by_side_mark_what_both_found(plain: Seen):
    plain.set(beside="bm25")
    plain.ask(CLAIM)
    columns = plain.page.locator(".column")
    expect(columns).to_have_count(2)
    found = [
        [str(card.get_attribute("data-title")) for card in column.locator(".card").all()]
        for column in columns.all()
    ]
    assert found[0] != found[1]
    for column, mine, other, name in zip(
        columns.all(), found, reversed(found), ("bm25", "ppr"), strict=True
    ):
        tags = column.locator(".tag").all_inner_texts()
        said = [
            f"rank {other.index(t) + 1} by {name}"
            if t in other
            else f"not among the first 10 by {name}"
            for t in mine
        ]
        assert tags == said
    left, right = (one.bounding_box() for one in columns.all())
    assert left is not None
    assert right is not None
    assert left["x"] + left["width"] <= right["x"]


def test_the_facts_of_the_index_are_told(sites: Sites, plain: Seen):
    page = plain.page
    expect(page.locator("#start")).to_be_visible()
    page.click("#tab-graph")
    page.click("#about summary")
    rows = page.locator("#facts div")
    rows.first.wait_for()
    facts = {one.locator("dt").inner_text(): one.locator("dd").inner_text() for one in rows.all()}
    n = f"{len(sites.engine.pids()):,}"
    assert facts["Passages"] == n
    assert facts["Version"] == "v000001"
    assert re.fullmatch(r"[1-9][\d,]* (kB|MB)", facts["On disk"])
    assert facts["Language model"] == "none"
    assert facts["Documents"] == n
    expect(page.locator("#index-line")).to_have_text(f"toy, {n} documents in {n} passages")
    assert facts["Failures"] == "none"
    page.click("#tab-ask")
    expect(page.locator("#start")).to_contain_text(f"This index has {n} documents in {n} passages.")


def _fulfilled(body: dict[str, Any], route: Route) -> None:
    route.fulfill(json=body)


def test_files_that_were_not_read_are_failures(sites: Sites, plain: Seen):
    page = plain.page
    for told, words in (
        ({"n_not_read": 1}, "1 file or record not read"),
        (
            {"n_not_read": 2, "n_failures": 1},
            "2 files or records not read, 1 passage that no facts could be read from",
        ),
    ):
        index = page.request.get(f"{sites.plain}v1/index").json()
        page.route("**/v1/index", partial(_fulfilled, {**index, **told}))
        page.goto(f"{sites.plain}?view=graph")
        row = page.locator("#facts div", has_text="Failures")
        expect(row.locator("dd")).to_have_text(words)


def test_a_text_that_claims_nothing_has_no_response_and_no_counts(plain: Seen):
    for text, kind in (
        (QUESTION, "a question, not a claim"),
        ("Why ships leak", "a question, not a claim"),
        (f"{QUESTION} And why?", "of each sentence, it is a question"),
        ("the leaking of ships", "claims nothing"),
        (f"{QUESTION} List the ships.", "this text claims nothing"),
    ):
        plain.check(text)
        told = plain.page.locator("#verdicts")
        expect(told).to_contain_text(kind)
        expect(told.locator("p")).to_have_count(1)
        expect(told.locator(".final, .verdict, #signals")).to_have_count(0)
        expect(told).not_to_contain_text("supported")
    plain.check(f"{QUESTION} Mira Oldane was tall.")
    expect(plain.page.locator("#verdicts .verdict")).to_have_count(2)


@pytest.mark.parametrize("width", [360, 1280])
def test_the_passage_of_a_long_walk_is_in_sight_at_its_end(sites: Sites, width: int):
    with shown(sites, sites.plain, width=width) as seen:

        def stretch(route: Route) -> None:
            reply = route.fetch()
            told = json.loads(reply.text().splitlines()[-1])
            drawing = told["result"]["drawing"]
            for node in drawing["nodes"]:  # eight columns, the target in the last
                node["layer"] = 8 if node["is_target"] else node["layer"]
            drawing["nodes"] += [
                {**drawing["nodes"][0], "layer": layer, "place": 9} for layer in range(8)
            ]
            route.fulfill(body=f"{json.dumps(told)}\n")

        seen.page.route("**/v1/explain", stretch)
        seen.ask(CLAIM)
        card = seen.cards.first
        card.locator(".foot button").click()
        box, target = card.locator(".walk-scroll"), card.locator(".node.target")
        expect(card.locator(".walk-scroll + .hint")).to_contain_text("scroll to the left")
        around, inside = box.bounding_box(), target.bounding_box()
        assert around is not None
        assert inside is not None
        assert around["x"] <= inside["x"]
        assert inside["x"] + inside["width"] <= around["x"] + around["width"]
        assert overflow(seen.page) == 0


def test_blanks_are_told_what_to_write(plain: Seen):
    plain.page.fill("#claim", " \n ")
    plain.page.click("#find")
    expect(plain.page.locator("#problem")).to_contain_text("Write a question or a claim")
    expect(plain.page.locator("#claim")).to_be_focused()
    plain.ask(CLAIM)
    expect(plain.page.locator("#problem")).to_be_empty()


def test_an_address_keeps_what_was_checked(sites: Sites, plain: Seen):
    plain.check(CLAIM)
    expect(plain.page.locator(".badge")).to_have_count(1)
    with shown(sites, plain.page.url) as seen:
        expect(seen.page.locator("#text")).to_have_value(CLAIM)
        expect(seen.page.locator(".badge")).to_have_count(1)
        expect(seen.page.locator("#tab-check")).to_have_attribute("aria-selected", "true")
    plain.ask("Lantern Hill")
    plain.page.go_back()
    plain.page.go_back()
    expect(plain.page.locator(".badge")).to_be_visible()


def test_nothing_pasted_is_cut_and_too_much_is_told_before_it_is_sent(plain: Seen):
    plain.page.click("#tab-check")
    plain.page.fill("#text", "a" * 100_001)
    expect(plain.page.locator("#length")).to_contain_text("100,001 characters: the server takes")
    assert len(plain.page.input_value("#text")) == 100_001
    plain.page.fill("#text", "Short.")
    expect(plain.page.locator("#length")).to_have_text("Ctrl+Enter sends.")


def test_documents_are_listed_found_by_title_and_what_was_not_read_is_told(
    sites: Sites, plain: Seen
):
    page = plain.page
    page.click("#tab-documents")
    items = page.locator(".documents li")
    expect(items).to_have_count(50)
    page.get_by_role("button", name="Show more").click()
    expect(items).to_have_count(100)
    page.fill("#document-words", "mira old")
    expect(items).to_have_count(1)
    expect(items.first).to_contain_text("Mira Oldane")
    expect(page.locator("#view-documents")).to_contain_text("1 document with these words")
    told = {"n_documents": 0, "documents": [], "not_read": ["a.pdf: a password is needed"]}
    page.route("**/v1/documents?**", partial(_fulfilled, told))
    page.fill("#document-words", "qqqq")
    expect(page.locator(".not-read li")).to_have_text(["a.pdf: a password is needed"])


def test_every_request_of_the_server_is_described(plain: Seen):
    plain.page.click("#tab-api")
    heads = plain.page.locator("#view-api h2")
    expect(heads.first).to_be_visible()
    told = heads.all_inner_texts()
    assert {"POST /v1/retrieve", "POST /v1/verify", "GET /v1/documents"} <= set(told)
    first = plain.page.locator(".request", has_text="POST /v1/retrieve")
    expect(first.locator("tr", has_text="claim")).to_contain_text("must be given")
    expect(first.locator("pre")).to_contain_text("/v1/retrieve")


def test_views_change_by_arrows_and_stand_in_the_address(sites: Sites, plain: Seen):
    page = plain.page
    page.locator("#tab-ask").focus()
    for view in ("check", "documents", "graph", "api", "ask"):
        page.keyboard.press("ArrowRight")
        expect(page.locator(f"#tab-{view}")).to_be_focused()
        expect(page.locator(f"#view-{view}")).to_be_visible()
        expect(page.locator("[role=tabpanel]:visible")).to_have_count(1)
        assert ("view=" in page.url) == (view != "ask")
    with shown(sites, f"{sites.plain}?view=graph") as seen:
        expect(seen.page.get_by_role("heading", name="Themes")).to_be_visible()


# The language model


def test_without_a_model_all_but_the_draft_works_and_the_page_says_so(plain: Seen):
    expect(plain.page.locator("#draft")).to_be_disabled()
    expect(plain.page.locator("#model-line")).to_have_text(
        "This server has no language model: it cannot draft answers, but everything else works."
    )


def test_with_a_model_an_answer_is_drafted_and_has_a_badge_a_claim(model: Seen):
    expect(model.page.locator("#model-line")).to_have_text("openai/stub drafts the answers.")
    model.set(draft=True)
    model.ask(QUESTION)
    expect(model.page.locator("#verdicts h2")).to_have_text("Answer")
    expect(model.page.locator(".badge")).to_have_count(2)
    expect(model.page.locator(".verdict.supported")).to_contain_text("above a bakery. [1]")
    expect(model.page.locator(".verdict.uncertain")).to_contain_text("on the moon")
    expect(model.cards).to_have_count(10)


@pytest.mark.parametrize("by", ["button", "Escape"])
def test_a_slow_answer_shows_where_it_is_and_is_cancelled(model: Seen, by: str):
    page = model.page
    model.set(draft=True)
    model.ask(f"{SLOW} By {by}, of Mira Oldane", done=False)
    expect(page.locator("#status")).to_contain_text("answer: writing the answer")
    expect(page.locator("#bar")).to_be_visible()
    expect(model.cards).to_have_count(10)  # these do not wait
    if by == "button":
        page.click("#cancel")
    else:
        page.keyboard.press("Escape")
    expect(page.locator("#status")).to_have_text("Cancelled.")
    expect(page.locator("#problem")).to_be_empty()
    expect(page.locator("#cancel")).to_be_hidden()
    expect(page.locator("#bar")).to_be_hidden()
    assert focused(page) in ("claim", "find")
    model.check(CLAIM)
    expect(page.locator(".badge")).to_have_count(1)


def test_a_new_claim_shows_its_own_results_alone(sites: Sites, model: Seen):
    page = model.page
    model.set(draft=True)
    model.ask(f"{SLOW} A first one, of the Codex Halmerensis", done=False)
    expect(page.locator("#status")).to_contain_text("answer: writing the answer")
    page.click("#tab-check")
    page.fill("#text", CLAIM)
    page.click("#check")
    expect(page.locator("#verdicts h2")).to_have_text("Verdict")
    sites.slow.free.set()
    page.wait_for_selector("#cancel", state="hidden")
    page.wait_for_timeout(300)
    expect(page.locator("#verdicts h2")).to_have_text("Verdict")
    expect(page.locator(".verdict")).to_contain_text("ferryman's daughter")
    expect(page.locator("#problem")).to_be_empty()


def test_a_link_runs_and_never_calls_the_language_model(sites: Sites, toy_engine: HippoHover):
    n_asked = 0

    def answer(_: dict[str, Any]) -> int:
        nonlocal n_asked
        n_asked += 1
        return 500

    with serving(answer=answer) as stub:
        settings = LanguageModelSettings(name="openai/judge", api_base=stub.api_base, n_retries=0)
        with (
            open_language_model(settings) as judge,
            running(
                Service(toy_engine, model=judge, judges=Judges(nli=LanguageModelNli(judge)))
            ) as address,
            shown(sites, f"{address}?view=check&text=Mira+Oldane+was+tall.") as seen,
        ):
            expect(seen.page.locator("#status")).to_have_text(
                "Opening a link does not call the language model: press Check for verdicts."
            )
            assert n_asked == 0
            seen.check("Mira Oldane was tall.")  # but what is sent by hand is verified
            assert n_asked > 0
    with shown(sites, f"{sites.plain}?claim=Mira+Oldane+was+tall.&retriever=none&k=x") as seen:
        expect(seen.cards).to_have_count(10)
        assert "retriever=ppr" in seen.page.url
        expect(seen.page.locator("#problem")).to_have_text(
            "This index has no retriever called none: the answer is by ppr."
        )


# Errors


def test_a_server_that_stopped_is_told_in_words(sites: Sites, toy_engine: HippoHover):
    with ExitStack() as stack:
        address = stack.enter_context(running(Service(toy_engine)))
        with shown(sites, address) as seen:
            seen.ask(CLAIM)
            stack.close()
            seen.ask(CLAIM)
            expect(seen.page.locator("#problem")).to_have_text(
                "the server does not answer: check that it is running"
            )
            seen.page.wait_for_timeout(100)
            assert seen.bad  # Chromium itself tells of the connection; nothing else may
            assert all("ERR_CONNECTION_REFUSED" in one for one in seen.bad)
            seen.bad.clear()


def test_a_question_without_words_finds_nothing_and_is_no_problem(plain: Seen):
    plain.page.fill("#claim", "?!")
    plain.page.keyboard.press("Enter")
    expect(plain.page.locator("#status")).to_contain_text("Found 0 passages")
    expect(plain.page.locator("#problem")).to_be_empty()
    expect(plain.page.locator("#verdicts")).to_be_hidden()


def test_what_the_server_refuses_is_told_in_its_words(plain: Seen):
    plain.page.fill("#claim", "x" * 10_001)
    plain.page.click("#find")
    expect(plain.page.locator("#problem")).to_contain_text("give 10000 characters or fewer")
    expect(plain.page.locator("#cancel")).to_be_hidden()
    plain.page.wait_for_timeout(100)
    assert all("422" in one for one in plain.bad)
    plain.bad.clear()
    plain.ask(CLAIM)
    expect(plain.page.locator("#problem")).to_be_empty()


def test_a_model_that_fails_is_told_and_the_passages_stand(sites: Sites, toy_engine: HippoHover):
    with serving([500]) as stub:
        settings = LanguageModelSettings(name="openai/broken", api_base=stub.api_base, n_retries=0)
        with (
            open_language_model(settings) as broken,
            running(Service(toy_engine, model=broken)) as address,
            shown(sites, address) as seen,
        ):
            seen.set(draft=True)
            seen.ask(QUESTION)
            expect(seen.page.locator("#problem")).to_contain_text("openai/broken")
            expect(seen.cards).to_have_count(10)
            expect(seen.page.locator("#verdicts")).to_be_hidden()


def test_an_answer_that_breaks_off_is_told(plain: Seen):
    line = '{"stage": "working", "done": 0, "total": 0}\n'
    plain.page.route("**/v1/retrieve", lambda route: route.fulfill(body=line))
    plain.ask(CLAIM)
    expect(plain.page.locator("#problem")).to_contain_text(
        "the connection broke before the answer was complete"
    )


def test_a_token_is_asked_for_and_used(sites: Sites):
    with shown(sites, sites.token) as seen:
        page = seen.page
        expect(page.locator("#token")).to_be_focused()
        expect(page.locator("#problem")).to_contain_text("send the server's token")
        page.keyboard.type("wrong")
        page.keyboard.press("Enter")
        expect(page.locator("#problem")).to_contain_text("send the server's token")
        page.fill("#token", TOKEN)
        page.keyboard.press("Enter")
        expect(page.locator("#token-form")).to_be_hidden()
        expect(page.locator("#claim")).to_be_focused()
        expect(page.locator("#problem")).to_be_empty()
        seen.ask(CLAIM)
        expect(seen.cards).to_have_count(10)
        assert TOKEN not in page.url
        assert all("401" in one for one in seen.bad)
        seen.bad.clear()


# Files of passages


def test_a_citation_leads_to_its_file_which_runs_nothing(sites: Sites):
    with shown(sites, sites.files) as seen:
        page = seen.page
        page.fill("#token", TOKEN)
        page.keyboard.press("Enter")
        seen.ask("Dario Fenn scored the only goal of a final that was moved because of floods.")
        seen.bad.clear()  # the 401 before the token
        pdf = page.locator(".card[data-title='Dario Fenn'] .source a").first
        expect(pdf).to_have_text("cups/fenn.pdf, p. 2")
        assert re.search(r"fenn\.pdf\?key=[0-9a-f]{64}#page=2$", pdf.get_attribute("href") or "")
        seen.check("Dario Fenn scored the only goal of a final that was moved because of floods.")
        page.locator(".verdict").first.click()
        expect(page.locator(".evidence a").first).to_be_attached()
        page.click("#tab-ask")
        with page.expect_popup() as opened:
            page.get_by_role("link", name="cups/1934 & 50 %.html#The day").first.click()
        final = opened.value
        expect(final.locator("h2")).to_be_in_viewport()
        assert final.evaluate("() => [window.ran, window.origin, window.opener]") == [
            *(None, "null", None)
        ]
        assert seen.bad == []


FILL = "\n\n".join(f"Barge {n} carried {n} sacks of oats past Oswick weir." for n in range(120))
RULES = "The toll at Oswick weir is paid\nby **every barge** that Tamsin Rook lets through at dusk."


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("rules.md", f"# Rules\n\n{FILL}\n\n## Toll\n\nIt is due at noon. {RULES}\n"),
        ("rules.txt", f"{FILL}\n\n{RULES.replace('*', '')}\n"),
        (
            "rules.html",
            f"<title>Rules</title><h1>Rules</h1><p>{FILL.replace(chr(10) * 2, '<p>')}"
            f"<h2>Toll</h2><p>{RULES.replace('**', '')}</p>",
        ),
    ],
)
def test_a_text_opens_at_the_cited_passage(sites: Sites, tmp_path: Path, name: str, content: str):
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / name).write_text(content, encoding="utf-8")
    recipe = IndexRecipe.model_validate(
        {"name": "rules", "extractor": "between", "encoder": "none", "query": {"rerank": False}}
    )
    with HippoHover.open(build(recipe, corpus=folder, out=tmp_path / "index")) as engine:
        service = Service(engine, documents=Documents(folder))
        with running(service) as address, shown(sites, address) as seen:
            seen.ask("Tamsin Rook lets every barge through Oswick weir at dusk.")
            link = seen.cards.first.locator(".source a").first
            runs = re.findall(r"text=([^&]+)", unquote(link.get_attribute("href") or ""))
            said = seen.cards.first.locator("mark").all_inner_texts()
            assert runs
            assert any(all(run in " ".join(one.split()) for run in runs) for one in said)
            with seen.page.expect_popup() as opened:
                link.click()
            opened.value.wait_for_function("() => scrollY > 1000")


def test_a_long_text_of_nothing_but_what_others_repeat_shows_its_beginning(plain: Seen):
    def unmark(route: Route) -> None:
        told = json.loads(route.fetch().text().splitlines()[-1])
        first = told["result"]["passages"][0]
        first["highlights"], first["text"] = [], "Of barges and of weirs. " * 40
        route.fulfill(body=f"{json.dumps(told)}\n")

    plain.page.route("**/v1/retrieve", unmark)
    plain.ask(CLAIM)
    text = plain.cards.first.locator(".text")
    expect(text).to_have_text(re.compile("^Of barges and of weirs.{100,400} …$"))
    plain.cards.first.locator(".unfold").first.click()
    expect(text).to_have_text(re.compile("^(Of barges and of weirs. ?){40}$"))


FENCED = "```python\nopen_gate('<b>weir</b>')\n\nwait(3)\n```"
BLOCK = "    shut_gate()\n\twait(4)"
CODE = (
    f"The 🚂 waits, `inline`. Write:\n\n{FENCED}\n\nThen write this:\n\n{BLOCK}\n\n"
    "1. First the gate\n\n    and its lock\n    - and its key\n\n"
    f"    Long ago there was\na weir.\n\n~~~\nleft alone. {'Of barges. ' * 60}"
)


def test_code_is_set_as_such_with_its_highlights(plain: Seen):
    starts = [CODE.index(one) for one in ("🚂 waits", "open_gate", "shut_gate")]
    stops = [CODE.index(one) for one in (", `inline`", "\n```\n\nThen", "\n\n1. First")]
    highlights = list(zip(starts, stops, strict=True))

    def give_code(route: Route) -> None:
        told = json.loads(route.fetch().text().splitlines()[-1])
        for one, marks in zip(told["result"]["passages"], (highlights, []), strict=False):
            one["highlights"], one["text"] = marks, CODE
        route.fulfill(body=f"{json.dumps(told)}\n")

    plain.page.route("**/v1/retrieve", give_code)
    plain.ask(CLAIM)
    first, second = plain.cards.nth(0).locator(".text"), plain.cards.nth(1).locator(".text")
    marks = [CODE[start:stop] for start, stop in highlights]
    assert first.locator("mark").all_text_contents() == marks
    inside = first.locator("mark code").all_text_contents()
    assert "".join(inside) == marks[1] + marks[2]
    assert "".join(first.locator("code").all_text_contents()) == f"{marks[1]}    {marks[2]}"
    plain.cards.first.locator(".unfold").first.click()
    assert first.text_content() == CODE
    assert first.locator("mark").all_text_contents() == marks
    assert "".join(first.locator("code").all_text_contents()) == FENCED + BLOCK
    expect(second).to_have_text(re.compile("…$"))
    assert second.locator("code").all_text_contents() == [FENCED, BLOCK]
    font, space = second.locator("code").first.evaluate(
        "(one) => [getComputedStyle(one).fontFamily, getComputedStyle(one).whiteSpace]"
    )
    assert "monospace" in font
    assert space == "pre-wrap"
    expect(plain.page.locator(".text b")).to_have_count(0)


# Hostile texts


def test_nothing_of_a_corpus_runs_or_leads_outside(sites: Sites):
    with shown(sites, sites.hostile) as seen:
        page = seen.page
        seen.set(beside="bm25")
        seen.set(k="21")
        words = (
            "<img src=x onerror=window.ran=9> lair script svg picture control ירושלים 東京都庁舎"
        )
        seen.ask(f"{words} WWW constructor")
        buttons = page.locator(".card .foot button")
        assert buttons.count() >= 10
        for button in buttons.all():
            button.click()
        expect(page.locator(".walk-place > *")).to_have_count(buttons.count())
        expect(page.locator(".walk-place")).not_to_contain_text(
            ["Looking for paths"] * buttons.count()
        )
        for summary in page.locator("#results summary").all():
            summary.click()
        titles = set(page.locator(".card h3 bdi").all_inner_texts())
        texts = "\n".join(page.locator(".card .text").all_inner_texts())
        assert {HOSTILE[0][0], HOSTILE[2][0], HOSTILE[7][0]} <= titles
        assert HOSTILE[0][1] in texts
        assert HOSTILE[2][1] in texts
        paths = " ".join(page.locator(".paths").all_inner_texts())
        assert "tfel ot thgir" in paths
        assert "\u202e" not in paths  # it would turn the words behind it
        page.wait_for_timeout(200)
        assert page.evaluate("() => window.ran") is None
        for view in ("documents", "graph", "api"):
            page.click(f"#tab-{view}")
            expect(page.locator(f"#view-{view} > *").first).to_be_visible()
            assert overflow(page) == 0
        seen.check(f"{words} is a lair. WWW is a constructor.")
        page.locator(".verdict").first.click()
        assert page.evaluate("() => window.ran") is None
        inside = page.locator("#results :is(script, img, iframe, a, object, embed, style, link)")
        expect(inside).to_have_count(0)
        handlers = page.evaluate("""() => [...document.querySelectorAll("#results *")].filter(
          (one) => [...one.attributes].some((at) => at.name.startsWith("on"))).length""")
        assert handlers == 0
        assert overflow(page) == 0


def test_what_sources_found_leads_to_its_address_and_runs_nothing(
    sites: Sites, toy_engine: HippoHover
):
    title = "<img src=x onerror=window.ran=1> of Mira Oldane"
    found = document(title, "<script>window.ran=2</script> Mira Oldane.", document_id="p1")
    attack = document("Mira Oldane in a trap", document_id="p2", address="javascript:window.ran=3")
    shelf = Shelf([found, attack])
    down = Shelf(name="web", fails=lambda: SourceError("web answered with HTTP 503: try later"))
    with (
        running(Service(toy_engine, sources=SourceRouter([shelf, down]))) as address,
        shown(sites, address) as seen,
    ):
        seen.ask("Who is Mira Oldane of")
        card = seen.page.locator(".card[data-pid='shelf:p1']")
        expect(card.locator("h3 bdi")).to_have_text(title)
        expect(card.locator(".source a")).to_have_attribute("href", found.address)
        expect(card.locator(".foot")).to_have_text("found by shelf")
        expect(seen.page.locator(".card[data-pid='shelf:p2'] a")).to_have_count(0)
        expect(seen.page.locator("#results .column .problem")).to_contain_text(
            "Source web answered"
        )
        expect(seen.cards.first.locator(".foot button")).to_have_text("Show the walk")
        assert seen.page.evaluate("() => window.ran") is None


# Keyboard, narrow screens, colours


def test_the_keyboard_alone_is_enough(plain: Seen):
    page = plain.page
    page.locator("body").press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    order: list[str] = []
    for _ in range(4):
        page.keyboard.press("Tab")
        order.append(focused(page))
        outline = page.evaluate(
            "() => parseFloat(getComputedStyle(document.activeElement).outlineWidth)"
        )
        assert outline >= 2, order[-1]
    assert order == ["tab-ask", "claim", "find", "summary"]
    page.locator("#claim").focus()
    page.keyboard.type("One line.")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type(CLAIM)
    page.keyboard.press("Enter")
    expect(page.locator("#claim")).to_have_value(f"One line.\n{CLAIM}")
    expect(plain.cards).to_have_count(10)
    expect(page.locator("#cancel")).to_be_hidden()  # later; it takes a Tab
    expect(page.locator("#claim")).to_be_focused()
    plain.cards.first.locator(".foot button").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".card .walk-scroll svg")).to_be_visible()
    page.keyboard.press("Tab")
    assert focused(page) == "walk-scroll"
    expect(page.locator(".walk summary")).to_have_count(1)
    reached = {focused(page)}
    for _ in range(30):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("() => document.activeElement.textContent"))
    assert len({one for one in reached if one.startswith("Seeds of the walk")}) == 1


@pytest.mark.parametrize("address", ["plain", "hostile"])
def test_a_narrow_screen_scrolls_down_alone(sites: Sites, address: str):
    with shown(sites, getattr(sites, address), width=360) as seen:
        page = seen.page
        assert overflow(page) == 0
        seen.set(beside="bm25")
        seen.ask(f"{CLAIM} {'Lair' * 100} of <script> 東京都庁舎 ירושלים")
        for button in page.locator(".card .foot button").all():
            button.click()
        expect(page.locator(".card .walk-scroll svg").first).to_be_visible()
        assert overflow(page) == 0
        seen.check(f"{CLAIM} {'Lair' * 100} of <script> is 東京都庁舎.")
        page.locator(".verdict").first.click()
        assert overflow(page) == 0
        for view, waited in (("documents", "li"), ("graph", "h2"), ("api", "table")):
            page.click(f"#tab-{view}")
            page.locator(f"#view-{view} {waited}").first.wait_for()
            assert overflow(page) == 0


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_text_can_be_read_and_axe_finds_nothing(sites: Sites, dark: bool):
    with shown(sites, sites.model, dark=dark) as seen:
        page = seen.page
        seen.set(beside="bm25")
        seen.ask(f"{SEVERAL} Mira Oldane is not a Veldrian actress.")
        for number in range(4):
            seen.cards.nth(number).locator(".foot button").click()
        expect(page.locator(".card .walk-scroll svg")).to_have_count(4)
        wanted = {"hint", "quiet", "tag", "tag both", "rank", "edge-label", "node claim"}
        assert_readable(page, wanted | {"node entity", "node target", "buttons button"})
        page.evaluate("() => { document.getElementById('problem').textContent = 'A problem.'; }")
        assert_readable(page, set())
        page.reload()
        page.fill("#claim", "")
        assert_readable(page, {"placeholder"})
        seen.check(f"{SEVERAL} Mira Oldane is not a Veldrian actress.")
        page.locator(".verdict").first.focus()
        assert_readable(page, {"badge", "value"})
        for view, waited in (("documents", "li"), ("graph", ".examples"), ("api", "table")):
            page.click(f"#tab-{view}")
            page.locator(f"#view-{view} {waited}").first.wait_for()
            assert_readable(page, {"hint"})


def assert_readable(page: Page, wanted: set[str]) -> None:
    """Texts have enough contrast, those that are wanted are there, and axe finds nothing."""
    told = [(name, ratio) for name, ratio in page.evaluate(CONTRASTS)]
    assert [(name, round(ratio, 2)) for name, ratio in told if ratio < 4.5] == []
    names = {name for name, _ in told}
    assert wanted <= names, wanted - names
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
