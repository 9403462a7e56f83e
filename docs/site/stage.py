"""Puts the pages of the site together in one folder: those of the repository, and pages made from code.

    python docs/site/stage.py FOLDER

Pages about Python classes are made from the installed package, those about C++ from the headers, whose first
comment is a manual and whose declarations are short.
"""

from __future__ import annotations

import importlib
import inspect
import re
import shutil
import sys
from pathlib import Path

import mulberry

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "docs", "bench/results", "tests/fuzz/README.md"]
# Methods of scikit-learn whose descriptions lead into its documentation.
HIDDEN = "get_metadata_routing, set_fit_request, set_output, set_partial_fit_request, set_score_request"
DISPLAYS = [name for name in mulberry.__all__ if name.endswith("Display")]


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def first_line(thing: object) -> str:
    return (inspect.getdoc(thing) or "").split("\n")[0]


# Python


def python_pages(folder: Path) -> None:
    groups = {
        "Learners": mulberry._learners.LEARNERS,
        "Base learners": mulberry._learners.BASES,
        "Displays": DISPLAYS,
        "Comparing and tuning": ["compare", "Comparison", "tune", "TuneResult", "tradeoff", "run_study",
                                 "reproduce", "studies", "StudyResult"],
        "Looking at data and models": ["describe", "Description", "report", "relations", "Relations", "enhance",
                                       "inspect", "review", "Review", "demo"],
        "Models and tables": ["load", "predict_file", "all_estimators", "ResultTable"],
        "Text and words": ["TextVectorizer", "TargetWords"],
    }
    modules = ["changes", "dask", "datasets", "metrics", "model_selection", "spark"]
    listed = {name for names in groups.values() for name in names} | {*modules, "__version__"}
    if missing := set(mulberry.__all__) - listed:
        sys.exit(f"docs/site/stage.py: expected every public name in a group, missing: {', '.join(sorted(missing))}")
    lines = ["# Python reference", "", "Made from the installed package. [The guide](../docs/python.md) explains what all "
             "estimators have in common.", ""]
    pages = []
    for title, names in groups.items():
        lines += [f"## {title}", "", "| | |", "|---|---|"]
        lines += [f"| [{name}]({name}.md) | {first_line(getattr(mulberry, name))} |" for name in names]
        lines.append("")
        pages += names
        for name in names:
            kind = "class" if inspect.isclass(getattr(mulberry, name)) else "function"
            options = f"   :exclude-members: {HIDDEN}\n" if kind == "class" else ""
            write(folder / f"{name}.md", f"# {name}\n\n```{{eval-rst}}\n.. currentmodule:: mulberry\n\n"
                  f".. auto{kind}:: {name}\n{options}```\n")
    lines += ["## Modules", "", "| | |", "|---|---|"]
    for name in modules:
        module = importlib.import_module(f"mulberry.{name}")
        lines.append(f"| [mulberry.{name}](module_{name}.md) | {first_line(module)} |")
        pages.append(f"module_{name}")
        write(folder / f"module_{name}.md", f"# mulberry.{name}\n\n```{{eval-rst}}\n.. automodule:: mulberry.{name}\n"
              f"   :no-inherited-members:\n   :exclude-members: {HIDDEN}\n```\n")
    write(folder / "index.md", "\n".join(lines) + "\n\n```{toctree}\n:hidden:\n\n" + "\n".join(pages) + "\n```\n")


# C++


def manual(comment: list[str]) -> str:
    """The first comment of a header as Markdown: what is indented is code, a line before a list a title."""
    out: list[str] = []
    code = False
    for place, line in enumerate(comment):
        indented = line.startswith("  ") and not (out and not code and re.match(r"\* |  ", comment[place - 1]))
        if indented and not code:
            out += ["", "```cpp" if re.search(r"[;{(]", line) or "#include" in line else "```text"]
            code = True
        elif code and line and not indented:
            out += ["```", ""]
            code = False
        if not code and place + 1 < len(comment) and comment[place + 1].startswith("* ") and re.match(r"\w[\w ]*$", line):
            line = f"**{line}**\n"
        out.append(line[2:] if code else line)
    return "\n".join(out + ["```"] * code)


