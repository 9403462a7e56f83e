"""Calls measures_tool on NumPy arrays."""

import json
import subprocess

import numpy as np


def write(path, truth, decided, scores, probabilities=False):
    """truth: 0, 1, or -1 for a missing cell; decided: 0 or 1; scores: any finite numbers."""
    with open(path, "wb") as out:
        np.array([*truth.shape, int(probabilities)], dtype=np.int64).tofile(out)
        np.ascontiguousarray(truth, dtype=np.int8).tofile(out)
        np.ascontiguousarray(decided, dtype=np.int8).tofile(out)
        np.ascontiguousarray(scores, dtype=np.float64).tofile(out)


def run(program, path, **flags):
    command = [str(program), str(path)]
    for name, value in flags.items():
        command += [f"--{name}", str(value)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
