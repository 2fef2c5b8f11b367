"""The commands that change an index stand among the others."""

from hippohover.cli.commands import app
from hippohover.cli.indexing import commands


def test_every_command_on_an_index_is_a_command_of_the_app():
    named = {command.callback for command in app.registered_commands}
    for command in (
        commands.build,
        commands.add,
        commands.delete,
        commands.alias,
        commands.gc,
        commands.inspect,
        commands.export,
    ):
        assert command in named
