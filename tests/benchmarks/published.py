"""Audit published models: python -m tests.benchmarks.published ROWS.jsonl FOLDER ... [--jobs N] [--only TEXT]

Reads every model in MiniZinc in folders that speaks of symmetry, such as copies of public collections. The constraints
whose comments say that they break symmetry, and those that are marked, are audited: once with the model's own data,
and, if that gives no firm verdict, with small sizes. A row of JSON is added for each model; models that have one are
passed over. At the end, and with --summary at once, the rows are counted by class.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import product
from pathlib import Path
from typing import Any

from solvers.extras.audits.reading.source import BREAKING, COMMENT, Source, Span
from solvers.extras.shared.programs import end
from tests.audits.audits import lost
from tests.support.minizinc import gecode, output_of

MEANT = re.compile(r"symmetr", re.IGNORECASE)
NOT_MEANT = re.compile(r"is symmetric|symmetric(al)? (matri|graph)|symmetry of|implicit constraint\b", re.IGNORECASE)
"""What comments say of constraints that break symmetry, and of rules that happen to be about symmetry."""

ORDERS = re.compile(r"[^()%]*?[<>]=?[^()%=]*|(strictly_)?(in|de)creasing\(.*|(strict_)?lex\w*\(.*", re.DOTALL)
"""A comparison of two things that have no brackets but square ones, or an order of many."""

IMPLIED = re.compile(r"redundant|implied|implicit", re.IGNORECASE)
"""What comments say of constraints that follow from others."""

WORD = re.compile(r"[A-Za-z]{3}")

GOAL = re.compile(r"^(\s*solve\b[^;]*?)\b(?:minimize|maximize)\b([^;]*);", re.MULTILINE)

FIRM = ("complete", "partial", "lossy")

SIZES, SMALL_SIZES = range(2, 13), range(1, 6)
"""Values that are tried for the parameter of a model, or for its parameters if they are several."""

PARAMETER = re.compile(r"^\s*int\s*:\s*([A-Za-z]\w*)\s*(=\s*\d+\s*)?;", re.MULTILINE)
GRACE_SECONDS = 30
LEAST_SECONDS = 2.0

OWN, GIVEN, SMALLER = "firm at own data", "firm at a given size, and the next", "firm at smaller data, and the next"
ONE_SIZE, UNEXPLAINED = "firm at one size alone", "not explained by the symmetries found"
UNKNOWN, REFUSED, UNMARKED = "no verdict in time", "refused", "no constraint says that it breaks symmetry"
CLASSES = (OWN, GIVEN, SMALLER, ONE_SIZE, UNEXPLAINED, UNKNOWN, REFUSED, UNMARKED)

MOST_DATA, MOST_FILES = 30, 2
"""A folder with so many files of data holds those of other models, too; so many are tried, the smallest first."""


def commented(source: Source, meant: re.Pattern[str] = MEANT) -> Iterator[int]:
    """The lines of the constraints whose own comment says what is meant: behind them, or directly before them.

    Comparisons and orders that follow such a one, and have no comment, are meant by it, too.
    """
    text, end, is_meant = source.text, 0, False
    for span in source.conjuncts():
        before = text[end : span.start]
        opened = max(before.rfind("/\\"), before.rfind(";"))
        first = before[opened + 1 :] if opened >= 0 else before
        if before[opened : opened + 1] == ";":
            first = first.partition("\n")[2]
        own = COMMENT.findall(first)[-2:]
        rest = re.match(r"[^\n]*?(/\\|;|\n|$)", text[span.end :])
        behind = text[span.end : span.end + (rest.end() if rest else 0)]
        if behind.endswith(";"):
            behind += text[span.end + len(behind) :].partition("\n")[0]
        said = " ".join([*own, *COMMENT.findall(behind)])
        is_more = is_meant and not WORD.search(said) and ORDERS.fullmatch(text[span.start : span.end]) is not None
        is_meant = is_more or bool(meant.search(said) and (meant is IMPLIED or not NOT_MEANT.search(said)))
        if is_meant:
            yield source.line(span.start)
        end = span.end


def audited(path: Path, words: list[str], seconds: float) -> dict[str, Any]:
    """The JSON of an audit, or what it complains of."""
    command = [sys.executable, "-m", "solvers", "audit", str(path), *words, "--json", "--time-limit", str(seconds)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, start_new_session=True) as process:
        try:
            out, err = process.communicate(timeout=seconds + GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            return {"refused": "no end in time"}
        finally:
            end(process)  # and MiniZinc, if that still compiles
    try:
        found: dict[str, Any] = json.loads(out)
    except ValueError:
        return {"refused": err.strip().rpartition("\n")[2].replace(str(path), path.name)}
    return found


def verdicts(found: dict[str, Any]) -> list[str]:
    """The verdicts on the single constraints and on all together."""
    return [one["verdict"] for one in (*found["breaking"], *([found["together"]] if found["together"] else []))]


def is_firm(found: dict[str, Any]) -> bool:
    """Whether all verdicts of an audit with given data are firm, and there is anything to break."""
    if not found.get("breaking") or any(one not in FIRM for one in verdicts(found)):
        return False
    last = found["together"] or found["breaking"][-1]
    return bool(last["proof"]) or (found["solutions"] > 1 and last["kept"] < found["solutions"])


def row(path: Path, seconds: float) -> dict[str, Any]:
    """The audit of a model with its own data, its class and, if it is not firm there, those with small sizes.

    seconds: for the audit with the own data, and again for all others.
    """
    source = Source(path.read_text(encoding="utf-8", errors="replace"))
    lines = list(dict.fromkeys(commented(source)))
    if not lines and not source.calls(BREAKING):
        return {"class": UNMARKED}
    words = [word for line in lines for word in ("--breaking", f"line {line}")]
    stem = re.match(r"[a-z]+", path.stem.lower())
    beside = sorted(
        (*path.parent.glob("*.dzn"), *path.parent.glob("../data/*.dzn")), key=lambda one: one.stat().st_size
    )
    files = [one for one in beside if stem is None or one.stem.lower().startswith(stem[0]) or len(beside) < MOST_DATA]
    given: dict[str, Any] = {}
    began, own = time.perf_counter(), words
    for data in [[], *(["--data", str(one)] for one in files[:MOST_FILES])]:
        found = audited(path, own := [*words, *data], seconds)
        given = given if given and "refused" in found else {"words": own, **found}
        if "refused" not in given:
            break
    if given.get("firm") and not given["firm"]["at"]:
        return {**given, "class": OWN}
    if given.get("firm") and given["firm"]["next_agrees"]:
        return {**given, "class": SMALLER}
    if "refused" not in given and (more := without_implied(path, source, given, seconds)):
        return {**more, "class": OWN}
    sizes = dict(with_sizes(path, source, words, seconds))
    spent = {**given, "sizes": sizes, "all_seconds": time.perf_counter() - began}
    firm = [size for size, one in sizes.items() if is_firm(one)]
    same = agreeing(sizes)
    if len(same) > 1:
        return {**spent, **sizes[same[0]], "at": same, "class": GIVEN}
    if given.get("firm") or firm:
        return {**spent, "at": firm, "class": ONE_SIZE}
    every = [one for one in (given, *sizes.values()) if "refused" not in one]
    if not every:
        return {**spent, "class": REFUSED}
    is_open = any(one["complete"] and set(verdicts(one)) - {*FIRM, "not known"} for one in every)
    return {**spent, "class": UNEXPLAINED if is_open else UNKNOWN}


def agreeing(sizes: dict[str, dict[str, Any]]) -> list[str]:
    """The greatest sizes that have the same firm verdicts, with none between them that came to its end without one."""
    same: list[str] = []
    for size, one in reversed(sizes.items()):
        if is_firm(one) and (not same or verdicts(one) == verdicts(sizes[same[0]])):
            same.insert(0, size)
        elif is_firm(one) or (one["complete"] and not set(FIRM).issuperset(verdicts(one)) and one["solutions"] > 1):
            break
    return same


def without_implied(path: Path, source: Source, given: dict[str, Any], seconds: float) -> dict[str, Any]:
    """An audit that leaves out what the comments call redundant, too, if that changes no solution and gives verdicts.

    Such a rule may follow from the order that breaks the symmetry, and hide the symmetry without it.
    """
    lines = set(commented(source, IMPLIED)) - set(commented(source))
    words = [*given["words"], *(word for line in sorted(lines) for word in ("--redundant", f"line {line}"))]
    found = audited(path, words, seconds) if lines else {}
    is_same = all(one["implied"] or one["implied_after_breaking"] for one in found.get("redundant", ()))
    return {"words": words, **found} if is_same and is_firm(found) else {}


def with_sizes(path: Path, source: Source, words: list[str], seconds: float) -> Iterator[tuple[str, dict[str, Any]]]:
    """Audits with small sizes, the least first, until one does not come to its end, or the time is over.

    The integers without a value grow, by their sum if they are several; if there are none, the first one grows.
    """
    found = PARAMETER.findall(source.text)
    names = [name for name, value in found if not value] or [name for name, _ in found[:1]]
    values = sorted(product(SMALL_SIZES if len(names) > 1 else SIZES, repeat=len(names)), key=sum) if names else ()
    end = time.perf_counter() + seconds
    for some in values:
        left = end - time.perf_counter()
        if left < LEAST_SECONDS:
            return
        own = [word for name, value in zip(names, some, strict=True) for word in ("--define", f"{name}={value}")]
        one = audited(path, [*words, *own], left)
        if "refused" in one:
            continue
        one["smaller"] = {}
        yield " ".join(own[1::2]), {"words": [*words, *own], **one}
        if not one["complete"] and not is_firm(one):
            return


def confirmed(path: Path, row: dict[str, Any]) -> dict[str, int]:
    """Count the solutions that each constraint loses, and all together, in a way that shares nothing with the audit.

    Gecode lists the solutions by the variables of the key; what is lost is told by refining colours of literals.
    """
    words = row["words"]
    pairs = list(zip(words[::2], words[1::2], strict=True))
    defined = [value for option, value in pairs if option == "--define"]
    source = Source(path.read_text(encoding="utf-8", errors="replace"), defined, path.parent)
    spans = source.calls(BREAKING)
    spans += [span for option, value in pairs if option == "--breaking" for span in source.constraints_by_name(value)]
    spans = [one for one in spans if not any(o != one and o.start <= one.start and one.end <= o.end for o in spans)]
    judged = [*row["breaking"], *([row["together"]] if row["together"] else [])]
    lost_one = next(json.loads(one["lost"]) for one in judged if one["lost"])
    names = {str(label).partition("[")[0] for label, _ in lost_one}
    given = [word for one in defined for word in ("-D", one)] + [v for option, v in pairs if option == "--data"]

    def held(dropped: list[Span]) -> str:
        """The text without these, in which the objective has the value that is the best without all."""
        text, goal = source.text_without(dropped), rf"\1 satisfy; constraint (\2) = {row['best']};"
        return text if row["best"] is None else GOAL.sub(goal, text)

    every = listed(held(spans), given, names)
    found = {}
    for name, kept in [*((source.name(span), [span]) for span in spans), ("all together", spans)]:
        left = set(listed(held([span for span in spans if span not in kept]), given, names))
        assert left <= set(every)
        found[name] = len(lost(every, left))
    return found


def listed(text: str, given: list[str], names: set[str]) -> list[tuple[Any, ...]]:
    """All solutions of a model by Gecode, without repetitions; given: words for MiniZinc, names: of the key."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.mzn"
        path.write_text(text, encoding="utf-8")
        command = ["minizinc", "--solver", str(gecode(Path(folder))), "-a", "--output-mode", "json", str(path)]
        printed = [json.loads(one) for one in re.split(r"-{10}\n", output_of([*command, *given]))[:-1]]
    return list(dict.fromkeys(tuple(flat({name: one[name] for name in sorted(names & one.keys())})) for one in printed))


