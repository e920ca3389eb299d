"""Audit published models: python -m tests.benchmarks.published FOLDER ROWS.jsonl [--seconds S] [--only TEXT]

Reads every model in MiniZinc in a folder that speaks of symmetry, such as a copy of a public collection. The
constraints whose comments say that they break symmetry, and those that are marked, are audited with small data. A row
of JSON is added for each model; models that have one are passed over.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from solvers.extras.ground.programs import end
from solvers.extras.studies.audit.source import BREAKING, COMMENT, Source, Span
from tests.studies.audits import lost
from tests.support.minizinc import gecode, output_of

MEANT = re.compile(r"symmetr", re.IGNORECASE)
NOT_MEANT = re.compile(r"is symmetric|symmetric(al)? (matri|graph)|symmetry of", re.IGNORECASE)
"""What comments say of constraints that break symmetry, and of rules that happen to be about symmetry."""

ORDERS = re.compile(r"[^()%]*?[<>]=?[^()%=]*", re.DOTALL)
"""A comparison of two things that have no brackets but square ones."""

WORD = re.compile(r"[A-Za-z]{3}")

GOAL = re.compile(r"^(\s*solve\b[^;]*?)\b(?:minimize|maximize)\b([^;]*);", re.MULTILINE)

FIRM = ("complete", "partial", "lossy")

SIZES = (3, 4, 5, 6, 8)
"""Values that are tried for the parameter of a model."""

PARAMETER = re.compile(r"^\s*int\s*:\s*([A-Za-z]\w*)\s*(?:=\s*\d+\s*)?;", re.MULTILINE)
GRACE_SECONDS = 30

MOST_DATA, MOST_FILES = 30, 2
"""A folder with so many files of data holds those of other models, too; so many are tried, the smallest first."""


def commented(source: Source) -> Iterator[int]:
    """The lines of the constraints whose own comment speaks of symmetry: behind them, or directly before them.

    Comparisons that follow such a one, and have no comment, are meant by it, too.
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
        is_meant = is_more or bool(MEANT.search(said) and not NOT_MEANT.search(said))
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


def settled(found: dict[str, Any]) -> dict[str, Any]:
    """An audit, or the largest of the smaller data that it settled instead, with the words that name these."""
    if found.get("verdict") in FIRM or not found.get("smaller"):
        return found
    size, own = [*found["smaller"].items()][-1]
    pairs = zip(found["words"][::2], found["words"][1::2], strict=True)
    words = [word for option, value in pairs if option != "--define" for word in (option, value)]
    return {
        **found,
        **own,
        "words": [*words, "--define", size],
        "complete": True,
        "orbits": own["breaking"][0]["orbits"],
    }


def row(path: Path, seconds: float) -> dict[str, Any] | None:
    """The audit of a model with the smallest data that shows a loss, or else the largest that come to an end."""
    source = Source(path.read_text(encoding="utf-8", errors="replace"))
    lines = list(dict.fromkeys(commented(source)))
    if not lines and not source.calls(BREAKING):
        return None
    words = [word for line in lines for word in ("--breaking", f"line {line}")]
    sized = PARAMETER.search(source.text)
    stem = re.match(r"[a-z]+", path.stem.lower())
    beside = sorted(
        (*path.parent.glob("*.dzn"), *path.parent.glob("../data/*.dzn")), key=lambda one: one.stat().st_size
    )
    files = [one for one in beside if stem is None or one.stem.lower().startswith(stem[0]) or len(beside) < MOST_DATA]
    best: dict[str, Any] = {}
    for data in [[], *(["--data", str(one)] for one in files[:MOST_FILES])]:
        best = {"words": [*words, *data], **audited(path, [*words, *data], seconds)}
        best = settled(best)
        if "refused" not in best:
            break
    is_open = "refused" in best or not best["complete"] or best["verdict"] not in FIRM
    for size in SIZES if sized and is_open else ():
        own = [*words, "--define", f"{sized[1]}={size}"]  # type: ignore[index]
        found = settled({"words": own, **audited(path, own, seconds)})
        if "refused" in found or not found["complete"]:
            break
        is_worse = best.get("verdict") in FIRM and found["verdict"] not in FIRM
        best = found if found["orbits"] and not is_worse else best
        if found["verdict"] == "lossy":
            break
    return best


def confirmed(path: Path, row: dict[str, Any]) -> dict[str, int]:
    """Count the solutions that each constraint loses, and all together, in a way that shares nothing with the audit.

    Gecode lists the solutions by the variables of the key; what is lost is told by refining colours of literals.
    """
    words = row["words"]
    pairs = list(zip(words[::2], words[1::2], strict=True))
    defined = [value for option, value in pairs if option == "--define"]
    source = Source(path.read_text(encoding="utf-8", errors="replace"), defined, path.parent)
    spans = source.calls(BREAKING)
    spans += [span for option, value in pairs if option == "--breaking" for span in source.named(value)]
    spans = [one for one in spans if not any(o != one and o.start <= one.start and one.end <= o.end for o in spans)]
    judged = [*row["breaking"], *([row["together"]] if row["together"] else [])]
    lost_one = next(json.loads(one["lost"]) for one in judged if one["lost"])
    names = {str(label).partition("[")[0] for label, _ in lost_one}
    given = [word for one in defined for word in ("-D", one)] + [v for option, v in pairs if option == "--data"]

    def held(dropped: list[Span]) -> str:
        """The text without these, in which the objective has the value that is the best without all."""
        text, goal = source.without(dropped), rf"\1 satisfy; constraint (\2) = {row['best']};"
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


def main(words: list[str]) -> int:
    """The command; returns its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("rows", type=Path)
    parser.add_argument("--seconds", type=float, default=10.0, help="for each audit (default: 10)")
    parser.add_argument("--only", default="", help="models with this in their path")
    parser.add_argument("--confirm", action="store_true", help="count what is lost of the rows again, by another way")
    chosen = parser.parse_args(words)
    known = [json.loads(line) for line in chosen.rows.read_text().splitlines()] if chosen.rows.exists() else []
    if chosen.confirm:
        for one in known:
            if any(judged["verdict"] == "lossy" for judged in one.get("breaking", ())) or one.get("verdict") == "lossy":
                print(one["file"], *one["words"], confirmed(chosen.folder / one["file"], one), flush=True)
        return 0
    done = {one["file"] for one in known}
    for path in sorted(chosen.folder.rglob("*.mzn")):
        file = path.relative_to(chosen.folder).as_posix()
        if chosen.only not in file or file in done or not MEANT.search(path.read_text("utf-8", errors="replace")):
            continue
        found = row(path, chosen.seconds) or {"refused": "no constraint says that it breaks symmetry"}
        with chosen.rows.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps({"file": file, **found}) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
