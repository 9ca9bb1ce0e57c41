"""Times: ISO 8601 texts to whole seconds since the epoch (UTC) and back.

Done by hand, so that it is the same on every Python version and costs no import. Fractions of a
second are dropped. Years 1001 to 9998 are read; anything else is not a time.
"""

from __future__ import annotations

from typing import Final

TIME: Final = (
    "^(?!1000|9999)[1-9][0-9]{3}-"
    "(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8])"
    "|(?<=^[0-9]{2}(?:0[48]|[2468][048]|[13579][26])-|^(?:[02468][048]|[13579][26])00-)02-29)"
    "(?:[T ](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.,][0-9]{1,9})?)?"
    "(?:Z|[+-](?:[01][0-9]|2[0-3]):?[0-5][0-9])?)?$"
)
RELATIVE: Final = "^[+-][0-9]{1,7}[smhd]$"

_SECONDS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_LENGTHS: Final = (0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_LOWEST: Final = -30578515200  # 1001-01-01
_HIGHEST: Final = 253370764800  # 9999-01-01, excluded


def parse_time(text: str) -> tuple[int, bool] | None:
    """``(seconds, has a zone)``, or ``None`` where the text is no ISO 8601 date or time.

    Without a zone, UTC is meant; a date alone is its midnight.
    """
    if len(text) < 10 or text[4] != "-" or text[7] != "-":
        return None
    year, month, day = _int(text[:4]), _int(text[5:7]), _int(text[8:10])
    if not (1001 <= year <= 9998 and 1 <= month <= 12 and 1 <= day <= 31) or day > _length(year, month):
        return None
    seconds = _days(year, month, day) * 86400
    rest = text[10:]
    if not rest:
        return _bounded(seconds, False)
    if rest[0] not in "T " or rest[3:4] != ":":
        return None
    hour, minute = _int(rest[1:3]), _int(rest[4:6])
    if not (0 <= hour <= 23 and 0 <= minute <= 59):
        return None
    seconds += hour * 3600 + minute * 60
    rest = rest[6:]
    if rest[:1] == ":":
        second = _int(rest[1:3])
        if not 0 <= second <= 59:
            return None
        seconds += second
        rest = rest[3:]
        if rest[:1] in (".", ","):
            digits = len(rest) - len(rest[1:].lstrip("0123456789")) - 1
            if not 1 <= digits <= 9:
                return None
            rest = rest[1 + digits :]
    if not rest:
        return _bounded(seconds, False)
    if rest == "Z":
        return _bounded(seconds, True)
    figures = rest[1:3] + (rest[4:6] if rest[3:4] == ":" and len(rest) == 6 else rest[3:5] if len(rest) == 5 else "")
    hours, minutes = _int(figures[:2]), _int(figures[2:])
    if rest[0] not in "+-" or not (0 <= hours <= 23 and 0 <= minutes <= 59):
        return None
    offset = hours * 3600 + minutes * 60
    return _bounded(seconds + offset if rest[0] == "-" else seconds - offset, True)


def parse_relative(text: str) -> int | None:
    """Seconds of ``-30m``, ``+2h``, ``-45s`` or ``+1d``; ``None`` where the text is none of them."""
    if 3 <= len(text) <= 9 and text[0] in "+-" and text[-1] in _SECONDS:
        figure = text[1:-1]
        if figure.isascii() and figure.isdigit():
            seconds = int(figure) * _SECONDS[text[-1]]
            return -seconds if text[0] == "-" else seconds
    return None


def is_moment(seconds: int) -> bool:
    """Whether these seconds can be written as a time and read again."""
    return _LOWEST <= seconds < _HIGHEST


def iso(seconds: int) -> str:
    """``2026-12-01T08:30:00Z``."""
    days, rest = divmod(seconds, 86400)
    days += 719468
    era, day_of_era = divmod(days, 146097)
    year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36524 - day_of_era // 146096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * shifted + 2) // 5 + 1
    month = shifted + 3 if shifted < 10 else shifted - 9
    year = year_of_era + era * 400 + (month <= 2)
    return f"{year:04}-{month:02}-{day:02}T{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}Z"


def _int(text: str) -> int:
    return int(text) if len(text) in (2, 4) and text.isascii() and text.isdigit() else -1


def _length(year: int, month: int) -> int:
    leap = month == 2 and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return _LENGTHS[month] + leap


def _days(year: int, month: int, day: int) -> int:
    # Days since 1970-01-01 of the proleptic Gregorian calendar, with March as the first month.
    if month <= 2:
        year -= 1
    day_of_year = (153 * (month - 3 if month > 2 else month + 9) + 2) // 5 + day - 1
    return year * 365 + year // 4 - year // 100 + year // 400 + day_of_year - 719468


def _bounded(seconds: int, zoned: bool) -> tuple[int, bool] | None:
    return (seconds, zoned) if is_moment(seconds) else None
