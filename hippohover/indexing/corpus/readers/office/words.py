"""The words of one block of a document, and their links."""


class Words:
    """Words joined by single blanks, in place of line ends, tabs and indents.

    Attributes
    ----------
    links : list of (int, str)
        Where a link's words begin, and what it leads to.
    """

    def __init__(self, text: str = "") -> None:
        self._parts: list[str] = []
        self._length = 0
        self._blank_waits = False
        self.links: list[tuple[int, str]] = []
        self.add(text)

    @property
    def text(self) -> str:
        """All words, without blanks at the ends."""
        return "".join(self._parts)

    def __bool__(self) -> bool:
        return self._length > 0

    def add(self, text: str) -> None:
        """Add words."""
        if not text:
            return
        words = " ".join(text.split())
        if not words:
            self._blank_waits = True
            return
        if self and (self._blank_waits or text[0].isspace()):
            self._put(" ")
        self._put(words)
        self._blank_waits = text[-1].isspace()

    def link(self, target: str) -> None:
        """Begin a link with the next word, if it leads somewhere."""
        if target:
            self.links.append((self._length + (self._blank_waits and bool(self)), target))

    def append(self, other: "Words", between: str = " ") -> None:
        """Append the words of another block."""
        if self and other:
            self._put(between)
        self.links += [(self._length + offset, target) for offset, target in other.links]
        self._put(other.text)

    def after(self, mark: str) -> "Words":
        """Return the same after a mark: "- Bread"."""
        marked = Words()
        marked._put(mark)
        marked.append(self, "")
        return marked

    def _put(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)
