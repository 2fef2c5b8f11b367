"""Markdown as people have it: names, headings, anchors, links, tables; and what are no words."""

import pytest

from hippohover.indexing.corpus.readers.texts.markdown import marked_text, read
from hippohover.indexing.corpus.records import Document, Heading, Link
from tests.indexing.corpus.readers.texts.text_samples import (
    document,
    headings_in,
    source,
    targets_of,
)

NOTE = b"""\xef\xbb\xbf---\r
title: Pale Weir\r
aliases:\r
- the weir\r
alias: PW\r
tags: [lock, water]\r
date: 2026-03-01\r
---\r
\r
# The Pale Weir\r
A [lock](../locks/a%20lock.md#x), see [[Ott|the man]].\r
## Keys\r
None."""

POST = """+++
title = "Rates of 2026"
date = 2026-03-01
draft = false
weight = 3
[extra]
by = ["Ada"]
+++
Text.
"""

README = """<!-- a comment
-->
<h1 align="center">The <b>Heron</b>&nbsp;Bridge</h1>
<p align="center"><img src="logo.png" alt="Logo"></p>

Read the [guide][], the [rules][r] and the [site]. [![Build][badge]][site]

Span
----
It is <span style="color: red">300 m</span> long.

[guide]: docs/guide.md "Guide"
[R]: <docs/the rules.md>
[site]: https://example.org
[badge]: https://example.org/badge.svg
"""


def test_a_note_with_front_matter():
    note = document(read, "help/pale.md", NOTE)
    text = (
        "\n# The Pale Weir\nA [lock](../locks/a%20lock.md#x), see [[Ott|the man]].\n## Keys\nNone."
    )
    assert note == Document(
        "Pale Weir",
        text,
        (Link(text.index("[lock"), "locks/a lock"), Link(text.index("[[Ott"), "Ott")),
        fields=note.fields,
        id="help/pale",
        aliases=("the weir", "PW", "The Pale Weir", "pale"),
        headings=(
            Heading(1, "The Pale Weir", "The Pale Weir"),
            Heading(text.index("## Keys"), "The Pale Weir > Keys", "Keys"),
        ),
        path="help/pale.md",
    )
    assert (note.fields["tags"], note.fields["date"]) == (["lock", "water"], "2026-03-01")


def test_a_heading_that_says_the_title_again_is_no_text():
    note = document(read, "x.md", "---\ntitle: Pale weir\n---\n# Pale Weir\nText.")
    assert (note.title, note.text) == ("Pale weir", "Text.")


@pytest.mark.parametrize(
    ("front", "titles"),
    [
        ('up: "[[Ott|the man]]"', ["Ott"]),
        ("up: [[Ott]]", ["Ott"]),
        (
            'related:\n  - "[[Ott]]"\n  - "[a lock](locks/a%20lock.md)"',
            ["Ott", "help/locks/a lock"],
        ),
        ("nested:\n  deep: ['[[Ott]]', '[[Ott]]']", ["Ott"]),
        ("links: [Ott, ../b.md, 'https://x.example/y', x/c]", ["Ott", "b", "help/x/c"]),
        ("links: Ott", ["Ott"]),
        ("links:\n- name: x\n  url: y.md", []),
        ("tags: [Ott]\nrelated: [Ott]", []),
    ],
)
def test_links_of_front_matter_are_links(front: str, titles: list[str]):
    note = document(read, "help/n.md", f"---\n{front}\n---\nText. [[Key]]")
    assert note.links[:-1] == tuple(Link(0, title) for title in titles)
    assert note.links[-1] == Link(6, "Key")
    assert note.text == "Text. [[Key]]"


def test_links_of_front_matter_that_is_no_yaml_are_links():
    [_, note] = read(source("n.md", "---\nrelated: [[Ott]], [[Lock#Keys]]\n---\nText."))
    assert isinstance(note, Document)
    assert note.links == (Link(0, "Ott"), Link(0, "Lock"))


