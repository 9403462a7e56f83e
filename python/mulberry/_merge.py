"""Models that were trained apart, as one: labels side by side, and weights from elsewhere."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from . import _core

_NUMBERED = re.compile(r"labels\.(\d+)\.(.*)")


def merge_labels(models: list[_core.Model], data: _core.Dataset | None = None) -> _core.Model:
    """The model of all labels from binary relevance models of some labels each, in their order.

    It is the model that training on all labels at once would give, bit for bit, if the base learner
    trains every label by itself and draws nothing at random. `data` is the whole, if it is here, so
    that the model says which data it was trained on.
    """
    first = models[0]
    if "label_blocks" not in _core.tags_of(first.spec) or any(m.spec != first.spec for m in models):
        raise ValueError("expected models of a learner whose labels can be trained apart, with the "
                         "same parameters")
    parts = [_core.parts(model) for model in models]
    if "labels.fitted" in parts[0]:
        merged = _separate(parts)
    elif "labels.w" in parts[0]:
        merged = _linear(parts)
    elif "labels.trees.column" in parts[0] and "labels.share" in parts[0]:
        merged = _forests(parts)
    else:
        raise ValueError(f"expected a base learner that trains every label by itself, found "
                         f"{first.text}: train it on one machine")
    never, always, before = [], [], 0
    for model in models:
        without, with_all = _core.one_class(model)
        never += [before + label for label in without]
        always += [before + label for label in with_all]
        before += len(model.label_names)
    return _core.of_parts(
        first, merged, [name for m in models for name in m.label_names],
        [p for m in models for p in _core.propensities(m)], never, always,
        "" if data is None else _core.fingerprint(data), first.summary["rows"])


def _linear(parts: list[dict[str, Any]]) -> dict[str, Any]:
    out = dict(parts[0])
    for name in ("labels.w", "labels.b", "labels.certificate"):
        out[name] = np.concatenate([p[name] for p in parts])
    for name in ("labels.w.rows", "labels.certificate.rows"):
        out[name] = sum(p[name] for p in parts)
    return out


def _forests(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """The trees of one label after the other, with leaves and labels numbered on."""
    out = dict(parts[0])
    labels = nodes = leaves = cells = 0
    pieces: dict[str, list[np.ndarray]] = {}

    def add(name: str, values: np.ndarray) -> None:
        pieces.setdefault(f"labels.{name}", []).append(values)

    for part in parts:
        column, child = part["labels.trees.column"], part["labels.trees.child"]
        start, tree_start = part["labels.start"], part["labels.trees.start"]
        add("trees.start", (tree_start if nodes == 0 else tree_start[1:]) + nodes)
        # A leaf has its number instead of a child.
        add("trees.child", np.where(column < 0, child + leaves, child).astype(child.dtype))
        add("start", (start if leaves == 0 else start[1:]) + cells)
        add("index", part["labels.index"] + np.int32(labels))
        for name in ("trees.column", "trees.cut", "trees.missing_left", "share"):
            add(name, part[f"labels.{name}"])
        labels += part["labels.labels"]
        nodes, leaves = nodes + len(column), leaves + len(start) - 1
        cells += len(part["labels.index"])
    for name, values in pieces.items():
        out[name] = np.concatenate(values)
    out["labels.labels"] = labels
    out["labels.targets"] = sum(part["labels.targets"] for part in parts)
    return out


def _separate(parts: list[dict[str, Any]]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    before = 0
    for part in parts:
        for name, value in part.items():
            found = _NUMBERED.fullmatch(name)
            out[f"labels.{int(found[1]) + before}.{found[2]}" if found else name] = value
        before += len(part["labels.fitted"])
    for name in ("labels.fitted", "labels.constants"):
        out[name] = np.concatenate([p[name] for p in parts])
    return out


def with_weights(like: _core.Model, W: np.ndarray, b: np.ndarray, certificate: np.ndarray,
                 label_names: list[str], propensities: list[float], never: list[int],
                 always: list[int], rows: int, feature_names: list[str]) -> _core.Model:
    """A linear binary relevance model with these weights, labels x features."""
    parts = _core.parts(like)
    parts["labels.w"] = np.ascontiguousarray(W, dtype=np.float64).ravel()
    parts["labels.w.rows"], parts["labels.w.cols"] = W.shape
    parts["labels.b"] = np.ascontiguousarray(b, dtype=np.float64)
    parts["labels.certificate"] = np.ascontiguousarray(certificate, dtype=np.float64).ravel()
    parts["labels.certificate.rows"], parts["labels.certificate.cols"] = certificate.shape
    return _core.of_parts(like, parts, label_names, propensities, never, always, "", rows,
                          feature_names)
