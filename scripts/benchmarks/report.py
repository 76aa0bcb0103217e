"""Tables of figures, for people and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

Figure = float | int | None


class Column(NamedTuple):
    """`digits` behind the point; `sign` of what is a difference is always shown."""

    name: str
    unit: str = ""
    digits: int = 2
    sign: bool = False

    def show(self, figure: Figure) -> str:
        if figure is None:
            return "–"
        return f"{figure:{'+' if self.sign else ''},.{self.digits}f}"


class Row(NamedTuple):
    name: str
    figures: Sequence[Figure]


class Table(NamedTuple):
    """`note` says what was measured, and how."""

    title: str
    note: str
    columns: Sequence[Column]
    rows: Sequence[Row]

    def text(self) -> str:
        """The table as people read it."""
        cells = [
            ["", *(column.name for column in self.columns)],
            ["", *(column.unit for column in self.columns)],
            *([row.name, *map(Column.show, self.columns, row.figures)] for row in self.rows),
        ]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = [
            f"{name:{widths[0]}}"
            + "".join(f"  {cell:>{width}}" for cell, width in zip(line, widths[1:], strict=True))
            for name, *line in cells
        ]
        return "\n".join([f"## {self.title}", self.note, "", *map(str.rstrip, lines)])

    def document(self) -> dict[str, object]:
        """The table as JSON; columns of one name are told apart by what stands before them."""
        names = [
            f"{column.name} ({column.unit})" if column.unit else column.name
            for column in self.columns
        ]
        return {
            "title": self.title,
            "rows": [
                {"name": row.name, "figures": dict(zip(names, row.figures, strict=True))}
                for row in self.rows
            ],
        }
