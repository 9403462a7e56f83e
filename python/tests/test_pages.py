"""The commands of README.md and docs/ run as they are printed, and print what the pages show."""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
# Commands for any data, such as `mulberry describe DATA`, a page in a browser, and studies of hours.
NOT_RUN = re.compile(r"\b(DATA|MODEL|LEARNER|RECIPE|PREFIX)\b|mulberry (review|reproduce|demo)\b")
# Files that a page takes from elsewhere, and how to make them.
GIVEN = {
    "new.csv": "mulberry generate tagged-text --rows 20 --seed 2 -o new.csv",
    "more.csv": "mulberry generate tagged-text --rows 90 --seed 3 -o more.csv",
    "emotions.arff": "mulberry generate photos --rows 90 --seed 4 -o emotions.arff",
    "pets.csv": r"printf 'x,tags\n1,dog\n2,cat;day\n3,dog;cat\n4,animal;night\n5,\n' > pets.csv && "
                r"printf 'x\n1\n5\n' > new.csv",
    "scene.arff": "mulberry generate photos --rows 90 --seed 5 -o scene.arff",
}
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
VARIES = re.compile(r"time|memory| s$| MB| kB| in \d|^fit_seconds")  # from machine to machine


def is_command(block):
    return "mulberry " in block and not NOT_RUN.search(block)


def commands_and_words(text):
    """The commands of a page as one script, and the lines that it shows: whether right after a command."""
    commands, shown = [], []
    for language, block in BLOCK.findall(text):
        if language == "toml":
            continue
        lines = block.replace("\\\n", " ").splitlines()
        if any(line.startswith("$ ") for line in lines):
            if is_command(block):
                commands += [line[2:] for line in lines if line.startswith("$ ")]
                shown += [(line, True) for line in lines if not line.startswith("$ ")]
        elif language == "sh" and is_command(block):
            commands += lines
        elif not language:
            shown += [(line, False) for line in lines]
    return commands, shown


def skeleton(line):
    """The words of a line without its numbers: lines of the same skeleton are the same row."""
    return " ".join(NUMBER.sub("0", line.replace("*", "").replace("•", "")).split())


def is_close(shown, found):
    a, b = float(shown), float(found)
    if "." not in shown and "." not in found:
        return abs(a - b) <= 0.1 * abs(b)  # a count of rounds, say; those of data are stable
    return abs(a - b) <= 0.0015 * max(1, abs(b))


def agree(shown, found):
    def marks(line):  # which column is best, which worse
        return re.findall(r"[*•]|\d(?=[ \]]|$)", re.sub(r"\d", "1", line))

    return marks(shown) == marks(found) and all(map(is_close, NUMBER.findall(shown), NUMBER.findall(found)))


PAGES = sorted(page for page in (path.relative_to(ROOT).as_posix() for path in
                                 [ROOT / "README.md", *(ROOT / "docs").glob("*.md"),
                                  *(ROOT / "docs/learners").glob("*.md")])
               if commands_and_words((ROOT / page).read_text(encoding="utf-8"))[0])


@pytest.mark.parametrize("page", PAGES)
def test_commands_of_pages(page, tmp_path, command):  # which skips where there is no command line
    text = (ROOT / page).read_text(encoding="utf-8")
    commands, shown = commands_and_words(text)
    studies = re.findall(r"^(?:```toml\n|\$ cat study.toml\n)(.*?)^(?:```|\$)", text, re.MULTILINE | re.DOTALL)
    if studies:
        (tmp_path / "study.toml").write_text(studies[0], encoding="utf-8")
    made = {line.partition(" -o ")[2].split()[0] for line in commands if " -o " in line}
    script = "\n".join(["set -e", *(how for name, how in GIVEN.items()
                                    if any(name in line for line in commands) and name not in made),
                        *commands])
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/mulberry").symlink_to(os.environ["MULBERRY"])
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False,
                          env={**os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"})
    assert done.returncode == 0, done.stderr
    printed = {}
    for line in done.stdout.splitlines():
        printed.setdefault(skeleton(line), []).append(line)
    for line, right_after in shown:
        rows = printed.get(skeleton(line), [])
        left_out = line.strip() in ("", "...") or "──" in line or VARIES.search(line)
        assert rows or left_out or not right_after, f"{page} shows\n{line}\nand no command prints it"
        if rows and NUMBER.search(line) and not VARIES.search(line):
            assert any(agree(line, row) for row in rows), f"{page} shows\n{line}\nprinted is\n" + "\n".join(rows)