def header_parts(text: str) -> tuple[list[str], str]:
    """(lines of the first comment, what follows it)."""
    if text.startswith("/*"):
        comment, rest = text.split("*/", 1)
        return [re.sub(r"^(/\*| \*) ?", "", line) for line in comment.split("\n")], rest.lstrip("\n")
    lines = text.split("\n")
    size = next(k for k, line in enumerate(lines) if not line.startswith("//"))
    return [line[3:] for line in lines[:size]], "\n".join(lines[size:])


def cpp_pages(folder: Path) -> None:
    headers = [p for p in sorted((ROOT / "include/mulberry").iterdir()) if p.suffix in (".hpp", ".h")]
    headers.sort(key=lambda p: (p.name != "mulberry.hpp", p.name))
    lines = ["# C++ reference", "", "Every header begins with its manual. [The guide](../docs/cpp.md) has complete programs.", "",
             "| | |", "|---|---|"]
    for path in headers:
        comment, rest = header_parts(path.read_text(encoding="utf-8"))
        title = " ".join(comment).split(". ")[0].strip()
        lines.append(f"| [{path.name}]({path.name}.md) | {title.removesuffix('.')} |")
        language = "c" if path.suffix == ".h" else "cpp"
        write(folder / f"{path.name}.md", f"# {path.name}\n\n{manual(comment)}\n\n## Declarations\n\n"
              f"```{language}\n{rest.strip()}\n```\n")
    write(folder / "index.md", "\n".join(lines) + "\n\n```{toctree}\n:hidden:\n\n"
          + "\n".join(p.name for p in headers) + "\n```\n")


# Lists of pages


def list_page(path: Path, title: str, about: str, pages: list[Path]) -> None:
    names = [page.with_suffix("").relative_to(ROOT).as_posix() for page in pages]
    write(path, f"# {title}\n\n{about}\n\n```{{toctree}}\n:maxdepth: 1\n\n" + "\n".join(names) + "\n```\n")


def commands_page(path: Path) -> None:
    about = (ROOT / "examples/commands/README.md").read_text(encoding="utf-8").split("\n", 1)[1]
    parts = ["# Commands that work", "", re.sub(r"\]\((\w+)\.sh\)", r"](#\1sh)", about)]
    for script in sorted((ROOT / "examples/commands").glob("*.sh")):
        parts += [f"## {script.name}", "", "```sh", script.read_text(encoding="utf-8").strip(), "```", "", "It prints", "",
                  "```text", script.with_suffix(".txt").read_text(encoding="utf-8").strip(), "```", ""]
    write(path, "\n".join(parts))


def main() -> None:
    folder = Path(sys.argv[1]).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in PAGES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("site"))
        else:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    for page in sorted((ROOT / "docs/site").glob("*.md")):
        shutil.copy(page, folder)
    list_page(folder / "adr.md", "Decisions", "Why things are as they are.", sorted((ROOT / "docs/adr").glob("*.md")))
    list_page(folder / "learners.md", "Learners", "The learners that have a page, then all of them with their parameters.",
              [*sorted((ROOT / "docs/learners").glob("*.md")), ROOT / "docs/reference.md"])
    list_page(folder / "tables.md", "Tables", "What was measured, and the commands that make it again.",
              sorted((ROOT / "docs/tables").glob("*.md")))
    list_page(folder / "reproductions.md", "Reproductions, one by one", "Tables and figures of the papers, with the published values.",
              sorted((ROOT / "docs/reproduction").glob("*.md")))
    commands_page(folder / "commands.md")
    index = (folder / "index.md").read_text(encoding="utf-8")
    guide = [f"docs/{page.stem}" for page in sorted((ROOT / "docs").glob("*.md"))]
    others = [page for page in guide if page != "docs/reference" and page not in index.split()]
    write(folder / "index.md", index.replace("\ncommands\n", "\n" + "\n".join([*others, "commands"]) + "\n"))
    python_pages(folder / "python")
    cpp_pages(folder / "cpp")


if __name__ == "__main__":
    main()
