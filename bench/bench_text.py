#!/usr/bin/env python3
"""Compares text to features with scikit-learn's TfidfVectorizer, on the same texts and one thread.

    bench/bench_text.py [--rounds 3] [--growth] [--model]

The texts are the training part of goemotions, found in the folder MULBERRY_DATA, or made up. Checks that
vocabulary and values are equal, then prints the CPU time of fit_transform and transform of both, their
ratio (the target is 5), and the peak memory that each adds. --growth shows how our time grows with the
rows; --model fits br_logistic on goemotions with the command (MULBERRY) and a scikit-learn pipeline of
the same options, and compares scores, times and memory; and threshold on top of br_logistic.
"""

import argparse
import csv
import gzip
import multiprocessing
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np

OPTIONS = {"unigrams": {}, "unigrams and bigrams": {"ngram_range": (1, 2)},
           "characters 2 to 5 in words": {"analyzer": "char_wb", "ngram_range": (2, 5)}}


def read(part):
    folder = pathlib.Path(os.environ.get("MULBERRY_DATA", ""), "goemotions")
    with gzip.open(folder / f"goemotions-{part}.csv.gz", "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [row["text"] for row in rows], [row["emotions"].split(";") for row in rows]


def vectorizer(kind, options):
    if kind == "ours":
        from mulberry import TextVectorizer
        return TextVectorizer(**options)
    from sklearn.feature_extraction.text import TfidfVectorizer
    return TfidfVectorizer(**options)


def measure(kind, options, texts, rounds, queue):
    """In a separate process, which has the peak memory of one kind only."""
    vectorizer(kind, options).fit(texts[:10])  # imports and tables
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    fit, transform = [], []
    for _ in range(rounds):
        made = vectorizer(kind, options)
        start = time.process_time()
        X = made.fit_transform(texts)
        middle = time.process_time()
        made.transform(texts)
        fit.append(middle - start)
        transform.append(time.process_time() - middle)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    names = list(made.get_feature_names_out())
    X.sort_indices()
    queue.put((min(fit), min(transform), peak / 1024, names[::997], X.shape, X.nnz,
               X.indices[::101].tolist(), X.data[::101].tolist()))


def in_process(*args):
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=measure, args=(*args, queue))
    process.start()
    result = queue.get()
    process.join()
    return result


def compare(texts, rounds):
    print(f"{len(texts)} texts\n\n| features | columns | scikit-learn fit | ours | ratio | "
          "scikit-learn transform | ours | ratio | memory, MB | ours |\n|---|" + "---:|" * 9)
    for name, options in OPTIONS.items():
        theirs = in_process("theirs", options, texts, rounds)
        ours = in_process("ours", options, texts, rounds)
        assert ours[3:7] == theirs[3:7], "another vocabulary"
        np.testing.assert_allclose(ours[7], theirs[7], rtol=1e-12)
        print(f"| {name} | {ours[4][1]} | {theirs[0]:.2f} s | {ours[0]:.2f} s | "
              f"{theirs[0] / ours[0]:.1f} | {theirs[1]:.2f} s | {ours[1]:.2f} s | "
              f"{theirs[1] / ours[1]:.1f} | {theirs[2]:.0f} | {ours[2]:.0f} |", flush=True)


def growth(texts):
    print("\n| rows | ours |\n|---:|---:|")
    for times in (1, 2, 4):
        ours = in_process("ours", OPTIONS["unigrams and bigrams"], texts * times, 1)
        print(f"| {len(texts) * times} | {ours[0]:.2f} s |", flush=True)


# Run from a small process: a child counts the memory that its parent had when it began.
LAUNCH = ("import os, subprocess, sys; p = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL); "
          "_, s, u = os.wait4(p.pid, 0); print(s, u.ru_utime + u.ru_stime, u.ru_maxrss / 1024)")


def command(*words):
    """CPU seconds and the peak memory in MB of a run of our command."""
    run = [sys.executable, "-ISc", LAUNCH, os.environ.get("MULBERRY", "mulberry"), *map(str, words)]
    status, cpu, peak = subprocess.run(run, check=True, capture_output=True, text=True).stdout.split()
    assert status == "0", words
    return float(cpu), float(peak)


def their_pipeline(queue):
    """Fits and scores in a separate process: CPU seconds, peak memory in MB, probabilities."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.preprocessing import MultiLabelBinarizer

    (train, train_labels), (test, _) = read("train"), read("test")
    binarizer = MultiLabelBinarizer()
    Y = binarizer.fit_transform(train_labels)
    start = time.process_time()
    text = TfidfVectorizer()
    X = text.fit_transform(train)
    classifier = LogisticRegression(solver="liblinear", tol=1e-6, max_iter=1000)
    learner = OneVsRestClassifier(classifier).fit(X, Y)
    cpu = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    queue.put((cpu, peak, X.shape[1], learner.predict_proba(text.transform(test)),
               list(binarizer.classes_)))


def model():
    from sklearn.metrics import f1_score
    from sklearn.preprocessing import MultiLabelBinarizer

    folder = pathlib.Path(os.environ["MULBERRY_DATA"], "goemotions")
    reading = ("--text", "text", "--label-list", "emotions", "--id", "id", "--threads", "1", "--quiet")
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=their_pipeline, args=(queue,))
    process.start()
    their_cpu, their_peak, columns, scores, names = queue.get()
    process.join()
    Y_test = MultiLabelBinarizer(classes=names).fit_transform(read("test")[1])

    def row(name, cpu, peak, decided):
        micro = f1_score(Y_test, decided, average="micro")
        macro = f1_score(Y_test, decided, average="macro", zero_division=0)
        print(f"| {name} | {cpu:.1f} s | {peak:.0f} MB | {micro:.4f} | {macro:.4f} |", flush=True)

    print(f"\ngoemotions, {columns} words\n\n| learner | CPU time to fit | peak memory | micro-F1 | "
          "macro-F1 |\n|---|" + "---:|" * 4)
    row("scikit-learn, without reading", their_cpu, their_peak, scores >= 0.5)
    with tempfile.TemporaryDirectory() as scratch:
        saved, out = pathlib.Path(scratch, "m.mb"), pathlib.Path(scratch, "out.csv")
        for learner in ("br_logistic", "threshold(base=br_logistic)"):
            cpu, peak = command("fit", learner, folder / "goemotions-train.csv.gz", *reading, "-o", saved)
            command("predict", saved, folder / "goemotions-test.csv.gz", "-o", out)
            row(f"`{learner}`", cpu, peak, np.genfromtxt(out, delimiter=",", skip_header=1)[:, 1:])
            if learner == "br_logistic":
                command("predict", saved, folder / "goemotions-test.csv.gz", "--scores", "-o", out)
                ours = np.genfromtxt(out, delimiter=",", skip_header=1)[:, 1:]
    print(f"\nlargest difference of a probability of br_logistic: {np.abs(ours - scores).max():.1e}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--growth", action="store_true")
    parser.add_argument("--model", action="store_true")
    args = parser.parse_args()
    texts, _ = read("train")
    compare(texts, args.rounds)
    if args.growth:
        growth(texts)
    if args.model:
        model()


if __name__ == "__main__":
    main()
