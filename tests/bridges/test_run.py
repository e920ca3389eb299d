"""The command run with options of extras."""

import json
import os
from pathlib import Path

from tests.support.command import RUN, refusal, report_of, run


def test_versions_and_checksums() -> None:
    told = dict(line.split() for line in run(RUN, "--version").stdout.splitlines())
    ring = ["magic", "--kind", "ring"]
    asked = [
        ring,
        [*ring, "--backend", "sat"],
        [*ring, "--given", "0 0=5"],
        [*ring, "--sum", "12"],
        ["why", "magic", "0 0=5", "--kind", "ring"],
    ]
    reports = [json.loads(run(RUN, *words, "--json").stdout) for words in asked]
    own = {(report["versions"]["kazoeru"], report["checksums"]["kazoeru"]) for report in reports}
    assert own == {(told["kazoeru"], told["source"])}
    plain, other_backend, given, other_sum, why = (report["checksums"]["model"] for report in reports)
    assert plain == other_backend == why
    assert len({plain, given, other_sum}) == 3


def test_options_that_name_nothing(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for words in (["--store=--"], ["--given=--"], ["--memory", "1e300"], ["--store", str(pipe)]):
        refusal("magic", *words)
    refusal("store", str(pipe))
    report_of("magic", "--kind", "ring", "--time-limit", "1e300", "--certify", str(tmp_path / "proof"))
