"""Records mean what data classes mean."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field as data_field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopx_policy.records import field, names, record, replace


@record
class Berth:
    """A record with each kind of field."""

    name: str
    length: int = 12
    ships: list[str] = field(default_factory=list)

    @property
    def label(self) -> str:
        return f"{self.name} ({self.length})"


@dataclass(slots=True)
class DataBerth:
    name: str
    length: int = 12
    ships: list[str] = data_field(default_factory=list)


@record(frozen=True)
class Place:
    file: str
    line: int = 0


KEYS = st.sampled_from(["name", "length", "tide"])
CALLS = st.tuples(st.lists(st.just("x"), max_size=4), st.dictionaries(KEYS, st.just(1)))


@given(CALLS)
def test_it_takes_the_same_arguments_as_a_data_class(call: tuple[list[Any], dict[str, Any]]) -> None:
    def made(cls: Any) -> Any:
        try:
            entry = cls(*call[0], **call[1])
        except TypeError:
            return TypeError
        return [getattr(entry, name) for name in ("name", "length", "ships")]

    assert made(Berth) == made(DataBerth)


def test_a_default_factory_makes_a_new_value_each_time() -> None:
    one, other = Berth("north"), Berth("south")
    one.ships.append("Argo")
    assert other.ships == []


@given(st.text(max_size=2), st.integers(0, 2), st.text(max_size=2), st.integers(0, 2))
def test_equality_and_hash_go_by_value_and_type(a: str, m: int, b: str, n: int) -> None:
    assert (Place(a, m) == Place(b, n)) == ((a, m) == (b, n))
    if Place(a, m) == Place(b, n):
        assert hash(Place(a, m)) == hash(Place(b, n))
    others: list[object] = [Berth(a, m), (a, m)]
    assert Place(a, m) not in others


def test_what_can_change_has_no_hash() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(Berth("north"))


def test_it_has_slots_and_nothing_else() -> None:
    berth = Berth("north")
    with pytest.raises(AttributeError):
        berth.tide = 3  # type: ignore[attr-defined]
    assert names(Berth) == ("name", "length", "ships")
    assert not hasattr(berth, "__dict__")


def test_it_shows_its_fields_and_keeps_its_properties_and_doc() -> None:
    assert repr(Place("STATE.md", 3)) == "Place(file='STATE.md', line=3)"
    assert Berth("north").label == "north (12)"
    assert Berth.__doc__ == "A record with each kind of field."
    match Place("a", 1):
        case Place(file, line):
            assert (file, line) == ("a", 1)


def test_a_replaced_field_leaves_the_original_alone() -> None:
    old = Berth("north", ships=["Argo"])
    new = replace(old, length=20)
    assert (old.length, new.length, new.ships) == (12, 20, ["Argo"])
    with pytest.raises(TypeError):
        replace(old, tide=3)
