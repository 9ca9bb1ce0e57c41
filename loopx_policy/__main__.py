"""``python -m loopx_policy`` is the ``loopx`` command."""

from __future__ import annotations

from loopx_policy.cli.entry import main

if __name__ == "__main__":
    main()
