"""The run index: read from its end, overlays merged, slots counted, cost bounded."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopx_policy.errors import StateError
from loopx_policy.model import Run, Runs
from loopx_policy.project.runs import LINE_LIMIT, lines_from_end, read_runs, run_of, runs_from
from loopx_policy.project.times import iso
from loopx_policy.records import names

NOW = 1_796_083_200
NEUTRAL = frozenset({"quota_slot_spent", "quota_monitor_poll"})
Row = dict[str, Any]


def row(age: int, classification: str = "progress", name: str = "", **more: Any) -> Row:
    made: Row = {"generated_at": iso(NOW - age), "goal_id": "g", "classification": classification, **more}
    if name:
        made["json_path"] = name
    return made


def encoded(*rows: Row | bytes) -> bytes:
    return b"".join((item if isinstance(item, bytes) else json.dumps(item).encode()) + b"\n" for item in rows)


def read(*rows: Row | bytes, window: int = 3600, enough: int = 2, cap: int = 4096, folder: str = "/nowhere") -> Runs:
    return runs_from(io.BytesIO(encoded(*rows)), folder, "g", NOW - window, NEUTRAL, enough, cap)


def ages(runs: Runs) -> list[int]:
    return [NOW - (run.generated_at or 0) for run in runs.rows]


def test_rows_come_newest_first() -> None:
    runs = read(row(300), row(200), row(100))
    assert ages(runs) == [100, 200, 300]
    assert runs.complete


def test_reading_stops_when_the_window_is_over_and_enough_meaningful_rows_were_seen() -> None:
    old = [row(9000 - n) for n in range(50)]
    runs = read(*old, row(100, "quota_slot_spent"), row(50))
    assert ages(runs) == [50, 100, 8951]
    assert not runs.complete
    assert ages(read(*old, row(60), row(50), enough=1)) == [50, 60, 8951]
    assert len(read(*old, row(50), enough=40).rows) == 40


def test_within_the_window_every_row_is_read() -> None:
    assert len(read(*[row(3600 - n) for n in range(500)], enough=1).rows) == 500


def test_beyond_the_window_neutral_rows_are_read_up_to_the_cap() -> None:
    polls = [row(9000 - n, "quota_monitor_poll") for n in range(100)]
    assert len(read(row(9999), *polls).rows) == 101
    assert len(read(row(9999), *polls, cap=30).rows) == 30


def test_no_file_is_no_rows(tmp_path: Path) -> None:
    assert read_runs(str(tmp_path / "none"), goal_id="g", window_start=0, neutral=NEUTRAL) == Runs()
    (tmp_path / "index.jsonl").write_bytes(b"")
    assert read_runs(str(tmp_path), goal_id="g", window_start=0, neutral=NEUTRAL) == Runs()
    (tmp_path / "other" / "index.jsonl").mkdir(parents=True)
    with pytest.raises(StateError, match=r"runs/index\.jsonl: The run index cannot be read \(is a directory\)\."):
        read_runs(str(tmp_path / "other"), goal_id="g", window_start=0, neutral=NEUTRAL)


def test_a_later_row_overlays_the_earlier_one_in_its_place() -> None:
    runs = read(
        row(300, name="a.json", health_check="ok"),
        row(200, name="b.json"),
        row(300, name="a.json", human_reward={"value": 1}, delivery_outcome="outcome_gap"),
        row(300, name="a.json", delivery_outcome="surface_only"),
    )
    assert ages(runs) == [200, 300]
    assert runs.rows[1].raw == row(
        300, name="a.json", health_check="ok", human_reward={"value": 1}, delivery_outcome="surface_only"
    )


def test_rows_without_a_file_are_nobodys_overlay() -> None:
    runs = read(row(100, "quota_slot_spent"), row(100, "quota_slot_spent"))
    assert [run.slots for run in runs.rows] == [1, 1]


def test_overlays_on_old_runs_neither_end_the_reading_nor_stand_in_for_the_run() -> None:
    rewards = [row(9500 + n, name=f"{n}.json", human_reward={}) for n in range(10)]
    runs = read(*[row(9100 - n, name=f"{n}x.json") for n in range(5)], row(3000), *rewards, enough=2)
    assert ages(runs) == [3000, 9096]
    assert not runs.complete


def test_overlays_alone_are_read_up_to_the_cap() -> None:
    rewards = [row(9000 + n, name=f"{n}.json", human_reward={}) for n in range(100)]
    runs = read(row(50), *rewards, cap=20)
    assert not runs.complete


def test_lines_that_are_no_row_are_skipped_and_counted() -> None:
    torn = [b'{"generated_at": "2026', b"\xff\xfe{}", b"[1]", b"5", b'{"a": NaN}', b"[" * 5000]
    runs = read(row(300), *torn, b"", b"   ", row(100))
    assert ages(runs) == [100, 300]
    assert runs.torn == len(torn)


SPENT = json.dumps(row(100, "quota_slot_spent", "a.json", quota_event={"slots": 1})).encode()
DAMAGED = {
    "not a number": SPENT[:-1] + b', "x": NaN}',
    "no UTF-8": SPENT[:-1] + b', "x": "\xff"}',
    "half written": SPENT[:-9],
    "behind half a row": b'{"generated_at": "2026-11' + SPENT,
    "before half a row": SPENT + b'{"gener',
    "in a list": b"[" + SPENT + b"]",
    "beyond every limit": SPENT[:-1] + b', "x": "' + b"y" * LINE_LIMIT + b'"}',
}


def slots(runs: Runs) -> int:
    return sum(run.slots for run in runs.rows)


@pytest.mark.parametrize("kind", DAMAGED)
def test_a_line_that_cannot_be_read_and_names_a_spending_has_spent_a_slot(kind: str) -> None:
    runs = read(row(300), DAMAGED[kind], row(50))
    assert (slots(runs), runs.torn, len(runs.rows)) == (1, 1, 3)
    assert all((run.generated_at or 0) >= NOW - 100 for run in runs.rows if run.slots)


def test_what_is_legible_of_a_damaged_spending_is_read() -> None:
    damaged = json.dumps(row(9000, "quota_slot_spent", "a.json", quota_event={"slots": 3}, x=float("nan"))).encode()
    (old, new) = read(row(9999), damaged, row(50), enough=9).rows[:2][::-1]
    assert (old.slots, old.generated_at, new.slots) == (3, NOW - 9000, 0)
    assert slots(read(row(300), damaged.replace(b'"g"', b'"other"'))) == 0
    voided = row(9000, "quota_slot_voided", "a.json", quota_event={"slots": 3})
    assert slots(read(damaged, voided)) == 0


def test_a_damaged_line_that_only_mentions_a_spending_has_spent_nothing() -> None:
    mention = json.dumps(row(100, recommended_action="Append quota_slot_spent.", x=float("nan"))).encode()
    runs = read(mention)
    assert (runs.rows, runs.torn) == ([], 1)


def test_a_line_of_which_nothing_is_legible_is_as_old_as_the_row_below_it() -> None:
    torn = b"\0 quota_slot_spent"
    assert [run.generated_at for run in read(row(9999), torn, row(9000), enough=9).rows] == [
        NOW - 9000, NOW - 9000, NOW - 9999,
    ]  # fmt: skip
    assert [run.generated_at for run in read(row(9999), torn, enough=9).rows] == [None, NOW - 9999]


@given(st.data())
def test_no_damage_that_leaves_the_name_lowers_what_was_spent(data: st.DataObject) -> None:
    start = SPENT.index(b"quota_slot_spent")
    keep = range(start, start + len(b"quota_slot_spent"))
    line = bytearray(SPENT)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(SPENT) - 1).filter(lambda n: n not in keep))
        line[at] = data.draw(st.integers(0, 255).filter(lambda n: n != 10))
    if _readable(bytes(line)):
        return
    assert slots(read(bytes(line))) >= 1


def _readable(line: bytes) -> bool:
    """Whether a line says something else now, legibly: another class, another goal, no slot."""
    try:
        value = json.loads(line.decode("utf-8", "replace"))
    except ValueError:
        return False
    return isinstance(value, dict)


def test_a_last_line_without_end_counts_where_it_is_whole() -> None:
    data = encoded(row(200)) + json.dumps(row(100)).encode()
    assert ages(runs_from(io.BytesIO(data), "", "g", 0, NEUTRAL)) == [100, 200]
    assert runs_from(io.BytesIO(data[:-3]), "", "g", 0, NEUTRAL).torn == 1


def test_rows_of_another_goal_are_not_mine() -> None:
    assert ages(read(row(300), {**row(200), "goal_id": "other"}, {"generated_at": iso(NOW - 100)})) == [100, 300]


def test_times_that_cannot_be_read_or_lie_in_the_future_stay() -> None:
    runs = read({**row(0), "generated_at": "yesterday"}, row(-500), {**row(0), "generated_at": 5})
    assert [(run.generated_at, run.generated_at_text) for run in runs.rows] == [
        (None, ""),
        (NOW + 500, iso(NOW + 500)),
        (None, "yesterday"),
    ]


@pytest.mark.parametrize(
    "event, slots",
    [
        ({"slots": 3}, 3),
        ({"slots": 0}, 0),
        ({"slots": 1.2}, 2),
        ({}, 1),
        (None, 1),
        ({"slots": -4}, 1),
        ({"slots": True}, 1),
        ("x", 1),
    ],
)
def test_slots_of_a_row(event: Any, slots: int) -> None:
    spent, voided = read(
        row(2, "quota_slot_voided", quota_event=event), row(1, "quota_slot_spent", quota_event=event)
    ).rows
    assert (spent.slots, voided.slots) == (slots, -slots)
    assert read(row(1, quota_event=event)).rows[0].slots == 0


def test_a_void_that_overlays_its_spending_leaves_nothing_spent() -> None:
    runs = read(
        row(100, "quota_slot_spent", "a.json", quota_event={"slots": 2}),
        row(100, "quota_slot_voided", "a.json", quota_event={"slots": 2}),
    )
    assert [run.slots for run in runs.rows] == [0]


def test_slots_may_stand_in_the_file_beside(tmp_path: Path) -> None:
    folder = tmp_path / "goals" / "g" / "runs"
    folder.mkdir(parents=True)
    (folder / "a.json").write_text('{"quota_event": {"slots": 5}}')
    (tmp_path / "outside.json").write_text('{"quota_event": {"slots": 0}}')
    (folder / "link.json").symlink_to(tmp_path / "outside.json")
    (folder / "broken.json").write_text("{")
    names = ["a.json", str(folder / "a.json"), "runs/a.json", "goals/g/runs/a.json"]
    refused = ["../../../outside.json", str(tmp_path / "outside.json"), "link.json", "broken.json", "none.json", "a\0b"]
    for name in names + refused:
        (run,) = read(row(10, "quota_slot_spent", name), folder=str(folder)).rows
        assert run.slots == (5 if name in names else 1), name


def test_the_parts_of_a_row_are_typed() -> None:
    raw = row(
        0,
        agent_id="me",
        progress_scope="agent_lane",
        recommended_action="Go.",
        delivery_batch_scale="one",
        delivery_outcome="outcome_gap",
        monitor_target={"target_id": "w1"},
        autonomous_replan_ack={"recorded": True, "delta_contract": {"delta_present": True, "delta_kinds": ["todo", 5]}},
    )
    assert run_of(raw, "g") == Run(
        NOW,
        iso(NOW),
        "g",
        "progress",
        "me",
        "agent_lane",
        "Go.",
        "one",
        "outcome_gap",
        "w1",
        True,
        True,
        ("todo",),
        0,
        raw,
    )


@pytest.mark.parametrize(
    "ack",
    [
        None,
        5,
        {},
        {"recorded": "true"},
        {"recorded": 1, "delta_contract": []},
        {"delta_contract": {"delta_present": "yes"}},
    ],
)
def test_an_acknowledgement_needs_a_plain_true(ack: Any) -> None:
    run = run_of({"autonomous_replan_ack": ack}, "g")
    assert (run.ack_recorded, run.ack_delta, run.delta_kinds) == (False, False, ())


JSON = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=3)
    | st.lists(st.integers(), max_size=2)
    | st.just({"slots": "x"})
)
KEYS = [*names(Run), "json_path", "markdown_path", "quota_event", "autonomous_replan_ack", "human_reward"]


@given(st.lists(st.dictionaries(st.sampled_from(KEYS), JSON, max_size=6), max_size=6))
def test_no_row_raises(rows: list[Row]) -> None:
    runs = read(*rows)
    assert len(runs.rows) <= len(rows)


class Counting(io.BytesIO):
    """A file that counts the bytes read from it."""

    count = 0

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        self.count += len(data)
        return data


@pytest.mark.parametrize("rows", [2_000, 40_000])
def test_the_cost_does_not_depend_on_the_length_of_the_file(rows: int) -> None:
    lines = [json.dumps(row(10 * (rows - n), pad="x" * 100)).encode() for n in range(rows)]
    stream = Counting(b"\n".join(lines) + b"\n")
    runs = runs_from(stream, "", "g", NOW - 3600, NEUTRAL)
    assert len(runs.rows) == 361
    assert stream.count == 2 * 65_536


def test_a_line_beyond_the_limit_is_torn_and_costs_no_memory() -> None:
    data = encoded(row(2)) + b'{"x": "' + b"y" * (LINE_LIMIT + 100) + b'"}\n' + encoded(row(1))
    runs = runs_from(io.BytesIO(data), "", "g", 0, NEUTRAL)
    assert (ages(runs), runs.torn) == ([1, 2], 1)


@given(st.binary(max_size=60), st.integers(1, 9))
def test_lines_from_the_end_are_the_lines_reversed(data: bytes, block: int) -> None:
    expected = data.split(b"\n")[::-1] if data else [b""]
    assert list(lines_from_end(io.BytesIO(data), block)) == expected


def test_an_overlay_of_a_run_as_old_as_the_oldest_one_reached_does_not_stand_in_for_it() -> None:
    rewarded = row(4000, "progress", "0.json")
    rows = [
        rewarded,
        *(row(4000, "progress", f"{number}.json") for number in range(1, 6)),
        row(10, "progress", "9.json"),
    ]
    part = read(*rows, {**rewarded, "human_reward": {"value": 1}}, enough=3)
    assert [run.raw["json_path"] for run in part.rows] == ["9.json", "5.json", "4.json"]


CLASSES = st.sampled_from(["progress", "note", "quota_slot_spent", "quota_slot_voided", "quota_monitor_poll"])


@given(st.lists(st.tuples(st.integers(0, 900), CLASSES, st.booleans()), max_size=60), st.data())
def test_reading_from_the_end_equals_reading_everything_within_the_window(
    drawn: list[tuple[int, str, bool]], data: st.DataObject
) -> None:
    age, rows = sum(step for step, _, _ in drawn), []
    for number, (step, classification, rewarded) in enumerate(drawn):
        age -= step
        rows.append(row(age, classification, f"{number}.json"))
        if rewarded:
            target = data.draw(st.sampled_from([r for r in rows if "human_reward" not in r]))
            rows.append({**target, "human_reward": {"value": number}})
    enough = data.draw(st.integers(0, 8))
    part, whole = read(*rows, enough=enough), read(*rows, enough=10**6)
    assert whole.complete
    assert part.rows == whole.rows[: len(part.rows)]
    inside = [run for run in whole.rows if (run.generated_at or 0) >= NOW - 3600]
    assert part.rows[: len(inside)] == inside
    meaningful = [run for run in whole.rows if run.classification not in NEUTRAL]
    kept = [run for run in part.rows if run.classification not in NEUTRAL]
    assert kept[:enough] == meaningful[:enough]


@given(st.integers(0, 20), st.integers(1, 40))
def test_a_name_is_found_wherever_it_stands_in_a_line_beyond_the_limit(before: int, block: int) -> None:
    block += 100_000
    filler = b"y" * (LINE_LIMIT // 2)
    for line, named in ((filler + b"y" * before + b"quota_slot_spent" + filler, True), (filler * 3, False)):
        first, second, third = lines_from_end(io.BytesIO(b"a\n" + line + b"\nb"), block)
        assert (first, b"quota_slot_spent" in second, third) == (b"b", named, b"a")
        assert len(second) < 20