def test_a_list_within_a_list_of_toml_is_no_link():
    note = document(read, "n.md", '+++\nof = [["a", "b"]]\nup = "[[Ott]]"\n+++\nText.')
    assert [link.title for link in note.links] == ["Ott"]


BADGE = "[![CI](https://x.example/b.svg)](https://x.example)"


@pytest.mark.parametrize(
    ("above", "kept"),
    [
        (BADGE, ""),
        (f"{BADGE} {BADGE}\n![logo](l.png)\n", ""),
        ("<!-- a\ncomment -->\n[![CI][b]][c] ![x][b]\n", ""),
        ("![[cover.png|300]]", "![[cover.png|300]]"),
        ("[English](en.md) | [中文](zh.md)", "[English](en.md) | [中文](zh.md)"),
        ("#lock #water/weir", "#lock #water/weir"),
        ("[TOC]\n\n***\n", "[TOC]\n\n***"),
        ("{% include nav.md %}", "{% include nav.md %}"),
    ],
)
@pytest.mark.parametrize("heading", ["# Pale Weir", "Pale Weir\n=="])
def test_pictures_links_and_tags_above_the_title_are_no_text_before_it(
    above: str, kept: str, heading: str
):
    note = document(
        read, "n.md", f"{above}\n\n{heading}\n\nA lock.\n\n## Keys [a](k.md)\n\n[b]: x.svg\n[c]: y"
    )
    assert (note.title, note.text[: len(kept)]) == ("Pale Weir", kept)
    assert " ".join(note.text.removeprefix(kept).split()) == "A lock. ## Keys [a](k.md)"
    assert note.text[note.headings[0].offset :].startswith("## Keys")
    assert [note.text[link.offset :][:4] for link in note.links if link.title == "k"] == ["[a]("]
    assert {link.title for link in note.links} == {"k", *(("en", "zh") if "en.md" in kept else ())}


@pytest.mark.parametrize(
    "above", ["A word.", f"{BADGE}\nA word.", "```\nx\n```", "## Not yet", "> q"]
)
def test_words_above_a_heading_keep_it_from_being_the_title(above: str):
    note = document(read, "n.md", f"{above}\n\n# Pale Weir\n\nA lock.")
    assert (note.title, "![CI](" in note.text) == ("n", BADGE in above)


def test_a_post_with_toml_is_called_by_its_folder():
    post = document(read, "posts/rates/index.md", POST)
    assert post.title == "Rates of 2026"
    assert post.aliases == ("rates", "posts/rates", "index")
    assert post.text == "Text.\n"
    assert post.fields["date"] == "2026-03-01"
    assert post.fields["extra"] == {"by": ["Ada"]}
    assert document(read, "posts/rates/_index.markdown", "Text.").title == "rates"
    assert document(read, "README.md", "Text.").title == "README"


def test_a_readme_of_a_repository():
    readme = document(read, "bridge/README.md", README)
    assert readme.title == "The Heron Bridge"
    assert readme.text.strip() == (
        "Read the guide, the rules and the site. Build\n\nSpan\n----\nIt is 300 m long."
    )
    assert targets_of(readme) == ["bridge/docs/guide", "bridge/docs/the rules"]
    assert [readme.text[link.offset :][:5] for link in readme.links] == ["guide", "rules"]
    assert headings_in(readme) == [("Span", "Span", "Span")]


def test_a_page_of_mdx():
    page = document(
        read,
        "docs/keys.mdx",
        "---\ntitle: Keys\n---\nimport Tabs from '@theme/Tabs';\nimport {\n  a,\n} from './a'\n\n"
        'export const x = {\n  y: 1,\n}\n\nText.{/* a note */}\n\n<Tabs>\n<Tab value="a">\n\n'
        "Keys are [here](./b.mdx).\n\n</Tab>\n</Tabs>\n",
    )
    assert page.text.split() == ["Text.", "Keys", "are", "[here](./b.mdx)."]
    assert targets_of(page) == ["docs/b"]


