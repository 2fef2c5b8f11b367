"""Names of members as old packers wrote them."""

import zipfile

import pytest

from hippohover.indexing.corpus.files.member_names import is_archive, one_path, tar_name, zip_names


def members(names: list[str], encoding: str, *, flag: int = 0) -> list[zipfile.ZipInfo]:
    """Members as zipfile gives them of names in a code page."""
    found = [zipfile.ZipInfo(name.encode(encoding).decode("cp437")) for name in names]
    for member in found:
        member.flag_bits = flag
    return found


@pytest.mark.parametrize(
    ("encoding", "names"),
    [
        ("gbk", ["报告/年度总结.txt", "报告/灯塔.md", "plain.md"]),
        ("gbk", ["灯塔.md"]),
        ("cp932", ["報告書.txt", "灯台の記録.md"]),
        ("cp949", ["보고서.md", "등대.txt"]),
        ("big5", ["報告.md", "燈塔.txt"]),
        ("cp866", ["Отчёт.txt", "маяк.md"]),
        ("cp852", ["Łódź.md", "český.md"]),
        ("cp850", ["Größe.md", "são.md"]),
        ("cp437", ["Übung.md", "Café.txt"]),
        ("utf-8", ["Übung.md", "маяк.md"]),
    ],
)
def test_names_are_read_in_the_code_page_that_they_are_in(encoding: str, names: list[str]):
    assert zip_names(members(names, encoding)) == names


def test_names_that_say_that_they_are_utf8_are_left_alone():
    written = [zipfile.ZipInfo("Gr\u00f6\u00dfe.md"), zipfile.ZipInfo("\u2554\u2550.md")]
    for member in written:
        member.flag_bits = 0x800
    assert zip_names(written) == ["Größe.md", "╔═.md"]


def test_folders_are_parted_by_one_slash():
    names = ["docs\\notes\\a.md", "./docs//b.md", "docs/c.md"]
    expected = ["docs/notes/a.md", "docs/b.md", "docs/c.md"]
    assert zip_names(members(names, "ascii")) == expected
    assert one_path("./a/./b.md") == "a/b.md"
    assert one_path("../a") == "../a"
    assert one_path("/a") == "/a"


def test_names_that_no_code_page_fits_stay_as_they_are():
    raw = "\u2554\u2550\u0401.md"  # its last letter is of no code page of DOS that zipfile reads
    assert zip_names([zipfile.ZipInfo(raw)])[0].endswith(".md")


def test_a_tars_name_beyond_utf8_is_found_out():
    raw = "./报告/灯塔的记录.md".encode("gbk").decode("utf-8", "surrogateescape")
    assert tar_name(raw) == "报告/灯塔的记录.md"
    assert tar_name("./Größe.md") == "Größe.md"
    assert tar_name("a\udc81\udc8d\udc8f.md") == "a\udc81\udc8d\udc8f.md"


@pytest.mark.parametrize("name", ["a.zip", "A.ZIP", "x/a.tar", "a.tar.gz", "a.tgz", "a.txz"])
def test_what_is_an_archive(name: str):
    assert is_archive(name)
    assert not is_archive(f"{name}.md")
