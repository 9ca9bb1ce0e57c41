"""The hand parser of the hot path and the typer program read every command line alike."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopx_policy.cli import app, hot
from loopx_policy.cli.options import FORMATS, GLOBAL, Option
from loopx_policy.cli.request import Claim, Globals, ShouldRun
from loopx_policy.errors import UsageError

VALUES = st.sampled_from(["harbor", "builder", "a b", "x=y", "-", "é", "json", "quota", "--detail", "-x", "", "2026"])


def given_options(options: tuple[Option, ...]) -> st.SearchStrategy[list[str]]:
    """Any of the options with any value, joined by ``=`` or not."""

    def one(option: Option) -> st.SearchStrategy[list[str]]:
        if not option.metavar:
            return st.just([option.flag])
        values = st.sampled_from((*FORMATS, "xml")) if option.flag == "--format" else VALUES
        return st.builds(lambda v, j: [f"{option.flag}={v}"] if j else [option.flag, v], values, st.booleans())

    parts = st.lists(st.sampled_from(options).flatmap(one), max_size=4)
    return parts.map(lambda lists: [token for tokens in lists for token in tokens])


def command_lines(words: tuple[str, ...], options: tuple[Option, ...]) -> st.SearchStrategy[list[str]]:
    group, name = words
    return st.builds(
        lambda a, b, c: ["--format", "json", *a, group, *b, name, *c],
        given_options(GLOBAL),
        given_options(GLOBAL),
        given_options(GLOBAL + options),
    )


COMMAND_LINES = st.one_of(*(command_lines(words, options) for words, options in hot.COMMANDS.items()))
REQUIRED = {"claim": ["--todo-id", "todo_a01"]}


def by_typer(argv: list[str]) -> object:
    try:
        return app.parse(argv)
    except UsageError as error:
        return error


@given(COMMAND_LINES)
@settings(max_examples=150, deadline=None)
def test_what_the_hand_parser_takes_typer_reads_alike(argv: list[str]) -> None:
    request = hot.parse(argv)
    if request is not None:
        assert by_typer(argv) == request


@given(COMMAND_LINES, st.data())
@settings(max_examples=60, deadline=None)
def test_what_typer_rejects_the_hand_parser_leaves_alone(argv: list[str], data: st.DataObject) -> None:
    odd = data.draw(st.sampled_from(["--bogus", "--help", "-h", "stray", "--", "--goal", "--detail=yes", "--agent-id"]))
    where = data.draw(st.integers(0, len(argv)))
    changed = [*argv[:where], odd, *argv[where:]]
    request = hot.parse(changed)
    if request is not None:
        assert by_typer(changed) == request


@pytest.mark.parametrize(
    "words, option",
    [(words, option) for words, options in hot.COMMANDS.items() for option in GLOBAL + options],
    ids=lambda each: each.flag if isinstance(each, Option) else each[1],
)
def test_each_option_of_the_table_reaches_its_field_by_hand_and_by_typer(
    words: tuple[str, ...], option: Option
) -> None:
    value = {"--format": "json"}.get(option.flag, "v")
    given_to = [option.flag, value] if option.metavar else [option.flag]
    argv = ["--format", "json", *words, *REQUIRED.get(words[1], []), *given_to]
    want: object = (value,) if option.repeat else value if option.metavar else True
    for request in (hot.parse(argv), app.parse(argv)):
        assert isinstance(request, ShouldRun | Claim)
        holder = request.options if option in GLOBAL else request
        assert getattr(holder, option.name) == want


@pytest.mark.parametrize("words", hot.COMMANDS, ids=" ".join)
def test_typer_declares_no_option_beside_the_table(words: tuple[str, ...]) -> None:
    from loopx_policy.cli import reference

    (command,) = [command for name, command in reference.commands() if name == f"loopx {' '.join(words)}"]
    declared = {flag for parameter in command.params for flag in parameter.opts} - {"--help"}
    assert declared == {option.flag for option in GLOBAL + hot.COMMANDS[words]}


@pytest.mark.parametrize("argv", [
    ["quota", "should-run"],
    ["--format", "rich", "quota", "should-run"],
    ["--format", "json", "quota", "status"],
    ["--format", "json", "quota"],
    ["--format", "json", "quota", "should-run", "--agent-id", ""],
    ["--format", "json", "quota", "should-run", "--help"],
    ["--format", "json", "quota", "should-run", "--goal-id"],
    ["--format", "json", "quota", "should-run", "extra"],
    ["--format", "json", "todo", "claim"],
    ["--format", "json", "todo", "claim", "--todo-id", "todo_a01", "--claimed-by"],
    ["--format", "json", "todo", "should-run"],
])  # fmt: skip
def test_the_hand_parser_leaves_the_unusual_to_typer(argv: list[str]) -> None:
    assert hot.parse(argv) is None


def test_a_global_option_given_twice_counts_as_given_last() -> None:
    argv = ["--registry", "a", "--format", "json", "quota", "--registry", "b", "should-run", "--registry", "c"]
    for request in (hot.parse(argv), app.parse(argv)):
        assert isinstance(request, ShouldRun)
        assert request.options == Globals(registry="c", format="json")
