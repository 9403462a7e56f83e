#!/usr/bin/env python3
"""Compares reading with scikit-learn's load_svmlight_file and liac-arff, on the same files.

    bench/bench_read.py [--megabytes 200] [--rounds 3] [--arff FILE]

Makes a libsvm file of the given size, reads it with both and compares the results value by value
(row sums of values and indices, in order); then does so for a sparse ARFF file (rcv1subset1 by
default, found in the folder MULBERRY_DATA). Prints the time of both, the ratio, MB/s, and our peak memory and the size of the result. The target is a ratio of 10, and a peak of at most 1.3 times
the result plus 64 MB. Then it shows how the time of every reader grows with rows, columns, line length
and labels: time is proportional to bytes to the power of the exponent, which should be at most 1.1.
The programs read_bench and growth_bench are looked for in the folder MULBERRY_BENCH_BUILD.
"""

import argparse
import gzip
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

import arff
import numpy as np
from sklearn.datasets import load_svmlight_file

MEGABYTE = 1 << 20


def make_libsvm(path, megabytes):
    """Rows of 1 to 4 of 100 labels and about 80 of 50,000 features, values of 6 decimals."""
    rng = np.random.default_rng(1)
    written = 0
    with open(path, "w", encoding="ascii") as out:
        while written < megabytes * MEGABYTE:
            labels = sorted(set(rng.integers(0, 100, rng.integers(1, 5)).tolist()))
            columns = np.unique(rng.integers(1, 50_001, 80))
            values = rng.random(len(columns))
            pairs = " ".join(f"{j}:{v:.6f}" for j, v in zip(columns.tolist(), values.tolist()))
            written += out.write(f"{','.join(map(str, labels))} {pairs}\n")


def program_path(name):
    return os.path.join(os.environ.get("MULBERRY_BENCH_BUILD", "build-bench"), name)


def run_ours(path, rounds):
    program = program_path("read_bench")
    fast = subprocess.run([program, path, str(rounds)], check=True, capture_output=True, text=True)
    once = subprocess.run([program, path], check=True, capture_output=True, text=True)
    ours = {key: float(value) for key, value in map(str.split, fast.stdout.splitlines())}
    # The peak of one read: further rounds would hold pages of the ones before.
    ours["peak"] = float(dict(map(str.split, once.stdout.splitlines()))["peak"])
    return ours


def run_svmlight(path, rounds):
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        x, y = load_svmlight_file(path, multilabel=True, zero_based=False)
        best = min(best, time.perf_counter() - start)
    x.eliminate_zeros()
    return {"seconds": best, "rows": x.shape[0], "columns": x.shape[1], "stored": x.nnz,
            "positives": sum(map(len, y)), "sum": float(x.data.cumsum()[-1]),
            "indices": float(x.indices.sum(dtype=np.int64))}


def run_liac(path, labels):
    with open(path, encoding="utf-8") as text:
        start = time.perf_counter()
        read = arff.load(text, return_type=arff.LOD)
        seconds = time.perf_counter() - start
    features = len(read["attributes"]) - labels
    values = [(j, float(v)) for row in read["data"] for j, v in sorted(row.items()) if j < features]
    values = [(j, v) for j, v in values if v != 0]
    positives = sum(int(v) for row in read["data"] for j, v in row.items() if j >= features)
    return {"seconds": seconds, "rows": len(read["data"]), "columns": features,
            "stored": len(values), "positives": positives,
            "sum": float(np.cumsum([v for _, v in values])[-1]),
            "indices": float(sum(j for j, _ in values))}


def report(title, path, ours, peer_name, peer):
    size = os.path.getsize(path) / MEGABYTE
    same = all(ours[key] == peer[key] for key in peer if key != "seconds")
    limit = 1.3 * ours["bytes"] + 64 * MEGABYTE
    print(f"{title}: {size:.1f} MB, {ours['rows']:.0f} rows, {ours['stored']:.0f} values")
    print(f"  mulberry            {ours['seconds']:9.4f} s  {size / ours['seconds']:8.1f} MB/s")
    print(f"  {peer_name:<18}  {peer['seconds']:9.4f} s  {size / peer['seconds']:8.1f} MB/s")
    print(f"  ratio of the times  {peer['seconds'] / ours['seconds']:9.1f}")
    print(f"  results             {'equal' if same else 'DIFFERENT'}")
    print(f"  peak memory         {ours['peak'] / MEGABYTE:9.1f} MB, the result "
          f"{ours['bytes'] / MEGABYTE:.1f} MB, the limit {limit / MEGABYTE:.1f} MB")
    return same


