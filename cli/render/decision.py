"""A decision for people: the verdict, one line for each channel, then what it rests on."""

from __future__ import annotations

import re
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from .look import Look, banner, bullet_list, cell, clean, heading, literal, markdown_table, rows, stack, words
from .verdict import verdict

Data = dict[str, Any]
MARKER = re.compile(r"^\[P\d[^\]]*\]\s*")
SHOWN = 8
"""Diagnostics that are shown beside a decision; ``loopx doctor`` shows all."""


def rich(data: Data, look: Look) -> RenderableType:
    """``data`` is ``{decision, todos, diagnostics?, facts?}``; ``todos`` gives ``{text, priority, at}`` by id."""
    decision = data["decision"]
    return stack(header(decision, look), channels(decision, look), *evidence(data, look), footer(decision, look))


def who(decision: Data) -> list[str]:
    """Goal, agent, mode and leading case of a decision."""
    lead = decision["lead"]
    return [
        clean(decision["goal_id"] or "(no goal)"),
        clean(decision["agent_id"] or "no agent named"),
        decision["interaction_contract"]["mode"],
        f"{lead['pattern']}.{lead['case']}" if lead["pattern"] else "",
    ]


def header(decision: Data, look: Look) -> RenderableType:
    said = verdict(decision)
    lines = [Text(said.meaning), words(decision["reason"], "bold"), Text(look.join(who(decision)), style="dim")]
    return banner(said.word, said.colour, lines, look)


def user_line(user: Data) -> str:
    """The user channel in words."""
    asked = "a person has to answer or act" if user["action_required"] else "nothing is asked of anyone"
    return told(f"{user['notify']}, {asked}", user["reason"])


def agent_line(agent: Data) -> str:
    """The agent channel in words."""
    parts = [
        "must attempt" if agent["must_attempt"] else "must not work",
        "may deliver" if agent["delivery_allowed"] else "may deliver nothing",
        "may end quietly" if agent["quiet_noop_allowed"] else "",
    ]
    return told(", ".join(part for part in parts if part), agent["primary_action"])


def cli_line(cli: Data) -> str:
    """The CLI channel in words."""
    later = "spend only after validation" if cli["spend_after_validation"] else "spend nothing"
    return told(later, cli["spend_policy"].removeprefix("none").lstrip("; "))


def told(flags: str, text: str) -> str:
    return f"{flags}: {text}" if text else flags


def channels(decision: Data, look: Look) -> RenderableType:
    """One line for each of user, agent and CLI; the items and the commands below theirs."""
    contract = decision["interaction_contract"]
    user, agent, cli = contract["user_channel"], contract["agent_channel"], contract["cli_channel"]
    lines: list[tuple[RenderableType, RenderableType]] = [(Text("USER", style="bold"), words(user_line(user)))]
    for item in user["items"]:
        lines.append(("", located(look, item["todo_id"], item["text"], item["at"])))
    lines.append((Text("AGENT", style="bold"), words(agent_line(agent))))
    lines.append((Text("CLI", style="bold"), words(cli_line(cli))))
    # Not in the table: a command is copied, so it must stay on one line, however long.
    return stack(Text(""), rows([5, None], lines), *(unbroken(f"$ {action}") for action in cli["next_cli_actions"]))


def unbroken(action: str) -> Text:
    return Text(f"         {clean(action)}", style="cyan", no_wrap=True, overflow="ignore")


def located(look: Look, todo_id: str, text: str, at: str) -> Text:
    """A todo on a line: its id, what it says, and where it stands."""
    line = Text.assemble(look.mark("item"), " ", words(todo_id, "bold"), "  ", words(text))
    if at:
        line.append(f"  {clean(at)}", style="dim")
    return line


def evidence(data: Data, look: Look) -> list[RenderableType]:
    """Selected and other candidates, what is blocked and why, and the obligations."""
    decision, todos = data["decision"], data.get("todos", {})
    agent = decision["interaction_contract"]["agent_channel"]
    parts: list[RenderableType] = []
    if agent["candidates"]:
        lines = [
            (look.mark("here" if entry["todo_id"] == agent["selected_todo_id"] else "item"), *candidate(entry, todos))
            for entry in agent["candidates"]
        ]
        parts += [
            heading("candidates", "any of these may be chosen; the first is suggested"),
            rows([1, 8, None], lines),
        ]
    if agent["blocked"]:
        lines = [(look.mark("no"), *blocked(entry, todos)) for entry in agent["blocked"]]
        parts += [heading("blocked"), rows([1, 8, None], lines)]
    if decision["obligations"]:
        duties = [
            (Text(duty["kind"], style="bold"), duty_text(duty)) for duty in decision["obligations"] if "kind" in duty
        ]
        parts += [heading("obligations", "whoever leads"), rows([5, None], duties)]
    if data.get("diagnostics"):
        found = [(look.mark("no" if one["breaks_contract"] else "warn"), problem(one)) for one in diagnostics(data)]
        parts += [heading("diagnostics", unshown(data)), rows([1, None], found)]
    if data.get("facts"):
        facts = [(words(name), words(literal(value))) for name, value in data["facts"].items()]
        parts += [heading("facts"), rows([30, None], facts)]
    return parts


