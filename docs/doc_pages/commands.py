"""The command line's own help, as a page: every command, argument and option.

Typer carries a Click of its own, which sphinx-click does not know; sphinxcontrib-typer draws the
help as one terminal picture, of which no option can be linked to. Both read what this reads.
"""

from typing import Any

from hippohover.cli.commands import COMMANDS, command_of, section_of


def command_names() -> list[str]:
    """Names of the commands, in the order of the help."""
    return list(_commands())


def commands_in_markdown() -> str:
    """One section a command."""
    return "\n\n".join(_section(name, command) for name, command in _commands().items())


def _commands() -> dict[str, Any]:
    return {name: command_of(name) for name in COMMANDS}


def _section(name: str, command: Any) -> str:  # noqa: ANN401
    context = command.make_context(name, [], resilient_parsing=True)
    about, _, example = str(command.help).partition("Example:")
    usage = " ".join(command.collect_usage_pieces(context))
    lines = [f"## {name}", " ".join(about.split()), _code(name, usage)]
    if example:
        lines += ["For example:", "```console\n$ " + " ".join(example.split()) + "\n```"]
    entries: dict[str, list[str]] = {}
    for one in command.get_params(context):
        if record := one.get_help_record(context):
            entries.setdefault(section_of(one), []).append(_entry(*record))
    for title, own in entries.items():
        lines += [f"**{title}**", "\n".join(own)]
    return "\n\n".join(lines)


def _code(name: str, usage: str) -> str:
    return f"```text\nhippohover {name} {usage}\n```"


def _entry(names: str, help_text: str) -> str:
    """A line of a list: how the option is written, and what it does."""
    written = names.replace("  ", " ")
    meaning = " ".join(help_text.split()).replace("<", "\\<") or "-"
    return f"- `{written}`: {_escaped(meaning)}"


def _escaped(text: str) -> str:
    """Text that Markdown shows as it stands; Click's backquotes stay code."""
    for sign in ("*", "_", "["):
        text = text.replace(sign, f"\\{sign}")
    return text