def report_growth():
    """The exponents of all readers; false if one is above the target."""
    lines = subprocess.run([program_path("growth_bench")], check=True, capture_output=True,
                           text=True).stdout.splitlines()
    print("growth: seconds for the largest of five sizes that double, and the exponent")
    good = True
    for row in map(json.loads, lines):
        above = row["exponent"] > 1.1
        good &= not above
        print(f"  {row['format']:<12} {row['axis']:<20} {row['size']:>9} {row['megabytes']:>8.1f} MB"
              f" {row['seconds']:>8.4f} s {row['exponent']:>6.2f}{'  ABOVE 1.1' if above else ''}")
    return good


def write_wide(path, kind, count):
    """A file with so many columns or labels."""
    names = [f"{'label' if 'labels' in kind else 'column'}{j}" for j in range(count)]
    with open(path, "w") as out:
        if kind.startswith("csv"):
            out.write(",".join(names + ["last"]) + "\n" + 3 * (",".join(["1"] * count + ["0"]) + "\n"))
            return
        domain = "{0,1}" if "labels" in kind else "numeric"
        out.write("@relation wide\n" + "".join(f"@attribute {name} {domain}\n" for name in names))
        out.write("@attribute last {0,1}\n@data\n" + ",".join(["1"] * count + ["0"]) + "\n")


def report_instructions(folder):
    """Names of many columns leave the caches, which time shows and the algorithm does not: next to the
    seconds, the instructions of the whole command, counted by valgrind, for four times the size."""
    if shutil.which("valgrind") is None:
        print("instructions: skipped, there is no valgrind")
        return True
    good = True
    print("growth of instructions from 50,000 to 200,000")
    for kind, labels in (("csv columns", "--label-count=-1"), ("csv labels", "--label-prefix=label"),
                         ("arff columns", "--label-count=-1"), ("arff labels", "--label-prefix=label")):
        counts = []
        for size in (50_000, 200_000):
            path = os.path.join(folder, f"wide.{kind.split()[0]}")
            write_wide(path, kind, size)
            found = subprocess.run(
                ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
                 program_path("mulberry"), "convert", path, os.path.join(folder, "out.npz"), labels,
                 "--quiet"], check=True, capture_output=True, text=True,
                env={**os.environ, "OPENBLAS_CORETYPE": "Haswell"}).stderr
            counts.append(int(re.search(r"Collected : (\d+)", found).group(1)))
        exponent = math.log(counts[1] / counts[0]) / math.log(4)
        good &= exponent <= 1.1
        print(f"  {kind:<16} {counts[1] / 1e6:>8.0f} million {exponent:>6.2f}")
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--megabytes", type=float, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    data = pathlib.Path(os.environ.get("MULBERRY_DATA", "data"))
    parser.add_argument("--arff", type=pathlib.Path, default=data / "rcv1/rcv1subset1.arff.gz")
    parser.add_argument("--arff-labels", type=int, default=101, help="label attributes, the last")
    args = parser.parse_args()
    good = True
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "bench.libsvm")
        make_libsvm(path, args.megabytes)
        good &= report("libsvm", path, run_ours(path, args.rounds), "load_svmlight_file",
                       run_svmlight(path, args.rounds))
        if args.arff.exists():
            plain = pathlib.Path(folder) / args.arff.name.removesuffix(".gz")
            opened = gzip.open if args.arff.suffix == ".gz" else open
            with opened(args.arff, "rb") as source:
                plain.write_bytes(source.read())
            for xml in args.arff.parent.glob("*.xml"):
                (plain.parent / xml.name).write_bytes(xml.read_bytes())
            good &= report("ARFF", plain, run_ours(plain, args.rounds), "liac-arff",
                           run_liac(plain, args.arff_labels))
        else:
            print(f"ARFF: skipped, there is no {args.arff}; set MULBERRY_DATA")
        good &= report_instructions(folder)
    good &= report_growth()
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
