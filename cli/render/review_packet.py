"""The page that a person reads before deciding."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.text import Text

from .look import Look, banner, cell, clean, heading, rows, stack, words

Data = dict[str, Any]
NOTHING = "Nothing waits for a person."


def headline(data: Data) -> str:
    """What waits, in one line."""
    count = len(data["pending"]) + len(data["requests"])
    if not count:
        return NOTHING
    return f"{count} thing{'s wait' if count > 1 else ' waits'} for a person"


def about(data: Data) -> list[str]:
    return [data["goal_id"], f"as of {data['as_of']}", data["objective"]]


def facts(question: Data) -> list[tuple[str, str]]:
    """Label and value of what is known about a question."""
    covered = ", ".join(each["todo_id"] for each in question["covers"])
    told = [
        ("asks for", question["asks"]),
        ("blocks", question["blocks"]),
        ("covers", covered or ("no open work" if question["kind"] == "user_gate" else "")),
        ("unblocks", question["unblocks"]),
        ("because", question["reason"]),
        ("answered before", question["answered_before"]),
        ("risk", "; ".join(question["risk"])),
    ]
    return [(label, value) for label, value in told if value]


def then(answer: Data) -> str:
    """What the policy would say after an answer."""
    outcome = answer["then"]
    what = f"{outcome['mode']}{', ' + outcome['selected'] if outcome['selected'] else ''}"
    return f"then for {outcome['agent_id'] or 'the agent'}: {what}: {outcome['reason']}"


def notes(data: Data) -> list[str]:
    """What the reader should know about the page itself."""
    found = []
    if data["withheld"]:
        found.append(f"Words that look private are withheld in {data['withheld']} of the texts.")
    if data["commands_need_place"]:
        found.append("Add --registry or --runtime-root as you did here: their paths are left out.")
    return found


def rich(data: Data, look: Look) -> RenderableType:
    colour = "yellow" if data["pending"] or data["requests"] else "green"
    lines = [words(headline(data), "bold"), words(look.join(about(data)), "dim")]
    if data["user_reason"]:
        lines.append(words(data["user_reason"]))
    parts: list[RenderableType] = [banner("REVIEW", colour, lines, look)]
    for question in data["pending"]:
        parts += [heading(question["todo_id"], f"{question['kind']}  {question['at']}", name=True)]
        parts.append(rows([1, None], [(Text("?", style="bold"), words(question["question"], "bold"))]))
        parts.append(rows([15, None], [(words(label, "dim"), words(value)) for label, value in facts(question)]))
        for answer in question["answers"]:
            text = Text.assemble(words(answer["answer"], "bold"), "  ", words(answer["means"]))
            text.append("\n").append(words(then(answer), "dim")).append("\n").append(words(answer["command"], "cyan"))
            parts.append(rows([1, None], [(look.mark("here"), text)], indent=4))
    for request in data["requests"]:
        parts += [
            heading(request["todo_id"], "needs " + ", ".join(request["needs"]), name=True),
            words(request["text"]),
        ]
    for proposal in data["proposals"]:
        parts += [heading(proposal["title"], f"proposed at {proposal['proposal']}", name=True)]
        commands = [(look.mark("here"), words(answer["command"], "cyan")) for answer in proposal["answers"]]
        parts += [words(proposal["summary"]), rows([1, None], commands)]
    risks = data["risk"] + [f"{each['at']}: {each['message']}" for each in data["problems"]]
    if risks:
        parts += [heading("beside it"), rows([1, None], [(look.mark("warn"), words(risk)) for risk in risks])]
    parts += [heading("recent runs"), rows([20, None, 8, 8], map(_run, data["runs"]))]
    if data["unjudged"]:
        parts += [
            words(f"Judge the run of {data['unjudged']['run']}:", "dim"),
            words(data["unjudged"]["command"], "cyan"),
        ]
    return stack(*parts, *(words(note, "dim") for note in notes(data)))


def _run(row: Data) -> tuple[RenderableType, ...]:
    said = ": ".join(part for part in (row["classification"], row["recommended_action"]) if part)
    outcome = f" [{row['delivery_outcome']}]" if row["delivery_outcome"] else ""
    return (
        words(row["generated_at"], "dim"),
        words(said + outcome),
        words(row["agent_id"]),
        words(row["reward"], "bold"),
    )


def code(command: str) -> str:
    return f"```\n{clean(command)}\n```"


def markdown(data: Data) -> str:
    parts = [f"# {cell(headline(data))}", cell(" | ".join(part for part in about(data) if part)).replace("\\|", "|")]
    if data["user_reason"]:
        parts.append(cell(data["user_reason"]))
    for question in data["pending"]:
        parts += [
            f"## {question['todo_id']} ({question['kind']}, {cell(question['at'])})",
            f"**{cell(question['question'])}**",
        ]
        parts.append("\n".join(f"- {label}: {cell(value)}" for label, value in facts(question)))
        for answer in question["answers"]:
            parts.append(
                f"**{answer['answer']}**: {cell(answer['means'])}; {cell(then(answer))}\n\n{code(answer['command'])}"
            )
    for request in data["requests"]:
        parts += [f"## {request['todo_id']} needs {cell(', '.join(request['needs']))}", cell(request["text"])]
    for proposal in data["proposals"]:
        parts += [f"## Proposal: {cell(proposal['title'])}", cell(proposal["summary"])]
        parts += [code(answer["command"]) for answer in proposal["answers"]]
    risks = data["risk"] + [f"{each['at']}: {each['message']}" for each in data["problems"]]
    if risks:
        parts += ["## Beside it", "\n".join(f"- {cell(risk)}" for risk in risks)]
    runs = ["".join(f"- {row['generated_at']} {cell(_plain(row))}") for row in data["runs"]]
    parts += ["## Recent runs", "\n".join(runs) or "None."]
    if data["unjudged"]:
        parts += [f"Judge the run of {data['unjudged']['run']}:", code(data["unjudged"]["command"])]
    return "\n\n".join([part for part in parts if part] + notes(data))


def _plain(row: Data) -> str:
    parts = (row["classification"], row["agent_id"], row["delivery_outcome"], row["reward"], row["recommended_action"])
    return ", ".join(part for part in parts if part)
