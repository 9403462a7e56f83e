"""The progress bar of `verbose=True`: tqdm in notebooks, a line that is overwritten in terminals."""

from __future__ import annotations

import math
import sys
import time
import warnings
from typing import Any, TextIO

_WIDTH = 30
_PAUSE = 1.0  # seconds between messages in a notebook


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    return shell is not None and type(shell.get_ipython()).__name__ == "ZMQInteractiveShell"


def _notebook_bar(what: str) -> Any:
    """A bar of tqdm, or None without it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # without ipywidgets it falls back to text
            from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm(total=100, desc=what, unit="%", mininterval=_PAUSE,
                bar_format="{desc} {percentage:3.0f}%|{bar}| {elapsed}<{remaining}{postfix}")


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
        self.bar: Any = None
        self.last = -_PAUSE

    def __enter__(self) -> Progress:
        if self.live and _in_notebook():
            self.bar = _notebook_bar(self.what)
        return self

    def __call__(self, fraction: float, objective: float) -> None:
        if not self.live:
            return
        seconds = time.monotonic() - self.begin
        if self.bar is not None:
            if math.isfinite(objective):
                self.bar.set_postfix(objective=f"{objective:.6g}", refresh=False)
            self.bar.update(min(max(fraction, 0.0), 1.0) * 100 - self.bar.n)
            return
        # A notebook keeps every message: a few are enough.
        if _in_notebook() and seconds - self.last < _PAUSE:
            return
        self.last = seconds
        full = round(_WIDTH * min(max(fraction, 0.0), 1.0))
        line = f"{self.what} [{'#' * full}{'.' * (_WIDTH - full)}] {100 * fraction:3.0f} %"
        if fraction > 0.02:
            line += f", {seconds * (1 - fraction) / fraction:.0f} s left"
        if math.isfinite(objective):
            line += f", objective {objective:.6g}"
        self._draw(line)

    def __exit__(self, kind: Any, *_: Any) -> None:
        if self.bar is not None:
            if kind is None:
                self.bar.update(100 - self.bar.n)
            self.bar.close()
            return
        outcome = "stopped after" if kind is not None else "done in"
        self._draw(f"{self.what}: {outcome} {time.monotonic() - self.begin:.2f} s")
        self.stream.write("\n")
        self.stream.flush()

    def _draw(self, line: str) -> None:
        if self.live:
            line, self.drawn = "\r" + line.ljust(self.drawn), len(line)
        self.stream.write(line)
        self.stream.flush()
