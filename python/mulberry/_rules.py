"""Rules between labels: which labels imply others, and which exclude each other."""

from __future__ import annotations

import numbers
from typing import Any


def _name(label: Any, names: list[str]) -> str:
    if isinstance(label, numbers.Integral) and not isinstance(label, bool):
        place = int(label)
        if not 0 <= place < len(names):
            raise ValueError(f"expected the number of a label, 0 to {len(names) - 1}, found {label}")
        return names[place]
    return str(label)


def named_rules(names: list[str], implies: Any,
                exclusive: Any) -> tuple[list[tuple[str, str]], list[list[str]]]:
    """The rules by names of labels, which may be given by names or numbers."""
    pairs = []
    for pair in () if implies is None else implies:
        if isinstance(pair, str) or len(pair) != 2:
            raise ValueError(f"expected pairs (label, label that it implies), found {pair!r}")
        pairs.append((_name(pair[0], names), _name(pair[1], names)))
    groups = []
    for group in () if exclusive is None else exclusive:
        if isinstance(group, str):
            raise ValueError(f"expected lists of labels that exclude each other, found {group!r}")
        groups.append([_name(label, names) for label in group])
    return pairs, groups


def set_rules(data: Any, names: list[str], implies: Any, exclusive: Any) -> None:
    """Declares the rules of a data set of the library, by names or numbers of labels."""
    pairs, groups = named_rules(names, implies, exclusive)
    if pairs or groups:
        data.add_rules(pairs, groups)
