"""A decision for people: the verdict, one line for each channel, then what it rests on."""

from __future__ import annotations

import re
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from loopx_policy.text import literal

from .look import Look, banner, bullet_list, cell, clean, heading, markdown_table, rows, stack, weight, words
from .verdict import verdict

Data = dict[str, Any]
MARKER = re.compile(r"^\[P\d[^\]]*\]\s*")
SHOWN = 10
"""Candidates that a person is shown, and diagnostics; more are only counted."""
CHOICE = "any of these may be chosen; the first is suggested"


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
    asked = "nothing is asked of anyone"
    if user["notify"] == "NOTIFY":
        asked = (
            "a person has to answer or act" if user["action_required"] else "a person is told, and asked for nothing"
        )
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


def evidence(data: Data, look: Look) -> list[RenderableType | None]:
    """Selected and other candidates, what is blocked and why, and the obligations."""
    decision, todos = data["decision"], data.get("todos", {})
    agent = decision["interaction_contract"]["agent_channel"]
    parts: list[RenderableType | None] = []
    if agent["candidates"]:
        lines = [
            (
                look.mark("here" if entry["todo_id"] == agent["selected_todo_id"] else "item"),
                words(entry["todo_id"], "bold"),
                Text.assemble(words(text), "  ", words(at, "dim")),
            )
            for entry in agent["candidates"][:SHOWN]
            for text, at in [candidate(entry, todos)]
        ]
        parts += [heading("candidates", CHOICE), rows([1, 8, None], lines), left_out(agent), hinted(agent)]
    if agent["blocked"]:
        lines = [
            (
                look.mark("no"),
                words(entry["todo_id"], "bold"),
                Text.assemble(words(why), "  ", words(by, "dim"), "  ", words(at, "dim")),
            )
            for entry in agent["blocked"]
            for why, by, at in [blocked(entry, todos)]
        ]
        parts += [heading("blocked", not_listed(agent)), rows([1, 8, None], lines)]
    if decision["obligations"]:
        duties = [
            (Text(kind, style="bold"), Text.assemble(words(text), "  " if text else "", words(ids, "dim")))
            for kind, text, ids in obligations(decision)
        ]
        parts += [heading("obligations", "whoever leads"), rows([5, None], duties)]
    if data.get("diagnostics"):
        found = [(look.mark("no" if one["breaks_contract"] else "warn"), problem(one)) for one in diagnostics(data)]
        parts += [heading("diagnostics", unshown(data)), rows([1, None], found)]
    if data.get("facts"):
        facts = [(words(name), words(literal(value))) for name, value in data["facts"].items()]
        parts += [heading("facts"), rows([30, None], facts)]
    return parts


def candidate(entry: Data, todos: Data) -> tuple[str, str]:
    """What a candidate says, its priority before it, and where it stands."""
    todo = todos.get(entry["todo_id"], {})
    text = MARKER.sub("", todo.get("text", ""))  # a [P1] in front stands beside it already
    return f"{todo.get('priority', '')} {text}".strip(), entry.get("at") or todo.get("at", "")


def left_out(agent: Data) -> Text | None:
    """How many candidates are not listed, since a screen holds only so much."""
    more = agent["counts"]["runnable"] - min(SHOWN, len(agent["candidates"]))
    return Text(f"  and {more} more", style="dim") if more > 0 else None


def hinted(agent: Data) -> Text | None:
    """That a hint put the first candidate there, and before which equal one."""
    return words(f"  the first stands {swayed(agent['hint'])}", "dim") if "hint" in agent else None


def swayed(hint: Data) -> str:
    why = f": {hint['why']}" if hint.get("why") else ""
    return f"before its equal {hint['over']} by {hint['id']}{why}"


def not_listed(agent: Data) -> str:
    more = agent["counts"]["blocked"] - len(agent["blocked"])
    return f"and {more} more" if more > 0 else ""


