"""Files of models as people have them: compressed, with marks of the byte order."""

import gzip
import lzma
from pathlib import Path

from solvers import solve
from tests.support.command import printed, refusal
from tests.support.minizinc import needed


def test_the_parts_of_a_compressed_model(tmp_path: Path) -> None:
    """What it includes stands beside it; data may be compressed, too; a damaged file gets one line."""
    needed()
    (tmp_path / "part.mzn").write_text("int: n; var 0..n: x;", encoding="utf-8")
    model, data = tmp_path / "model.mzn.gz", tmp_path / "data.dzn.xz"
    model.write_bytes(gzip.compress(b'include "part.mzn"; solve satisfy;'))
    data.write_bytes(lzma.compress(b"n = 4;"))
    assert "5" in printed(str(model), "--data", str(data), "--count-only", "--jobs", "1")
    data.write_bytes(lzma.compress(b"n = 4;")[:-9])
    assert "damaged" in refusal(str(model), "--data", str(data))
    assert "model.mzn.gz" in refusal(str(model), "--define", "n=3.5")


def test_a_mark_of_the_byte_order_is_no_part_of_a_file(tmp_path: Path) -> None:
    """Editors of Windows write it at the beginning of a text."""
    texts = {
        "small.dlx": "a b\na\nb\na b\n",
        "small.opb": "* #variable= 2 #constraint= 1\n+1 x1 +1 x2 >= 1 ;\n",
        "small.txt": "10\n01\n11\n",
        "small.pbtxt": 'variables { name: "x" domain: 0 domain: 2 }\n',
    }
    for name, text in texts.items():
        plain, marked = tmp_path / name, tmp_path / f"marked-{name}"
        plain.write_text(text, encoding="utf-8")
        marked.write_text(text, encoding="utf-8-sig")
        assert solve(marked, jobs=1).total == solve(plain, jobs=1).total