def test_headings_have_their_words_or_their_own_anchor():
    text = (
        "# Sync\n## Set *up*?\n## Set up\n### Größe & `x_y`\n## Sync\n## Own {#my-own .wide}\n"
        "Under\n=====\n"
    )
    made = document(read, "a.md", text)
    assert made.title == "Sync"
    assert headings_in(made) == [
        ("Set up?", "Set up?", "## Set *up*?"),
        ("Set up", "Set up", "## Set up"),
        ("Set up > Größe & x_y", "Größe & x_y", "### Größe & `x_y`"),
        ("Sync", "sync-1", "## Sync"),
        ("Own", "my-own", "## Own"),
        ("Under", "Under", "# Under"),
    ]


def test_headings_of_the_same_words_are_numbered_as_github_does():
    text = "# Fees\n## Rates\n### What's new?\n## Rates\n### What's new?\n## rates\n## Fees\n"
    assert [anchor for _, anchor, _ in headings_in(document(read, "a.md", text))] == [
        "Rates", "What's new?", "rates-1", "whats-new-1", "rates-2", "fees-1"
    ]  # fmt: skip


def test_an_own_anchor_that_stands_twice_leads_to_the_first_alone():
    text = "Text.\n## A {#own}\n## B {#own}\n## Own\n"
    assert [anchor for _, anchor, _ in headings_in(document(read, "a.md", text))] == [
        "own", "", "Own"
    ]  # fmt: skip


def test_headings_in_html_count_where_there_are_no_others():
    text = 'Text.\n\n<h2 id="keys">The <a href="k.md">keys</a></h2>\n\n<h3>Old</h3>\n'
    made = document(read, "a/b.md", text)
    assert headings_in(made) == [
        ("The keys", "keys", "## The keys"),
        ("The keys > Old", "Old", "### Old"),
    ]
    assert targets_of(made) == ["a/k"]
    assert headings_in(document(read, "b.md", f"## Own\n{text}")) == [("Own", "Own", "## Own")]


def test_a_heading_inside_of_one_in_html_is_none():
    made = document(read, "a.md", "<h1>The\nSpan\n----\nBridge</h1>\nText")
    assert (made.title, made.text.strip(), made.headings) == ("The Span ---- Bridge", "Text", ())


@pytest.mark.parametrize(
    ("text", "title", "headings"),
    [
        ("<h1 align\n\n# Weir\n## Keys\nred>", "b", ["Weir", "Weir > Keys"]),  # a tag without end
        ("<b\n# Title\n## Keys\nred>Weir\n\nText", "Weir", ["Weir"]),
    ],
)
def test_a_heading_inside_of_a_tag_is_placed_within_the_text(
    text: str, title: str, headings: list[str]
):
    made = document(read, "b.md", text)
    assert (made.title, [path for path, *_ in headings_in(made)]) == (title, headings)


def test_rows_of_a_table_say_their_header():
    text = (
        "| Region | **Rate** | |\n|---|--:|---|\n| North | 12 % | [n](n.md) |\n"
        "| [[S\\|South]] | | |\n"
        "A sentence below.\n\n> a | b\n> -|-\n> c | d\n\n| only | a header |\n|---|---|\n"
    )
    made = document(read, "t.md", text)
    assert made.text.split("\n") == [
        "Region: North; Rate: 12 %; [n](n.md)",
        "Region: [[S|South]]",
        "A sentence below.",
        "",
        "a: c; b: d",
        "",
        "only; a header",
        "",
    ]
    assert targets_of(made) == ["n", "S"]


def test_a_header_of_two_rows_names_columns_by_both():
    table = """| | 2023 | | 2024 | |
|---|---|---|---|---|
| Region | Q1 | **Q2** | Q1 | Q2 |
| North | 1 | 2 | 3 % | 4 |
| South | 5 | 6 | 7 | |
"""
    assert marked_text(table, "").text.split("\n")[:2] == [
        "Region: North; 2023 Q1: 1; 2023 Q2: 2; 2024 Q1: 3 %; 2024 Q2: 4",
        "Region: South; 2023 Q1: 5; 2023 Q2: 6; 2024 Q1: 7",
    ]
    years = "| Region | Sales | |\n|-|-|-|\n| | 2023 | 2024 |\n| North | 1,000 | 2 |\n"
    assert marked_text(years, "").text == "Region: North; Sales 2023: 1,000; Sales 2024: 2\n"