def flat(value: Any) -> Iterator[Any]:
    """The values in arrays within arrays, and sets as texts."""
    if isinstance(value, dict) and value.keys() == {"set"}:
        yield json.dumps(value)
    elif isinstance(value, (dict, list)):
        for one in value.values() if isinstance(value, dict) else value:
            yield from flat(one)
    else:
        yield value


def summary(rows: Iterable[dict[str, Any]]) -> str:
    """The numbers of models by class, with the verdicts, or the reasons why there are none."""
    lines = []
    every = list(rows)
    for name in CLASSES:
        some = [one for one in every if one["class"] == name]
        lines.append(f"{len(some):4} {name}")
        reasons = Counter(one["refused"] for one in some if name == REFUSED)
        worst = Counter(max(map(FIRM.index, judged(one))) for one in some if name in (OWN, GIVEN, SMALLER))
        lines += [f"       {count} {FIRM[place]}" for place, count in sorted(worst.items())]
        lines += [f"       {count} {reason}" for reason, count in reasons.most_common()]
    return "\n".join(lines)


def table(rows: Iterable[dict[str, Any]]) -> str:
    """The models that have a firm verdict as a table in Markdown, the worst first."""
    lines = [
        "| model | marked | verdict | each, and together | at | seconds |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    firm = [
        (max(map(FIRM.index, judged(one))), one["file"], one) for one in rows if one["class"] in (OWN, GIVEN, SMALLER)
    ]
    for worst, file, one in sorted(firm, key=lambda some: (-some[0], some[1])):
        lines_of = ", ".join(
            re.findall(r"line (\d+):", " ".join(name for of in one["breaking"] for name in of["constraints"]))
        )
        at = "own data" if one["class"] == OWN else one["firm"]["at"] if one["class"] == SMALLER else one["at"][0]
        seconds = one.get("all_seconds", one["seconds"])
        lines.append(f"| {file} | {lines_of} | {FIRM[worst]} | {', '.join(judged(one))} | {at} | {seconds:.0f} |")
    return "\n".join(lines)