def blocked(entry: Data, todos: Data) -> tuple[str, str, str]:
    """Why a todo is blocked, by which cases, and where it stands."""
    return entry.get("why", ""), ", ".join(entry.get("by", [])), todos.get(entry["todo_id"], {}).get("at", "")


def obligations(decision: Data) -> list[tuple[str, str, str]]:
    """Who, what, and by which pattern. What a person is told stands in the user channel: only its sources are named."""
    duties = decision["obligations"]
    lines = [(duty["kind"], duty.get("text", ""), duty["id"]) for duty in duties if duty["kind"] == "agent"]
    for kind in ("user", "view"):
        ids = [duty["id"] for duty in duties if duty["kind"] == kind]
        if ids:
            lines.append((kind, "", ", ".join(ids)))
    return lines


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


def footer_groups(decision: Data) -> list[list[str]]:
    """Counts and state, when and by which engine, and the digests with which the answer can be replayed."""
    agent = decision["interaction_contract"]["agent_channel"]
    return [
        [counted(agent), f"state {decision['state']}"],
        [f"as of {decision['decided_at']}", f"engine {decision['engine']}"],
        [f"catalog {decision['catalog_digest']}", f"facts {decision['facts_digest']}"],
    ]


def footer(decision: Data, look: Look) -> Text:
    """What a reader seldom needs, at the end."""
    return Text("\n" + "\n".join(look.join(group) for group in footer_groups(decision)), style="dim")


def title_markdown(decision: Data) -> list[str]:
    """The verdict as Markdown: word and reason, then its meaning and who asked."""
    said = verdict(decision)
    who_asked = ", ".join(cell(part) for part in who(decision) if part)
    return [f"# {said.word}: {cell(decision['reason'])}", f"{said.meaning} {who_asked}."]


def footer_markdown(decision: Data) -> str:
    return f"{'; '.join(cell(part) for group in footer_groups(decision) for part in group)}."


def markdown(data: Data) -> str:
    """The same as Markdown."""
    decision, todos = data["decision"], data.get("todos", {})
    contract = decision["interaction_contract"]
    user, agent, cli = contract["user_channel"], contract["agent_channel"], contract["cli_channel"]
    parts = title_markdown(decision)
    lines = [f"**User**: {cell(user_line(user))}"]
    lines += [f"**Agent**: {cell(agent_line(agent))}", f"**CLI**: {cell(cli_line(cli))}"]
    lines += [f"run `{clean(action)}`" for action in cli["next_cli_actions"]]
    parts.append(bullet_list(lines))
    if user["items"]:
        table = [(item["todo_id"], item["text"], item["at"]) for item in user["items"]]
        parts += ["## For the user", markdown_table(["todo", "text", "at"], table)]
    if agent["candidates"]:
        table = [(entry["todo_id"], *candidate(entry, todos)) for entry in agent["candidates"][:SHOWN]]
        parts += ["## Candidates", f"{CHOICE.capitalize()}.", markdown_table(["todo", "text", "at"], table)]
        more = left_out(agent)
        parts += [str(more).strip()] if more else []
        parts += [f"The first stands {cell(swayed(agent['hint']))}"] if "hint" in agent else []
    if agent["blocked"]:
        barred = [(entry["todo_id"], *blocked(entry, todos)) for entry in agent["blocked"]]
        parts += ["## Blocked", markdown_table(["todo", "why", "by", "at"], barred)]
        parts += [not_listed(agent)] if not_listed(agent) else []
    if decision["obligations"]:
        parts += ["## Obligations", markdown_table(["who", "what", "by"], obligations(decision))]
    if data.get("diagnostics"):
        wrong = [(one["at"], weight(one), one["message"], one["fix"]) for one in diagnostics(data)]
        parts += ["## Diagnostics", markdown_table(["at", "weight", "what", "what to do"], wrong)]
        parts += [unshown(data)] if unshown(data) else []
    if data.get("facts"):
        facts = [(name, literal(value)) for name, value in data["facts"].items()]
        parts += ["## Facts", markdown_table(["fact", "value"], facts)]
    return "\n\n".join([*parts, footer_markdown(decision)])