@pytest.mark.parametrize(
    "rows",
    [
        ["| Name | | Role |", "| Ada | x | keeper |", "| Mara | y | pilot |"],
        ["| Ship | Fee | Fee |", "| Heron | 5 | 6 |", "| Swan | 7 | 8 |"],
        ["| Ship | Fee | Tax |", "| Heron | a | b |", "| Swan | 7 | 8 |"],
        ["| Ship | Fee | |", "| Heron | a | |", "| Swan | 7 | 8 |"],
        ["| Ship | Fee | |", "| Heron | a | b |"],
    ],
)
def test_a_first_row_is_no_header_without_need(rows: list[str]):
    text = marked_text("\n".join([rows[0], "|-|-|-|", *rows[1:]]), "").text
    assert len(text.split("\n")) == len(rows) - 1


def test_a_table_in_html_is_rows_with_their_header():
    text = """Before.

<table>
  <tr><th>Ship</th><th>Fee</th></tr>

  <tr><td><a href="a/heron.md">Heron</a> &amp; co</td><td><b>5</b> crowns</td></tr>
</table>

After <b>it</b>.

```html
<table><tr><th>a</th></tr><tr><td>code</td></tr></table>
```
"""
    marked = marked_text(text, "notes")
    assert "Ship: [Heron](a/heron.md) & co; Fee: 5 crowns" in marked.text
    assert (
        marked.text.index("Before.") < marked.text.index("Ship:") < marked.text.index("After it.")
    )
    assert "<tr><td>code</td></tr>" in marked.text
    [link] = marked.links
    assert (marked.text[link.offset :][:7], link.title) == ("[Heron]", "notes/a/heron")


def test_code_keeps_its_text():
    code = "```html\n<b class='x'>T</b> <!-- c --> &amp; [r]\n| a | b |\n|---|---|\n# no\n```\n"
    text = f"{code}\n    <i>in</i>\n\n`<u>` and ``[r]``\n"
    made = document(read, "c.md", f"{text}\n[r]: x.md\n")
    assert made.text.strip() == text.strip()
    assert (made.headings, made.links) == ((), ())


def test_what_a_vault_writes_stays():
    text = (
        "> Words.\n> Text #tag/sub ![[Embedded#Part]] ==marked==\n\n"
        "- [ ] task ^block-1\n\n50 %% more\n"
    )
    made = document(read, "v.md", f"{text}%%a comment%%\n%%\nanother\n%%\n")
    assert made.text.rstrip() == text.replace(" ^block-1", "").rstrip()
    assert targets_of(made) == ["Embedded"]


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("a<br>b", "a b"),
        ("<b>W</b>ord", "Word"),
        ("a < b, c > d", "a < b, c > d"),
        ("<https://x.org> <a@b.org>", "<https://x.org> <a@b.org>"),
        ("&lt;b&gt; &copy; & &unknown;", "<b> © & &unknown;"),
        ("<style>\np {}\n</style>x<script>y()</script>", "x"),
        ("a <!-- no end", "a <!-- no end"),
        ("an [array][0] and [a] list", "an [array][0] and [a] list"),
        ("import the notes from the vault", "import the notes from the vault"),
        ("---\nA rule, and words.\n---\n", "---\nA rule, and words.\n---\n"),
        ("+++\nno toml at all\n+++\n", "+++\nno toml at all\n+++\n"),
        ("---\n\nA sentence about ferries and the people who row them to town: x\n---\nT",
         "---\n\nA sentence about ferries and the people who row them to town: x\n---\nT"),
        ("[^1]: foot\n", "[^1]: foot\n"),
    ],
)  # fmt: skip
def test_what_are_words(written: str, plain: str):
    assert document(read, "w.md", written).text == plain


