#!/usr/bin/env python3
"""Mutation testing: small changes to the sources, each of which some test should notice.

    scripts/mutate.py --seed 1 --count 200      test the first 200 mutants of the seed that compile
    scripts/mutate.py --only 17                 test one of them, again if need be, and show it
    scripts/mutate.py --retest                  test the survivors again, after new tests
    scripts/mutate.py --table                   print the result as tables of Markdown

A mutant is one change to one .cpp file of mulberry/learners, mulberry/measures or mulberry/resample
(not to comments, texts, asserts, errors or declarations of parameters). Only that file is compiled,
with -O1, and put before the library when a test program is linked. The tests next to the file run
first, then those of its folder, then the contract tests of the learners that use it, then the rest;
the first failure ends it. Results are lines of JSON, so an interrupted run goes on where it was.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import random
import re
import resource
import shlex
import shutil
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "mutation"
SOURCE = WORK / "source"
BUILD = SOURCE / "build"  # as in the project itself, so that ccache knows most objects
ROOMS = ("learners", "measures", "resample")
CONTRACTS = ("contract_weights_test", "contract_missing_test", "contract_data_test",
             "contract_file_test", "contract_cancel_test")
TIMEOUT = 300  # seconds a test program may take; the slowest takes a tenth of it
MEMORY = 6 << 30


# --- where a file may be changed ------------------------------------------------------------------

def blank(text, begin, end):
    """The text with a part replaced by spaces, so that places stay what they are."""
    return text[:begin] + re.sub(r"[^\n]", " ", text[begin:end]) + text[end:]


def closing(text, begin):
    """The place after the bracket that closes the one at `begin`."""
    depth = 0
    for place in range(begin, len(text)):
        if text[place] in "([{":
            depth += 1
        elif text[place] in ")]}":
            depth -= 1
            if depth == 0:
                return place + 1
    return len(text)


def changeable(text):
    """The text with all that must not be changed replaced by spaces."""
    pattern = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|^[ \t]*#[^\n]*'
    for found in list(re.finditer(pattern, text, re.S | re.M)):
        text = blank(text, *found.span())
    # Asserts and errors, what is declared and not computed, and checks of a file that is read.
    for pattern in (r"MULBERRY_ASSERT\s*\(", r"\bthrow\b[^;{(]*\(", r"static_assert\s*\(",
                    r"static auto fields\(\) \{", r"\b(?:v|in)\.require\s*\(", r"\.reserve\s*\(",
                    r"\b(?:Base)?Learner make_\w+\(\) \{"):
        place = 0
        while found := re.compile(pattern).search(text, place):
            text = blank(text, found.start(), closing(text, found.end() - 1))
            place = found.end()
    for pattern in (r"constexpr[^;]*;", r"\busing\b[^;]*;", r"\btemplate\s*<[^;{]*>\s*\n",
                    r"\benum\b[^;]*;"):
        for found in list(re.finditer(pattern, text)):
            text = blank(text, *found.span())
    return text


# --- the changes ----------------------------------------------------------------------------------

SWAPS = {
    "comparison": {" < ": (" <= ", " > "), " <= ": (" < ",), " > ": (" >= ", " < "),
                   " >= ": (" > ",), " == ": (" != ",), " != ": (" == ",)},
    "arithmetic": {" + ": (" - ",), " - ": (" + ",), " * ": (" / ",), " / ": (" * ",),
                   " += ": (" -= ", " = "), " -= ": (" += ",), " *= ": (" /= ", " = "),
                   " /= ": (" *= ",)},
    "logic": {" && ": (" || ",), " || ": (" && ",)},
    "choice": {"std::min(": ("std::max(",), "std::max(": ("std::min(",),
               "std::min<": ("std::max<",), "std::max<": ("std::min<",),
               "min_element": ("max_element",), "max_element": ("min_element",),
               "lower_bound": ("upper_bound",), "upper_bound": ("lower_bound",)},
    "truth": {"true": ("false",), "false": ("true",)},
    "flow": {" continue;": (" break;", " ;"), " break;": (" continue;", " ;")},
    "missing": {"Cell::missing": ("Cell::negative", "Cell::positive"),
                "missing_column(": ("column(",), "missing_row(": ("row(",)},
}
# How likely a kind is drawn, whatever the number of places where it could be.
SHARES = {"comparison": 5, "arithmetic": 5, "logic": 2, "choice": 2, "truth": 1, "flow": 1,
          "missing": 1, "weight": 2, "constant": 3, "condition": 3, "statement": 4, "arguments": 2}


def changes_of(text):
    """All changes of a file, as (kind, begin, end, new text)."""
    clear = changeable(text)
    out = []
    for kind, table in SWAPS.items():
        words = sorted(table, key=len, reverse=True)
        for found in re.finditer("|".join(map(re.escape, words)), clear):
            if kind == "truth" and re.match(r"\w", clear[found.end():found.end() + 1]):
                continue
            out += [(kind, *found.span(), new) for new in table[found.group()]]
    for found in re.finditer(r"\b(?:\w+\.)?weight\([\w.\[\]]+\)", clear):
        out.append(("weight", *found.span(), "1.0"))
    for found in re.finditer(r"\b\w+\.weights\(\)", clear):
        out.append(("weight", *found.span(), "std::span<const double>()"))
    for found in re.finditer(r"(?<![\w.])(\d+\.?\d*(?:e-?\d+)?)(?![\w.])", clear):
        number = found.group(1)
        if re.fullmatch(r"\d+", number):
            values = {str(int(number) + 1), str(max(int(number) - 1, 0))} - {number}
        else:
            values = {f"({number} * 2)", f"({number} / 2)"} if float(number) else {"1.0"}
        out += [("constant", *found.span(), value) for value in sorted(values)]
    for found in re.finditer(r"\bif (?:constexpr )?(\()", clear):
        if "constexpr" in found.group():
            continue
        end = closing(clear, found.start(1))
        inside = text[found.start(1) + 1:end - 1]
        if ";" not in clear[found.start(1):end]:
            out.append(("condition", found.start(1) + 1, end - 1, f"!({inside})"))
    for found in re.finditer(r"(?<=[;{}\)])\s*\n[ \t]*((?:[\w.]|->|::|\[[^\[\]\n]*\])+"
                             r"(?: [-+*/]?= |\()[^;{}]*;)", clear):
        statement = found.group(1)
        if not re.match(r"(return|case|using|throw|else|if|for|while|switch|delete|co_)\b",
                        statement):
            out.append(("statement", *found.span(1), ";"))
    for found in re.finditer(r"(?<!\w )\b\w+\((\w+), (\w+)\)", clear):
        first, second = found.groups()
        if first != second:
            out.append(("arguments", found.start(1), found.end(2), f"{second}, {first}"))
    return [c for c in out if text[c[1]:c[2]] == clear[c[1]:c[2]] or c[0] == "condition"]


def all_mutants(seed):
    """All mutants in the order of the seed; kinds come by their shares."""
    kinds = collections.defaultdict(list)
    for room in ROOMS:
        for path in sorted((SOURCE / "mulberry" / room).rglob("*.cpp")):
            name = str(path.relative_to(SOURCE))
            if name.endswith("_test.cpp") or name.endswith("registry.cpp"):
                continue
            for change in changes_of(path.read_text()):
                kinds[change[0]].append((name, *change))
    draws = random.Random(seed)
    for kind in sorted(kinds):
        draws.shuffle(kinds[kind])
    out = []
    while any(kinds.values()):
        left = sorted(k for k in kinds if kinds[k])
        kind = draws.choices(left, [SHARES[k] for k in left])[0]
        out.append(kinds[kind].pop())
    return out


def described(number, mutant):
    name, kind, begin, end, new = mutant
    text = (SOURCE / name).read_text()
    first = text.rfind("\n", 0, begin) + 1
    last = text.find("\n", end)
    return {"mutant": number, "file": name, "line": text.count("\n", 0, begin) + 1, "kind": kind,
            "before": text[first:last].strip(),
            "after": (text[first:begin] + new + text[end:last]).strip(),
            "column": begin - first, "old": text[begin:end], "new": new}


# --- building -------------------------------------------------------------------------------------

def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **options)


def must(command, **options):
    done = run(command, **options)
    if done.returncode != 0:
        sys.exit(done.stdout + "\nfailed: " + shlex.join(map(str, command)))
    return done.stdout


def copy_sources():
    """The files that git knows, as they are now; unchanged ones keep their time."""
    wanted = set(must(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT).splitlines())
    for name in wanted:
        source, to = ROOT / name, SOURCE / name
        if not source.is_file():
            continue
        if not to.exists() or source.read_bytes() != to.read_bytes():
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, to)
    for path in list(SOURCE.rglob("*")):
        name = path.relative_to(SOURCE)
        if name.parts[0] != "build" and path.is_file() and str(name) not in wanted:
            path.unlink()


def programs():
    """The test programs that may be asked, present ones only."""
    own = [room + "_test" for room in ROOMS]
    whole = [*CONTRACTS, "golden_test", "relations_test"]
    return own + [name for name in whole if (SOURCE / "tests" / (name + ".cpp")).exists()]


class Builder:
    """Compile and link commands of the build, taken from what CMake wrote."""

    def __init__(self, jobs):
        must(["cmake", "-G", "Ninja", "-S", SOURCE, "-B", BUILD, "-DCMAKE_BUILD_TYPE=Release",
              "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"])
        must(["ninja", "-C", BUILD, f"-j{jobs}", *programs()])
        entries = json.loads((BUILD / "compile_commands.json").read_text())
        self.compile = {str(pathlib.Path(e["file"]).relative_to(SOURCE)): e for e in entries}
        self.link = {}
        for name in programs():
            last = must(["ninja", "-C", BUILD, "-t", "commands", name]).splitlines()[-1]
            self.link[name] = shlex.split(last.replace(": && ", "").replace(" && :", ""))
        linker = shutil.which("ld.lld") or shutil.which("ld.lld-19")
        self.linker = []
        if linker:
            (WORK / "bin").mkdir(exist_ok=True)
            link = WORK / "bin" / "ld.lld"
            if not link.exists():
                link.symlink_to(linker)
            self.linker = ["-fuse-ld=lld", f"-B{WORK / 'bin'}"]

    def object_of(self, name, text, folder):
        """Compiles a file with this text; None when that is not possible."""
        entry = self.compile[name]
        changed = folder / pathlib.Path(name).name
        changed.write_text(text)
        arguments = shlex.split(entry["command"])
        out = folder / "changed.o"
        arguments[arguments.index("-o") + 1] = str(out)
        arguments[arguments.index("-c") + 1] = str(changed)
        # The checks of the standard library notice what is read beyond the end of a vector.
        done = run([*arguments, "-O1", "-w", "-D_GLIBCXX_ASSERTIONS"], cwd=entry["directory"])
        return out if done.returncode == 0 else None

    def program_of(self, name, changed, folder):
        arguments = list(self.link[name])
        out = folder / name
        arguments[arguments.index("-o") + 1] = str(out)
        library = next(k for k, word in enumerate(arguments) if word.endswith("libmulberry.a"))
        arguments.insert(library, str(changed))
        must([*arguments, *self.linker], cwd=BUILD)
        return out


# --- which tests to ask ---------------------------------------------------------------------------

def suites_of(path):
    found = re.findall(r"^TEST(?:_[FP])?\((\w+),", path.read_text(), re.M)
    return sorted(set(found))


def learners_using(name):
    """The ids of the learners that a source file is part of, by what includes its header."""
    headers, seen, ids = [name.replace(".cpp", ".hpp")], set(), set()
    texts = {str(p.relative_to(SOURCE)): p.read_text()
             for p in (SOURCE / "mulberry" / "learners").rglob("*.[ch]pp")}
    files = {name}
    while headers:
        header = headers.pop()
        if header in seen:
            continue
        seen.add(header)
        for other, text in texts.items():
            if f'#include "{header}"' in text and not other.endswith("_test.cpp"):
                files.add(other)
                headers.append(other.replace(".cpp", ".hpp"))
    for other in files:
        ids |= set(re.findall(r"^Learner make_(\w+)\(\)", texts.get(other, ""), re.M))
    inside = (SOURCE / "mulberry/learners/list.inc").read_text()
    for alias, spec in re.findall(r'ALIAS\((\w+), "(.*)"\)', inside):
        if ids & set(re.findall(r"\w+", spec)):
            ids.add(alias)
    return sorted(ids)


def stages_of(name):
    """(program, filter of gtest) in the order in which they are asked."""
    path = SOURCE / name
    room = name.split("/")[1]
    program = room + "_test"
    own = path.with_name(path.stem + "_test.cpp")
    stages = []
    if own.exists():
        stages.append((program, ":".join(s + ".*" for s in suites_of(own))))
    folder = sorted({s for p in path.parent.glob("*_test.cpp") for s in suites_of(p)})
    if room == "learners" and path.parent.name != "learners":
        stages.append((program, ":".join(s + ".*" for s in folder)))
    else:
        stages.append((program, "*"))
    ids = learners_using(name)
    if ids:
        names = ":".join(f"Every/*.*/{i}" for i in ids) + ":Progress.*"
        if "br" in ids:
            names += ":Every/*.*/brbase*"
        stages += [(c, names) for c in CONTRACTS]
    if room == "measures":
        stages.append(("relations_test", "*"))
    if room != "measures":
        stages += [("golden_test", "*"), ("learners_test", "*")]
    present = programs()
    return [(p, f) for p, f in dict.fromkeys(stages) if p in present and f]


# --- testing --------------------------------------------------------------------------------------

def limited():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def failure_of(program, wanted, folder):
    """What fails, or None."""
    try:
        done = run([program, f"--gtest_filter={wanted}", "--gtest_fail_fast", "--gtest_brief=1",
                    "--gtest_color=no"], timeout=TIMEOUT, preexec_fn=limited, cwd=folder,
                   errors="replace", env={**os.environ, "TMPDIR": str(folder)})
    except subprocess.TimeoutExpired:
        return "timeout"
    if done.returncode == 0:
        return None
    failed = re.findall(r"^\[  FAILED  \] (\S+?)(?:,| |$)", done.stdout, re.M)
    return failed[0] if failed else f"exit {done.returncode}"


def tested(builder, facts, folder):
    """The facts of a mutant with its fate: killed, survived, equivalent or no code."""
    begun = time.monotonic()
    text = (SOURCE / facts["file"]).read_text()
    lines = text.split("\n")
    begin = sum(len(line) + 1 for line in lines[:facts["line"] - 1]) + facts["column"]
    end = begin + len(facts["old"])
    if text[begin:end] != facts["old"]:
        return {**facts, "fate": "gone", "by": ""}
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    changed = builder.object_of(facts["file"], text[:begin] + facts["new"] + text[end:], folder)
    fate, by = "no code", ""
    if changed:
        fate = "survived"
        linked = {}
        for program, wanted in stages_of(facts["file"]):
            if program not in linked:
                linked[program] = builder.program_of(program, changed, folder)
            failed = failure_of(linked[program], wanted, folder)
            if failed:
                fate, by = "killed", f"{program}: {failed}"
                break
    if fate == "survived":
        before = hashlib.sha256(changed.read_bytes()).digest()
        same = builder.object_of(facts["file"], text, folder)
        if hashlib.sha256(same.read_bytes()).digest() == before:
            fate = "equivalent"  # the compiler made the same code of it
    shutil.rmtree(folder, ignore_errors=True)
    return {**facts, "fate": fate, "by": by, "seconds": round(time.monotonic() - begun, 1)}


def read_results(path):
    """The last line of each mutant counts."""
    if not path.exists():
        return {}
    facts = [json.loads(line) for line in path.read_text().splitlines()]
    return {one["mutant"]: one for one in facts}


def tables(results):
    counted = [r for r in results.values() if r["fate"] in ("killed", "survived")]
    killed = [r for r in counted if r["fate"] == "killed"]
    out = [f"{len(killed)} of {len(counted)} killed "
           f"({100 * len(killed) / max(1, len(counted)):.1f} %).", "",
           "| kind of change | mutants | killed |", "|---|---:|---:|"]
    for kind in sorted({r["kind"] for r in counted}):
        mine = [r for r in counted if r["kind"] == kind]
        out.append(f"| {kind} | {len(mine)} | {sum(r['fate'] == 'killed' for r in mine)} |")
    out += ["", "| mutant | place | before | after |", "|---:|---|---|---|"]
    for r in sorted(counted, key=lambda r: r["mutant"]):
        if r["fate"] == "survived":
            out.append(f"| {r['mutant']} | {r['file']}:{r['line']} | "
                       f"`{r['before']}` | `{r['after']}` |".replace("\n", " "))
    return "\n".join(out)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200, help="mutants that compile")
    parser.add_argument("--only", type=int, help="the number of one mutant")
    parser.add_argument("--retest", action="store_true", help="test the survivors again")
    parser.add_argument("--table", action="store_true", help="print the results and end")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--results", type=pathlib.Path, help="default: tests/mutation/seed-N.jsonl")
    return parser.parse_args()


def main():
    options = arguments()
    path = options.results or ROOT / "tests" / "mutation" / f"seed-{options.seed}.jsonl"
    results = read_results(path)
    if options.table:
        print(tables(results))
        return
    SOURCE.mkdir(parents=True, exist_ok=True)
    copy_sources()
    builder = Builder(options.workers)
    path.parent.mkdir(parents=True, exist_ok=True)
    if options.only is not None:
        known = results.get(options.only)
        facts = known or described(options.only, all_mutants(options.seed)[options.only])
        found = tested(builder, facts, WORK / "only")
        with path.open("a") as file:
            file.write(json.dumps(found) + "\n")
        print(json.dumps(found, indent=2))
        return
    lock = threading.Lock()
    if options.retest:
        queue = iter([r for r in results.values() if r["fate"] == "survived"])
    else:
        mutants = all_mutants(options.seed)
        queue = iter([described(k, m) for k, m in enumerate(mutants) if k not in results])
    count = sum(r["fate"] in ("killed", "survived") for r in results.values())

    def work(worker):
        nonlocal count
        while True:
            with lock:
                facts = next(queue, None)
                if facts is None or (count >= options.count and not options.retest):
                    return
                count += 1  # given back below when it does not count
            found = tested(builder, facts, WORK / f"worker{worker}")
            with lock:
                if found["fate"] not in ("killed", "survived"):
                    count -= 1
                with path.open("a") as file:
                    file.write(json.dumps(found) + "\n")
                print(f"{found['mutant']:5} {found['fate']:10} {found['file']}:{found['line']} "
                      f"{found['kind']}  {found['by']}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(options.workers) as pool:
        for done in [pool.submit(work, k) for k in range(options.workers)]:
            done.result()
    print(tables(read_results(path)))


if __name__ == "__main__":
    main()
