"""What all jobs share: values that are sent once per worker, results by name, what is kept."""

from __future__ import annotations

import hashlib
import os
import pickle
import threading
import time
from collections.abc import Callable
from typing import Any

from sklearn.base import BaseEstimator, clone

from .. import _core
from .._estimator import Learner, load


class JobError(RuntimeError):
    """Some tasks of a job failed; `failures` has (task, reason), `finished` how many did not."""

    def __init__(self, what: str, failures: list[tuple[str, str]], finished: int, kept: str) -> None:
        name, reason = failures[0]
        more = f" and {len(failures) - 1} more" if len(failures) > 1 else ""
        super().__init__(f"{what}: {name} failed{more}: {reason}; {finished} finished"
                         f"{' and are kept in ' + kept if kept else ''}")
        self.failures = failures
        self.finished = finished


# Values that tasks share are tasks themselves: a worker gets one copy, and a lost one is made again.

_held: dict[str, Any] = {}
_lock = threading.Lock()


def _loaded(content: bytes) -> Any:
    return pickle.loads(content)


class Held:
    """A pickled value that is unpickled once per process."""

    def __init__(self, digest: str, content: bytes) -> None:
        self.digest = digest
        self.content = content

    def value(self) -> Any:
        with _lock:
            if self.digest not in _held:
                while len(_held) >= 8:
                    _held.pop(next(iter(_held)))
                _held[self.digest] = _loaded(self.content)
            return _held[self.digest]


def _hold(digest: str, content: bytes) -> Held:
    return Held(digest, content)


def shared(client: Any, value: Any) -> Any:
    """A future of a `Held`; its key says what the value is."""
    content = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    digest = hashlib.blake2b(content, digest_size=16).hexdigest()
    return client.submit(_hold, digest, content, key=f"mulberry-{digest}")


def model_of(model: Any) -> Learner:
    """A copy that uses one thread."""
    model = model if isinstance(model, Learner) else load(model)
    model = pickle.loads(pickle.dumps(model))
    model.n_jobs = 1
    model.verbose = 0
    return model


def alone(estimator: Any) -> Any:
    """An untrained copy that uses one thread."""
    out = clone(estimator)
    params = {name: 1 for name in out.get_params() if name.split("__")[-1] == "n_jobs"}
    return out.set_params(**params)


def facts_of(estimator: Any) -> list[tuple[str, str]]:
    """Everything that tells an estimator from others; its repr leaves out what is long."""
    out = [("", f"{type(estimator).__module__}.{type(estimator).__qualname__}")]
    for name, value in sorted(estimator.get_params().items()):
        out.append((name, type(value).__qualname__ if isinstance(value, BaseEstimator)
                    else repr(value)))
    return out


def place_of(folder: str, ending: str, *facts: Any) -> str:
    """The file of a finished part, named by all that it depends on; "" if nothing is kept."""
    if not folder:
        return ""
    digest = hashlib.blake2b(pickle.dumps((_core.version, facts)), digest_size=16).hexdigest()
    return os.path.join(folder, digest + ending)


def kept(place: str, make: Callable[[], Any], write: Callable[[Any, Any], Any],
         read: Callable[[Any], Any]) -> Any:
    """What is in the file, or else what `make` gives, which is then in the file."""
    if place and os.path.exists(place):
        with open(place, "rb") as file:
            return read(file)
    found = make()
    if place:
        write_whole(place, lambda file: write(file, found))
    return found


def write_whole(path: str, write: Callable[[Any], Any]) -> None:
    """A file that appears complete or not at all, whoever else writes it."""
    temporary = f"{path}.{os.getpid()}.{threading.get_ident()}.part"
    try:
        with open(temporary, "wb") as file:
            write(file)
        os.replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise


def folder_of(path: Any) -> str:
    """The folder, which is made; "" for None."""
    if not path:
        return ""
    folder = os.path.abspath(os.fspath(path))
    os.makedirs(folder, exist_ok=True)
    return folder


_SECOND_CHANCES = 16


def _is_killed(error: BaseException) -> bool:
    return type(error).__name__ == "KilledWorker"


def _reason(error: BaseException) -> str:
    if _is_killed(error):
        return "every worker that was given it died (out of memory, or a crash)"
    if isinstance(error, NoWorkers):
        return str(error)
    return f"{type(error).__name__}: {error}"


class _Watch:
    """Ends a wait that nobody is left to end: a cluster that had workers and has none for a while."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._alive = self._asked = time.monotonic()
        self._had_any = False

    def check(self) -> None:
        now = time.monotonic()
        if now - self._asked < 1:
            return
        self._asked = now
        if workers(self._client) > 0:
            self._alive, self._had_any = now, True
        elif self._had_any and now - self._alive > LOST_AFTER:
            raise NoWorkers(f"no worker is left, and none came back within {LOST_AFTER:g} seconds; "
                            "start workers and make the same call again")


# Seconds. A worker that dies is started again in a few; one that dies while it starts is not.
LOST_AFTER = 60.0


class NoWorkers(RuntimeError):
    """All workers of the cluster are gone."""


def _result(future: Any, watch: _Watch) -> Any:
    """One that waits on a worker which died is made again by another, if there is one."""
    patience = 5.0
    while True:
        try:
            return future.result(timeout=patience)
        except TimeoutError:
            if future.status == "error":
                raise
            watch.check()
            patience = min(60.0, 2 * patience)


def gathered(what: str, futures: dict[str, Any], kept: str = "") -> dict[str, Any]:
    """The results by name, once all tasks have ended. Exceptions that another thread raises in this
    one are seen soon."""
    from distributed import as_completed

    names = {future.key: name for name, future in futures.items()}
    failures: dict[str, BaseException] = {}
    found: dict[str, Any] = {}
    if not futures:
        return found
    watch = _Watch(next(iter(futures.values())).client)

    def take(name: str) -> None:
        try:
            found[name] = _result(futures[name], watch)
            failures.pop(name, None)
        except Exception as error:
            failures[name] = error

    # Results are fetched as they come: one that waits on a worker is lost if the worker dies, and
    # made again.
    completed: Any = as_completed
    waiting = completed(list(futures.values()))
    try:
        while not waiting.is_empty():
            for future in waiting.next_batch(block=False):
                take(names[future.key])
            time.sleep(0.005)
            watch.check()
    except NoWorkers as error:
        for name in futures:
            if name not in found:
                failures.setdefault(name, error)
    # Tasks that waited on the workers that another one killed are blamed with it: alone, they work.
    killed = [name for name, error in failures.items() if _is_killed(error)]
    if len(killed) > 1:
        for name in killed[:_SECOND_CHANCES]:
            futures[name].retry()
            take(name)
    if failures:
        raise JobError(what, sorted((n, _reason(e)) for n, e in failures.items()), len(found), kept)
    return {name: found[name] for name in futures}


def workers(client: Any) -> int:
    return len(client.scheduler_info(n_workers=-1)["workers"])