def test_a_title_with_a_colon_is_no_end_of_the_front_matter():
    made = document(read, "c.md", "---\ntitle: C++: It's a tour\ntags:\n  - a\n---\nText.")
    assert (made.title, made.fields["tags"], made.text) == ("C++: It's a tour", ["a"], "Text.")


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ('[a](<b c.md>), [c]( <c.md> "Title").', ["b c", "c"]),
        ("[a](<b (1).md>), [c](<c)d.md> (Title)).", ["b (1)", "c)d"]),
        ("![p](<i j.png>), [c](<c.md>).", ["c"]),
        ("Text.\n\n# [a](<h1 b.md>)", ["h1 b"]),
        ("[a](\n<b.md>)", []),
    ],
)
def test_what_a_link_leads_to_may_stand_in_brackets(text: str, links: list[str]):
    made = document(read, "a.md", f"{text}\n\nWords.")
    assert (made.text, targets_of(made)) == (f"{text}\n\nWords.", links)


def test_such_links_stay_in_cells_of_a_table_beside_tags():
    made = document(read, "t.md", "| x | y |\n|---|---|\n| [a](<b c.md>) | <b>c</b> |\n")
    assert made.text == "x: [a](<b c.md>); y: c\n"
    assert targets_of(made) == ["b c"]


def test_a_link_to_a_folder_leads_to_its_index():
    made = document(read, "a/b.md", "[guide](guide/) [up](..) [root](/c/)")
    assert targets_of(made)[0] == "a/guide"
    assert "a/guide" in document(read, "a/guide/README.md", "Text.").aliases


@pytest.mark.slow
def test_long_texts_are_parsed_in_pieces():
    part = "## Part\n\n[name] and [[Link]].\n\n" + "word " * 200 + "\n\n"
    text = part * 600 + "[name]: n.md\n"
    made = document(read, "long.md", text)
    assert len(made.headings) == 600
    assert len(made.links) == 1200
    assert {made.text[heading.offset :][:8] for heading in made.headings} == {"## Part\n"}


@pytest.mark.parametrize(
    ("text", "read_as"),
    [
        ("> [!info] Summary\n> The lock is old.", "> Summary.\n> The lock is old."),
        ("> [!faq]- Is it old?\n> Yes.", "> Is it old?\n> Yes."),
        ("> > [!note]\n> > Text", "> > \n> > Text"),
        ("```\n> [!info] Summary\n```", "```\n> [!info] Summary\n```"),
        ("[!info] is no callout", "[!info] is no callout"),
    ],
)
def test_the_kind_of_a_callout_is_no_word_and_its_head_a_sentence(text: str, read_as: str):
    assert document(read, "a.md", text).text == read_as


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("| Otter | due | since May |", "Boat: Otter; Note: due; since May"),
        ("Otter | due | since | May", "Boat: Otter; Note: due; since; May"),
        ("| Otter | due | |", "Boat: Otter; Note: due"),
        ("| Otter | a \\| b | c \\| d |", "Boat: Otter; Note: a | b; c | d"),
        ("| [[Otter|the otter]] | [[Weir\\|it]] |", "Boat: [[Otter|the otter]]; Note: [[Weir|it]]"),
        ("| [[Otter#Rates|x]] | [[Weir]] |", "Boat: [[Otter#Rates|x]]; Note: [[Weir]]"),
    ],
)
@pytest.mark.parametrize("before", ["", "> "])
def test_a_row_of_a_table_keeps_all_its_cells(before: str, row: str, said: str):
    lines = ["| Boat | Note |", "|---|---|", row]
    made = document(read, "a.md", "".join(f"{before}{line}\n" for line in lines))
    assert made.text.strip() == said
    assert targets_of(made) == [name for name in ("Otter", "Weir") if f"[[{name}" in row]


