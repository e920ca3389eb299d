"""What a proof of a count costs: python -m tests.benchmarks.certificate [--board 5x12] [--keep DIR]

Makes the certificate of the pentominoes on a board, and checks it with `solvers check` and, where it is installed, with
ACL2's verified checker (Debian's packages acl2-books and acl2-books-certs). Prints a table, and fails if a checker does
not accept the proof. Each is a command of its own; memory is the most that one of its processes had.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tabulate import tabulate


def measured(words: Sequence[str], said: str) -> tuple[float, float, float]:
    """Seconds, seconds of processors, megabytes; fails unless the command's output has what it is to say."""
    with tempfile.TemporaryFile("w+") as output:
        began = time.perf_counter()
        process = subprocess.Popen(words, stdout=output)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - began
        output.seek(0)
        if status or said not in output.read():
            sys.exit(f"{' '.join(words)} did not say {said!r}")
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.certificate", description="What a proof costs.")
    parser.add_argument("--board", default="6x10", help="of pentomino (default: 6x10)")
    parser.add_argument("--keep", metavar="DIR", help="leave the certificate there")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as scratch:
        directory = Path(chosen.keep or f"{scratch}/certificate")
        python = [sys.executable, "-m"]
        run = ["solvers.run", "pentomino", "--board", chosen.board, "--backend", "cover", "--quiet", "--json"]
        certify = [*python, *run, "--certify", str(directory), "--no-check"]
        rows = [("made", *measured(certify, '"complete": true'))]
        size = sum(file.stat().st_size for file in directory.iterdir()) / 1e6
        rows.append(("checked", *measured([*python, "solvers.check", str(directory)], "there are no others")))
        if shutil.which("acl2"):
            command = json.loads((directory / "certificate.json").read_text())["commands"][-1]
            verify = command.rpartition(" && ")[2]
            subprocess.run(["bash", "-c", f"cd '{directory}' && xz -dk *.lrat.xz"], check=True)
            rows.append(("checked by ACL2", *measured(["bash", "-c", f"cd '{directory}' && {verify}"], "s VERIFIED")))
        print(tabulate(rows, ["", "seconds", "of processors", "memory (MB)"], floatfmt=".0f"))
        decompressed = sum(file.stat().st_size for file in directory.glob("*.lrat")) / 1e6
        print(f"\n{size:.0f} MB on disk" + (f", the proof's text {decompressed:.0f} MB" if decompressed else ""))


if __name__ == "__main__":
    main()
