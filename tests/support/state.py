"""The active goal state of a random project: sections around the todos, and what to do next."""

from __future__ import annotations

from tests.support.agent_todos import build_agent_todos
from tests.support.chooser import lean
from tests.support.document import BulletPart, Document, SectionPart, TodoPart
from tests.support.scene import HOUR, Scene
from tests.support.user_todos import build_user_todos

NEXT_ACTION = {"absent": 12, "empty": 38, "prose": 22, "ids": 24, "foreign_ids": 4}

USER_HEADINGS = ("User Todo / Owner Review Reading Queue", "User Todo", "Owner Reading Queue", "USER TODO (harbor)")
AGENT_HEADINGS = ("Agent Todo", "Codex Todo", "Project Agent Todo", "Agent Todo: this week")
ARCHIVE_HEADINGS = ("Agent Todo Archive", "Work Archive", "Completed Archive", "Completed Work", "User Todo Archive")
FOREIGN_HEADINGS = ("Notes", "Decisions", "Todo ideas", "Links", "Actions of last year")


def build_document(scene: Scene) -> Document:
    """The whole state."""
    choose = scene.choose
    agent_todos = build_agent_todos(scene)
    user_todos = build_user_todos(scene, agent_todos)
    document = Document(objective=scene.text())
    if choose.maybe(85):
        document.front = {"status": "active", "owner_mode": "goal", "updated_at": scene.at(-HOUR)}
        if choose.maybe(6):
            document.front["x_mood"] = "calm"
    document.crlf = choose.maybe(6)
    document.ends_with_newline = not choose.maybe(6)
    sections = [SectionPart("Objective", "foreign", lead=[scene.text()])]
    sections += _user_sections(scene, user_todos)
    sections += _agent_sections(scene, agent_todos)
    sections += _next_action(scene, [*user_todos, *agent_todos])
    if choose.maybe(14):
        sections.insert(choose.integer(0, len(sections)), _archive(scene))
    if choose.maybe(14):
        sections.insert(choose.integer(0, len(sections)), _foreign(scene))
    document.sections = sections
    return document


def _user_sections(scene: Scene, todos: list[TodoPart]) -> list[SectionPart]:
    if not todos and scene.choose.maybe(30):
        return []
    return [
        SectionPart(
            scene.choose.weighted([(h, w) for h, w in zip(USER_HEADINGS, (70, 14, 8, 8), strict=True)]),
            "user",
            todos=todos,
        )
    ]


def _agent_sections(scene: Scene, todos: list[TodoPart]) -> list[SectionPart]:
    """One section, at times two; now and then with prose above the first todo."""
    choose = scene.choose
    heading = choose.weighted([(h, w) for h, w in zip(AGENT_HEADINGS, (70, 12, 12, 6), strict=True)])
    first = SectionPart(heading, "agent", todos=todos)
    if choose.maybe(6):
        first.lead = [scene.text()]
    if len(todos) > 1 and choose.maybe(8):
        cut = choose.integer(1, len(todos) - 1)
        first.todos = todos[:cut]
        return [first, SectionPart("Codex Todo (lane two)", "agent", todos=todos[cut:])]
    return [first]


def _next_action(scene: Scene, todos: list[TodoPart]) -> list[SectionPart]:
    choose = scene.choose
    kind = choose.weighted(lean(NEXT_ACTION, scene.lean.next_action))
    if kind == "absent":
        return []
    section = SectionPart("Next Action", "next")
    ids = [todo.todo_id for todo in todos if todo.todo_id]
    if kind == "prose":
        section.bullets = [BulletPart(scene.text()) for _ in range(choose.integer(1, 2))]
    elif kind == "ids" and ids:
        for _ in range(choose.integer(1, 3)):
            section.bullets.append(
                BulletPart(scene.text(), choose.some(ids, 2 if choose.maybe(20) else 1), choose.maybe(50))
            )
    elif kind == "foreign_ids":
        section.bullets = [BulletPart(scene.text(), ["todo_elsewhere"])]
    return [section]


def _archive(scene: Scene) -> SectionPart:
    """History: open boxes in an archive are not open todos."""
    choose = scene.choose
    section = SectionPart(choose.choice(ARCHIVE_HEADINGS), "archive")
    for _ in range(choose.integer(1, 3)):
        status = choose.weighted([("done", 70), ("open", 20), ("deferred", 10)])
        todo = TodoPart(scene.text(), mark={"done": "x", "open": " "}.get(status, "-"), priority="[P0]")
        todo.meta = {"todo_id": scene.new_id("z"), "status": status, "task_class": "advancement_task"}
        section.todos.append(todo)
    return section


def _foreign(scene: Scene) -> SectionPart:
    """A section that is no todo list, whatever stands in it."""
    choose = scene.choose
    section = SectionPart(choose.choice(FOREIGN_HEADINGS), "foreign", lead=[scene.text()])
    if choose.maybe(60):
        section.todos = [TodoPart(scene.text(), priority="[P0]") for _ in range(choose.integer(1, 2))]
    return section