def test_a_link_in_the_header_of_a_table_is_one_cell_and_prose_stays_as_written():
    made = document(read, "a.md", "| [[Otter|Boat]] | Due |\n|---|---|\n| Stork | 5 |\n")
    assert made.text.strip() == "[[Otter|Boat]]: Stork; Due: 5"
    assert document(read, "b.md", "See [[Otter|it]] | here.").text == "See [[Otter|it]] | here."


@pytest.mark.parametrize(
    ("written", "target"),
    [
        ('[it]({{< ref "weir.md" >}})', "content/posts/weir"),
        ('[it]({{<ref "weir.md">}})', "content/posts/weir"),
        ('[it]({{% relref "weir.md#rates" %}})', "content/posts/weir"),
        ("[it]({{< ref weir.md >}})", "content/posts/weir"),
        ('[it]({{< ref path="../a/weir.md" lang="en" >}})', "content/a/weir"),
        ('[it]({{< relref "/a/weir.md#x" >}})', "content/a/weir"),
        ('<a href="{{< ref "weir.md" >}}">it</a>', "content/posts/weir"),
        ("[it]({% link _posts/2024-03-05-weir.md %})", "_posts/2024-03-05-weir"),
        ("[it]({{ site.baseurl }}{% link a/weir.md %}#rates)", "a/weir"),
        ("[it]({{site.url}}{% post_url 2024-03-05-weir %})", "_posts/2024-03-05-weir"),
        ("[it]({{ site.baseurl }}/a/weir.md)", "a/weir"),
        ("[it]({{ '/a/weir.md' | relative_url }})", "a/weir"),
        ("Ask {doc}`weir`.", "content/posts/weir"),
        ("Ask {doc}`the weir </a/weir>`.", "a/weir"),
        ("Ask {ref}`rates of 1931 <rates-1931>`.", "rates-1931"),
    ],
)
def test_links_of_makers_of_sites(written: str, target: str):
    made = document(read, "content/posts/first.md", f"Of Ott.\n\n{written}\n")
    assert targets_of(made) == [target]
    assert not {"{", "%"}.intersection(made.text)


@pytest.mark.parametrize(
    "text",
    ['```\n[it]({{< ref "weir.md" >}})\n{doc}`x`\n```\n', "`[it]({% link a.md %})`",
     '{{< figure src="a.png" >}}', "{name}`x` {{ x }} {% if x %}"],
)  # fmt: skip
def test_what_is_no_link_of_a_site_stays(text: str):
    made = document(read, "a.md", text)
    assert (made.text.strip(), targets_of(made)) == (text.strip(), [])


def test_a_label_of_a_place_is_a_name_and_no_text():
    made = document(read, "a.md", "(rates-1931)=\n# Rates\n\nText.\n\n```\n(x)=\n```\n")
    assert (made.title, made.text.split()) == ("Rates", ["Text.", "```", "(x)=", "```"])
    assert "rates-1931" in made.aliases


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("The weir opens. ^b15695", "The weir opens."),
        ("- Otter ^otters\n- Stork\n\n^a-list\n\nMore.", "- Otter\n- Stork\n\n\n\nMore."),
        ("> The weir\n> opens.\n> ^quote-1\n\nMore.", "> The weir\n> opens.\n> \n\nMore."),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n\n^dues", "a: 1; b: 2"),
        ("x ^2\ny ^n\na^bc\n^ and\n`a ^bc`", "x ^2\ny ^n\na^bc\n^ and\n`a ^bc`"),
        ("```\nx ^abc\n```", "```\nx ^abc\n```"),
        ("[^1] ^1931x\n\n[^1]: Of Ott.", "[^1]\n\n[^1]: Of Ott."),
    ],
)
def test_ids_of_blocks_are_no_words(written: str, text: str):
    assert document(read, "a.md", written).text.strip() == text


def test_a_heading_with_an_id_is_called_by_its_words():
    made = document(read, "a.md", "Text.\n\n## Rates ^rates-1931\n\nSee [[Other#^abc123]].\n")
    assert headings_in(made) == [("Rates", "Rates", "## Rates")]
    assert targets_of(made) == ["Other"]
