"""The progress bar of `verbose=True`: one line that is overwritten, in terminals and notebooks."""

from __future__ import annotations

import math
import sys
import time
from typing import Any, TextIO

_WIDTH = 30


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    return shell is not None and type(shell.get_ipython()).__name__ == "ZMQInteractiveShell"


class Progress:
    """Called with (fraction, objective) now and then; a context manager that ends the line.

    If lines cannot be overwritten, as in a file, only the last one is written.
    """

    def __init__(self, what: str, stream: TextIO | None = None) -> None:
        self.what = what
        self.stream = stream if stream is not None else sys.stderr
        self.live = self.stream.isatty() or _in_notebook()
        self.begin = time.monotonic()
        self.drawn = 0

    def __enter__(self) -> Progress:
        return self

    def __call__(self, fraction: float, objective: float) -> None:
        if not self.live:
            return
        seconds = time.monotonic() - self.begin
        full = round(_WIDTH * min(max(fraction, 0.0), 1.0))
        line = f"{self.what} [{'#' * full}{'.' * (_WIDTH - full)}] {100 * fraction:3.0f} %"
        if fraction > 0.02:
            line += f", {seconds * (1 - fraction) / fraction:.0f} s left"
        if math.isfinite(objective):
            line += f", objective {objective:.6g}"
        self._draw(line)

    def __exit__(self, kind: Any, *_: Any) -> None:
        outcome = "stopped after" if kind is not None else "done in"
        self._draw(f"{self.what}: {outcome} {time.monotonic() - self.begin:.2f} s")
        self.stream.write("\n")
        self.stream.flush()

    def _draw(self, line: str) -> None:
        if self.live:
            line, self.drawn = "\r" + line.ljust(self.drawn), len(line)
        self.stream.write(line)
        self.stream.flush()