def candidate(entry: Data, todos: Data) -> tuple[Text, Text]:
    todo = todos.get(entry["todo_id"], {})
    line = Text.assemble(words(todo.get("priority", ""), "bold"), " " if todo.get("priority") else "")
    line.append_text(words(without_marker(todo.get("text", ""))))
    at = entry.get("at") or todo.get("at", "")
    if at:
        line.append(f"  {clean(at)}", style="dim")
    return words(entry["todo_id"], "bold"), line


def without_marker(text: str) -> str:
    """A todo's text without the ``[P1]`` in front, which stands beside it."""
    return MARKER.sub("", text)


def blocked(entry: Data, todos: Data) -> tuple[Text, Text]:
    todo = todos.get(entry["todo_id"], {})
    line = Text.assemble(words(entry.get("why", "")), "  ", words(f"{', '.join(entry.get('by', []))}", "dim"))
    if todo.get("at"):
        line.append(f"  {clean(todo['at'])}", style="dim")
    return words(entry["todo_id"], "bold"), line


def duty_text(duty: Data) -> Text:
    return Text.assemble(words(duty.get("text", "")), "  ", words(f"{duty['id']}", "dim"))


def diagnostics(data: Data) -> list[Data]:
    """The first few of what is wrong in the project, what breaks the contract before the rest."""
    return sorted(data.get("diagnostics", ()), key=lambda one: not one["breaks_contract"])[:SHOWN]


def unshown(data: Data) -> str:
    more = len(data["diagnostics"]) - SHOWN
    return f"and {more} more: loopx doctor lists them" if more > 0 else ""


def problem(entry: Data) -> Text:
    """A diagnostic on a line: where, what, and what to do."""
    return Text.assemble(words(entry["at"], "dim"), "  ", words(entry["message"]), " ", words(entry["fix"], "cyan"))


def counted(agent: Data) -> str:
    """The counts in words."""
    return ", ".join(f"{name.replace('_', ' ')} {number}" for name, number in agent["counts"].items())


def footer(decision: Data, look: Look) -> Text:
    """Counts and state, when and by which engine, and the digests with which the answer can be replayed."""
    agent = decision["interaction_contract"]["agent_channel"]
    lines = [
        look.join([counted(agent), f"state {decision['state']}"]),
        look.join([f"as of {decision['decided_at']}", f"engine {decision['engine']}"]),
        look.join([f"catalog {decision['catalog_digest']}", f"facts {decision['facts_digest']}"]),
    ]
    return Text("\n" + "\n".join(lines), style="dim")


def markdown(data: Data) -> str:
    """The same as Markdown."""
    decision, todos = data["decision"], data.get("todos", {})
    contract = decision["interaction_contract"]
    user, agent, cli = contract["user_channel"], contract["agent_channel"], contract["cli_channel"]
    said = verdict(decision)
    parts = [
        f"# {said.word}: {cell(decision['reason'])}",
        f"{said.meaning} {', '.join(cell(p) for p in who(decision) if p)}.",
    ]
    lines = [f"**User**: {cell(user_line(user))}"]
    lines += [f"**Agent**: {cell(agent_line(agent))}", f"**CLI**: {cell(cli_line(cli))}"]
    lines += [f"run `{clean(action)}`" for action in cli["next_cli_actions"]]
    parts.append(bullet_list(lines))
    if user["items"]:
        table = [(item["todo_id"], item["text"], item["at"]) for item in user["items"]]
        parts += ["## For the user", markdown_table(["todo", "text", "at"], table)]
    if agent["candidates"]:
        table = [
            (c["todo_id"], todos.get(c["todo_id"], {}).get("text", ""), c.get("at", "")) for c in agent["candidates"]
        ]
        parts += ["## Candidates", markdown_table(["todo", "text", "at"], table)]
    if agent["blocked"]:
        table = [(b["todo_id"], b.get("why", ""), ", ".join(b.get("by", []))) for b in agent["blocked"]]
        parts += ["## Blocked", markdown_table(["todo", "why", "by"], table)]
    if decision["obligations"]:
        table = [(duty["kind"], duty.get("text", ""), duty["id"]) for duty in decision["obligations"]]
        parts += ["## Obligations", markdown_table(["who", "what", "by"], table)]
    if data.get("diagnostics"):
        table = [(one["at"], one["message"], one["fix"]) for one in diagnostics(data)]
        parts += ["## Diagnostics", markdown_table(["at", "what", "what to do"], table), unshown(data)]
    if data.get("facts"):
        parts += [
            "## Facts",
            markdown_table(["fact", "value"], [(name, literal(value)) for name, value in data["facts"].items()]),
        ]
    parts.append(
        f"{counted(agent)}; state {decision['state']}; engine {decision['engine']}; as of {decision['decided_at']}; "
        f"catalog {decision['catalog_digest']}; facts {decision['facts_digest']}"
    )
    return "\n\n".join(part for part in parts if part)
