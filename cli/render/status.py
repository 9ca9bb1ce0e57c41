"""A goal's latest meaningful run, its todos, and the rows before it."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.text import Text

from .hints import rests_on
from .look import Look, banner, bullet_list, cell, heading, markdown_table, rows, stack, weight, words

Data = dict[str, Any]
NO_RUN = "No run yet that says anything about the goal."
UNTRUSTED = "The state cannot be trusted until these problems are mended."
ROLES = ("user", "agent")


def latest_line(data: Data) -> str:
    """The newest row that says something about the goal, or that there is none."""
    row = data["latest"]
    if row is None:
        beside = " The rows below are status-neutral." if data["rows"] else ""
        return f"{NO_RUN}{beside}"
    return f"{row['classification']} at {row['generated_at']}"


def todo_line(counted: dict[str, int]) -> str:
    return ", ".join(f"{number} {status}" for status, number in counted.items()) or "none"


def more(data: Data) -> str:
    """What is not shown, in words."""
    parts = [
        f"{data['hidden']} older rows are not shown (--limit)" if data["hidden"] else "",
        f"{data['torn']} torn lines were skipped" if data["torn"] else "",
    ]
    return "; ".join(part for part in parts if part)


def latest_details(latest: Data | None) -> list[tuple[str, str]]:
    """What else the latest row says, label by label."""
    if latest is None:
        return []
    labels = (("outcome", "delivery_outcome"), ("next", "recommended_action"), ("by", "agent_id"))
    return [(label, latest[key]) for label, key in labels if latest[key]]


def rich(data: Data, look: Look) -> RenderableType:
    about = look.join([data["goal_id"], data["agent_id"] or "", data["state_file"], f"as of {data['as_of']}"])
    parts: list[RenderableType] = []
    if not data["ok"]:
        parts += [banner("BROKEN", "red", [Text(UNTRUSTED)], look), *problems(data["problems"], look), Text("")]
    parts += [Text(latest_line(data), style="bold"), Text(about, style="dim")]
    if data["objective"]:
        parts.append(words(data["objective"], "italic"))
    details = [(Text(label), words(text)) for label, text in latest_details(data["latest"])]
    if details:
        parts.append(rows([7, None], details))
    todos = [(Text(role.upper(), style="bold"), words(f"todos: {todo_line(data['todos'][role])}")) for role in ROLES]
    parts += [Text(""), rows([5, None], todos)]
    if data["ok"]:
        parts += problems(data["problems"], look)
    hints = [
        (look.mark("item"), Text.assemble(words(hint["summary"]), "  ", words(rests_on(hint), "dim")))
        for hint in data["hints"]
    ]
    if hints:
        parts += [heading("what feedback changed", "loopx hint list"), rows([1, None], hints)]
    runs = [
        (words(row["generated_at"], "dim"), words(row["classification"] + beside(row)), words(row["agent_id"] or ""))
        for row in data["rows"]
    ]
    if runs or more(data):
        parts += [heading("runs", more(data)), rows([20, None, 8], runs)]
    return stack(*parts)


def problems(found: list[Data], look: Look) -> list[RenderableType]:
    """Each problem at its place with its fix; those that only lint speaks of have a milder mark."""
    lines = [
        (
            look.mark("no" if problem["breaks_contract"] else "warn"),
            Text.assemble(
                words(problem["at"], "bold"), "  ", words(problem["message"]), " ", words(problem["fix"], "cyan")
            ),
        )
        for problem in found
    ]
    return [heading("problems"), rows([1, None], lines)] if lines else []


def beside(row: Data) -> str:
    """What stands beside a row's classification: that it says nothing, or what a person said of it."""
    reward = (row["human_reward"] or {}).get("reward", "")
    return (" (neutral)" if row["neutral"] else "") + (f" (judged {reward})" if reward else "")


def markdown(data: Data) -> str:
    title = f"{cell(data['goal_id'])}: {cell(latest_line(data))}"
    about = [data["agent_id"] or "", data["state_file"], f"as of {data['as_of']}"]
    parts = [f"# {title}" if data["ok"] else f"# BROKEN: {title}"]
    if not data["ok"]:
        parts.append(UNTRUSTED)
    parts.append(f"{', '.join(cell(part) for part in about if part)}.")
    if data["objective"]:
        parts.append(cell(data["objective"]))
    lines = [f"**{label}**: {cell(text)}" for label, text in latest_details(data["latest"])]
    lines += [f"**{role}** todos: {todo_line(data['todos'][role])}" for role in ROLES]
    parts.append(bullet_list(lines))
    if data["problems"]:
        table = [(p["at"], weight(p), p["message"], p["fix"]) for p in data["problems"]]
        parts += ["## Problems", markdown_table(["at", "weight", "what", "fix"], table)]
    if data["hints"]:
        hints = [f"{cell(hint['summary'])} ({cell(rests_on(hint))})" for hint in data["hints"]]
        parts += ["## What feedback changed", bullet_list(hints)]
    if data["rows"]:
        runs = [(r["generated_at"], r["classification"] + beside(r), r["agent_id"] or "") for r in data["rows"]]
        parts += ["## Runs", markdown_table(["at", "classification", "agent"], runs)]
    if more(data):
        parts.append(f"{more(data)}.")
    return "\n\n".join(parts)
