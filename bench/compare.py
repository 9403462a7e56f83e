#!/usr/bin/env python3
"""Times two builds of Mulberry side by side and says what became slower.

    bench/compare.py BASE NEW [--rounds 5] [--limit 0.10] [--only NAME ...]

BASE and NEW are build folders. Rows are commands of `mulberry` on small generated data and, where
both builds have it, the rows of quick_bench. Each round times a row once with either build, in
turn; the best round counts, in CPU seconds on one thread. A row is slower when its best time rises
by more than the limit, by more than a floor and by more than its own rounds spread. It is then
timed again, with three times as many rounds, and counts only if it is still slower. Exit code 1
when a row is. A star marks rows whose answers differ.
"""

import argparse
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

# Seconds that do not count: what the start of a process varies by, what a row in a process does.
PROCESS_FLOOR, ROW_FLOOR = 0.003, 0.0002
LEARNERS = ["br_logistic", "br_svm", "ml_knn", "mahr(rounds=20)", "rml(C=1)", "svm", "mll_le",
            "mlr_gl(C=1)", "rakel", "ecc", "forest(trees=20)", "boost(rounds=20)", "ridge"]
ENVIRONMENT = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def run(command, cwd):
    """CPU seconds of a command and what it printed."""
    process = subprocess.Popen([str(part) for part in command], cwd=cwd, env=ENVIRONMENT,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out = process.stdout.read()
    error = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))} failed:\n{error.decode()}")
    return usage.ru_utime + usage.ru_stime, out


def digest(path_or_bytes):
    data = path_or_bytes if isinstance(path_or_bytes, bytes) else path_or_bytes.read_bytes()
    return hashlib.sha1(data).hexdigest()[:12]


class CommandRow:
    """A command of `mulberry`; the answer is the file it writes or, if that is None, what it
    prints. `same` says whether it is the same in every run."""

    floor = PROCESS_FLOOR

    def __init__(self, name, words, output=None, same=True):
        self.name, self.words, self.output, self.same = name, words, output, same

    def time(self, build, folder):
        seconds, out = run([build / "mulberry", *self.words], folder)
        return seconds, digest(folder / self.output if self.output else out) if self.same else ""


class QuickRow:
    """A row of quick_bench, which times itself."""

    floor = ROW_FLOOR

    def __init__(self, name):
        self.name = name

    def time(self, build, folder):
        _, out = run([build / "quick_bench", self.name], folder)
        rows = [json.loads(line) for line in out.splitlines()]
        row = next(row for row in rows if row["name"] == self.name)
        return row["seconds"], row["answer"]


def short(learner):
    return learner.split("(")[0]


def command_rows():
    one = ["--threads", "1", "--quiet"]
    labels = ["--label-prefix", "label"]
    for learner in LEARNERS:
        model = f"{short(learner)}.mb"
        yield CommandRow(f"fit {short(learner)}", ["fit", learner, "small.arff", "-o", model, *one])
    yield CommandRow("fit text", ["fit", "br_logistic", "notes.csv", "--text", "body", "--id", "id",
                                  "--label-list", "tags", "-o", "text.mb", *one])
    for learner in ("br_logistic", "mlr_gl(C=1)"):
        model = f"missing-{short(learner)}.mb"
        yield CommandRow(f"fit missing {short(learner)}",
                         ["fit", learner, "hidden.arff", "-o", model, *one])
    yield CommandRow("fit dsml", ["fit", "dsml", "sets.arff", "-o", "dsml.mb", *one])
    for learner in ("br_logistic", "ml_knn", "svm"):
        yield CommandRow(f"predict {learner}", ["predict", f"{learner}.mb", "many.arff", "-o",
                                                "out.csv", "--scores", *one], "out.csv")
    yield CommandRow("score", ["score", "br_logistic.mb", "many.arff", "--json", *one])
    yield CommandRow("cv", ["cv", "br_logistic", "ml_knn", "small.arff", "--folds", "3", "--csv",
                            "--measures", "micro_f1,macro_f1,hamming_loss", *one],
                     same=False)  # it prints times
    yield CommandRow("describe", ["describe", "data.arff"])
    yield CommandRow("split", ["split", "data.arff", "--folds", "5", "--indices", "-o", "part",
                               "--quiet"])
    for name in ("arff", "csv", "libsvm", "npz"):
        more = labels if name == "csv" else []
        yield CommandRow(f"read {name}", ["convert", f"data.{name}", "out.npz", "--quiet", *more])


