"""Blocks of code: what the parser skips, a writer skips too."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from loopx_policy.ledger.state_text import StateText
from loopx_policy.project.lines import outside_code
from loopx_policy.project.state import state_of

TEXT = b"""\
# Harbor

```
## Agent Todo
- [ ] example
```

## Agent Todo

- [ ] one
  ~~~
  make all
"""


def test_a_line_is_in_code_from_its_fence_to_the_end_of_it() -> None:
    lines = TEXT.decode().splitlines()
    assert [number for number, free in enumerate(outside_code(lines), 1) if not free] == [3, 4, 5, 6, 11, 12]


def test_a_new_todo_goes_below_the_list_and_not_into_an_example_of_one() -> None:
    text = StateText(TEXT, state_of(TEXT, file="S.md"))
    text.add("agent", "two", {"todo_id": "todo_a02"})
    assert [todo.text for todo in state_of(text.to_bytes(), file="S.md").todos] == ["one ~~~ make all", "two"]


PIECES = [
    "## Agent Todo", "## Next Action", "## Notes", "```", "~~~", "````", "  ```", "\t~~~", "    ```", "  more",
    "- [ ] one", "- [x]", "<!-- loopx:todo note=a -->", "- go",
    "<!-- aside", "  <!--", "-->", "  <!-- loopx:todo note=b --> -->", "prose", "",
]  # fmt: skip


@settings(max_examples=300)
@given(st.lists(st.sampled_from(PIECES), max_size=12))
def test_the_parser_and_the_writer_agree_on_what_is_code(pieces: list[str]) -> None:
    lines = ["## Agent Todo", "- [ ] first", *pieces]
    section, expected = "", []
    for number, (line, free) in enumerate(zip(lines, outside_code(lines), strict=True), 1):
        if free and line.startswith("## "):
            section = line
        elif free and line.startswith("- [") and section == "## Agent Todo":
            expected.append(number)
    found = [todo.line for todo in state_of("\n".join(lines).encode(), file="S.md").todos]
    assert found == expected