def judged(row: dict[str, Any]) -> list[str]:
    """The firm verdicts of a row: those with its data, or with the largest of the smaller data."""
    return verdicts([*row["smaller"].values()][-1] if row["class"] == SMALLER else row)


def main(words: list[str]) -> int:
    """The command; returns its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=Path)
    parser.add_argument("folders", type=Path, nargs="*")
    parser.add_argument(
        "--seconds", type=float, default=60.0, help="for each model's own data, and sizes (default: 60)"
    )
    parser.add_argument("--jobs", type=int, default=1, help="number of models that are audited at once (default: 1)")
    parser.add_argument("--only", default="", help="models with this in their path")
    parser.add_argument("--confirm", action="store_true", help="count what is lost of the rows again, by another way")
    parser.add_argument("--summary", action="store_true", help="count the rows that there are")
    parser.add_argument("--table", action="store_true", help="print the firm verdicts of the rows as a table")
    chosen = parser.parse_args(words)
    known = [json.loads(line) for line in chosen.rows.read_text().splitlines()] if chosen.rows.exists() else []
    if chosen.confirm:
        for one in known:
            if one["class"] in (OWN, GIVEN) and "lossy" in verdicts(one):
                print(one["file"], *one["words"], confirmed(Path(one["file"]), one), flush=True)
        return 0
    done = {one["file"] for one in known}
    paths = [
        path
        for folder in ([] if chosen.summary or chosen.table else chosen.folders)
        for path in sorted(folder.rglob("*.mzn"))
        if chosen.only in str(path) and str(path) not in done
        if MEANT.search(path.read_text("utf-8", errors="replace"))
    ]
    with ThreadPoolExecutor(chosen.jobs) as pool:
        begun = {pool.submit(row, path, chosen.seconds): path for path in paths}
        for one in as_completed(begun):
            known.append({"file": str(begun[one]), **one.result()})
            with chosen.rows.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(known[-1]) + "\n")
    print(table(known) if chosen.table else summary(known))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