def make_data(build, folder):
    """Written by the base, so that both read the same bytes."""
    def make(*words):
        run([build / "mulberry", *words], folder)
    make("generate", "linear", "--rows", "3000", "--features", "60", "--labels", "12", "-o",
         "data.arff")
    for name, rows in (("small", "800"), ("many", "3000")):
        make("generate", "linear", "--rows", rows, "--features", "20", "--labels", "6", "-o",
             f"{name}.arff")
    make("hide", "small.arff", "--share", "0.4", "--mode", "cells", "-o", "hidden.arff")
    make("generate", "tagged-text", "--rows", "2000", "-o", "notes.csv")
    make("generate", "label-sets", "--rows", "200", "--features", "8", "--set-sizes", "3,3", "-o",
         "sets.arff")
    for name in ("csv", "libsvm", "npz"):
        make("convert", "data.arff", f"data.{name}", "--quiet")


def quick_rows(builds):
    if not all((build / "quick_bench").exists() for build in builds):
        print("One of the builds has no quick_bench: rows of the command line only")
        return []
    names = [set(run([build / "quick_bench", "--list"], ".")[1].decode().splitlines())
             for build in builds]
    return [QuickRow(name) for name in sorted(names[0] & names[1])]


def own_folders(folder):
    """A folder per build with links to the data: a build predicts with the models that it trained,
    because an older one may not read newer files."""
    sides = []
    for name in ("base", "new"):
        side = folder / name
        side.mkdir()
        for file in folder.iterdir():
            if file.is_file():
                (side / file.name).symlink_to(file)
        sides.append(side)
    return sides


def compare(row, builds, folders, rounds):
    """Times of either build in turn, and whether the answers are the same."""
    times, answers = ([], []), [None, None]
    for k in range(rounds):
        for side in ((0, 1) if k % 2 == 0 else (1, 0)):
            seconds, answers[side] = row.time(builds[side], folders[side])
            times[side].append(seconds)
    return times, answers[0] == answers[1]


def is_slower(times, limit, floor):
    base, new = (sorted(side) for side in times)
    # What a side varies by: its second best round against its best.
    spread = max(side[min(1, len(side) - 1)] - side[0] for side in (base, new))
    return new[0] > base[0] * (1 + limit) and new[0] - base[0] > max(floor, spread)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("base", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("new", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--limit", type=float, default=0.10)
    parser.add_argument("--only", nargs="*", default=[], help="rows whose name begins with these")
    args = parser.parse_args()
    builds = (args.base, args.new)
    slower = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_data(args.base, folder)
        folders = own_folders(folder)
        rows = list(command_rows()) + quick_rows(builds)
        if args.only:
            rows = [row for row in rows if row.name.startswith(tuple(args.only))]
        print(f"{'row':24} {'base s':>9} {'new s':>9} {'ratio':>6}")
        for row in rows:
            times, same = compare(row, builds, folders, args.rounds)
            note = ""
            if is_slower(times, args.limit, row.floor):
                more, same = compare(row, builds, folders, 3 * args.rounds)
                times = tuple(first + again for first, again in zip(times, more))
                if is_slower(times, args.limit, row.floor):
                    note = "  SLOWER"
                    slower.append(row.name)
            base, new = map(min, times)
            mark = "" if same else " *"
            print(f"{row.name:24} {base:9.4f} {new:9.4f} {new / max(base, 1e-9):6.2f}{mark}{note}",
                  flush=True)
    print(f"slower: {', '.join(slower)}" if slower else "nothing became slower by more than "
          f"{100 * args.limit:.0f} %")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
