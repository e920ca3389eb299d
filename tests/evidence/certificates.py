"""Certificates for tests: made in one go, and changed as somebody might who knows how they are sealed."""

import hashlib
import json
import lzma
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from threading import Event
from typing import Any

from models.puzzle import Puzzle
from solvers.base.options import Options
from solvers.cnf.lower import lower
from solvers.extras.evidence.certificate import CertificateFolder, certify_solutions
from solvers.running.runner import Run


def certified(directory: Path, declare: Callable[..., Puzzle], backend: str = "auto", **parameters: Any) -> Run:
    """Run a puzzle to its end and leave its certificate in the directory."""
    folder = CertificateFolder(str(directory))
    run = Run("puzzle", parameters, declare, Options(backend, jobs=1), folder.begin)
    list(run)
    assert folder.finish(run, lambda: False) == ""
    return run


def certify_anew(run: Run, solutions: Sequence[Any], directory: Path) -> None:
    """Certify that these are all solutions of the model of a run."""
    question: Any = run.question
    certify_solutions(question, lower(question.model, Event()), solutions, run.report, directory, Event())


def certificate_of(directory: Path) -> dict[str, Any]:
    return dict(json.loads((directory / "certificate.json").read_text(encoding="utf-8")))


def solutions_of(directory: Path) -> list[set[int]]:
    """The variables that are true in each solution that is listed."""
    lines = [set(map(int, line.split()[:-1])) for line in lines_of(next(directory.glob("*.solutions")))]
    return [line ^ (lines[0] if number else set()) for number, line in enumerate(lines)]


def list_solutions(directory: Path, solutions: list[set[int]]) -> None:
    """Write that file anew."""
    lines = [sorted(solution ^ (solutions[0] if number else set())) for number, solution in enumerate(solutions)]
    text = "".join(" ".join(map(str, [*line, 0])) + "\n" for line in lines)
    next(directory.glob("*.solutions")).write_text(text, encoding="utf-8")


def lines_of(path: Path) -> list[str]:
    content = path.read_bytes()
    text = lzma.decompress(content) if path.suffix == ".xz" else content
    return text.decode().splitlines(keepends=True)


def map_of(directory: Path) -> list[Any]:
    """Its lines as literal, label and value."""
    return list(map(json.loads, lines_of(next(directory.glob("*.map")))))


def write_map(directory: Path, lines: Iterable[Any]) -> None:
    next(directory.glob("*.map")).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def sealed(directory: Path, **changes: Any) -> None:
    """Change entries of the certificate and make every fingerprint right again."""
    certificate = {**certificate_of(directory), **changes}
    del certificate["fingerprint"]
    if "files" not in changes:
        certificate["files"] = {
            name: hashlib.sha256((directory / name).read_bytes()).hexdigest() for name in certificate["files"]
        }
    entries = "".join(f"{json.dumps(name)}: {json.dumps(value)},\n" for name, value in certificate.items())
    fingerprint = hashlib.sha256(f"{{\n{entries}}}\n".encode()).hexdigest()
    text = f'{{\n{entries}"fingerprint": "{fingerprint}"\n}}\n'
    (directory / "certificate.json").write_text(text, encoding="utf-8", newline="\n")


def read_by_map(directory: Path, labels: Sequence[Any]) -> list[frozenset[tuple[Any, int]]]:
    """The solutions of a certificate, by its map alone."""
    name_of = {json.dumps(label): label for label in labels}
    lines = map_of(directory)
    found = []
    for true in solutions_of(directory):
        values = dict.fromkeys(labels, 0)
        for literal, label, value in lines:
            if (abs(literal) in true) == (literal > 0):
                name = name_of[json.dumps(label)]
                values[name] = values[name] + value["adds"] if isinstance(value, dict) else value
        found.append(frozenset(values.items()))
    return found
