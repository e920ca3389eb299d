"""The exact-cover backend: recognised models, random covers against brute force, and what it refuses."""

import pickle
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ortools.sat.python.cp_model import CpModel

from models.pentomino import pentomino
from solvers.backends.cover import Cover
from solvers.backends.protocol import Task
from solvers.base.deadline import start_in_thread
from solvers.base.tuning import override_tuning
from solvers.model import compiled
from solvers.model.cover_search import Outcome
from tests.support import command
from tests.support.backends import visits, within
from tests.support.covers import covers
from tests.support.declared import BOOLEAN, declared
from tests.support.random_models import brute_force
from tests.support.refusals import refused


def cover_of(model: CpModel, seed: int = 0) -> Cover:
    return Cover(Task(model, range(len(model.proto.variables)), threading.Event(), seed=seed))


@pytest.mark.thorough
@settings(max_examples=50, deadline=None)
@given(covers, st.integers(0, 3), st.data())
def test_random_covers(model: CpModel, seed: int, data: st.DataObject) -> None:
    variables = len(model.proto.variables)
    expected = brute_force(model)
    backend = cover_of(model, seed)
    assert visits(backend) == Counter(expected)
    cube = tuple(data.draw(st.lists(st.integers(-variables, variables - 1), max_size=3)))
    assert visits(backend, cube) == Counter(within(expected, cube))
    every = list(backend.leaves(small=data.draw(st.integers(0, 10))))
    assert sum(leaf.weight for leaf in every) == 1
    leaves = [leaf for leaf in every if leaf.outcome]
    parts = [within(expected, leaf.cube) for leaf in leaves]
    assert sorted(v for part in parts for v in part) == sorted(expected), "the leaves are disjoint and exhaustive"
    assert all(len(part) == 1 for leaf, part in zip(leaves, parts, strict=True) if leaf.outcome is Outcome.SOLUTION)


@pytest.mark.thorough
def test_it_branches_where_the_fewest_options_are_left() -> None:
    """A search in plain Python, which takes first what is forced, has as many nodes."""
    model = pentomino("5x5", subset=True).model
    assert sum(leaf.nodes for leaf in cover_of(model).leaves(small=-1)) == 5301
    with override_tuning(plain_nodes=0):
        assert sum(leaf.nodes for leaf in cover_of(model).leaves(small=-1)) == 1220


@pytest.mark.thorough
def test_short_searches_go_without_pairs() -> None:
    """Those of more nodes do not: they have less than half of the nodes that they would have."""
    assert not len(cover_of(pentomino("5x5", subset=True).model).tables._reasons)
    short, long = (cover_of(pentomino(board).model).tables for board in ("3x20", "6x10"))
    assert len(short.options) == 1236
    assert len(long.options) < 2000


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (lambda model, a, b: model.new_int_var(0, 2, "x"), "the variable x is not a Boolean"),
        (lambda model, a, b: model.add_bool_or(a, b), "a clause that is not an exclusion"),
        (lambda model, a, b: model.add_exactly_one(a, ~b), "negated variables"),
        (lambda model, a, b: model.add_bool_xor(a, b), "constraint 0 is neither"),
        (lambda model, a, b: model.minimize(a), "an objective"),
    ],
)
def test_models_that_are_no_covers(spoil: Callable[..., Any], sentence: str) -> None:
    refused(sentence, cover_of, declared([BOOLEAN] * 2, spoil))


def test_values_are_whole_rows() -> None:
    found: list[Any] = []
    cover_of(declared([BOOLEAN] * 3, lambda m, *three: m.add_exactly_one(three))).enumerate(found.append)
    assert np.array(found).sum(axis=0).tolist() == [1, 1, 1]


def sleep_long() -> bytes:
    """A task that takes longer than any test waits."""
    time.sleep(100)
    return b""


@pytest.mark.thorough
def test_what_compiles_ends_with_a_killed_parent() -> None:
    code = "from solvers.model import compiled; from tests.core.backends.test_cover import sleep_long; "
    code += "compiled._compile_apart([(sleep_long, ())])"
    parent = subprocess.Popen([sys.executable, "-c", code], cwd=command.HERE)
    command.wait_for(lambda: len(list(command.descendants(parent.pid))) > 0)
    (child,) = command.descendants(parent.pid)
    parent.kill()
    parent.wait()
    command.wait_for(lambda: child not in command.descendants(1))


def test_cached_code_for_classes_that_are_gone_is_removed(tmp_path: Path) -> None:
    """Numba would raise an exception when it reads the name of such a class."""
    stale, sound = tmp_path / "stale.nbi", tmp_path / "sound.nbi"
    version = pickle.dumps("0.68")
    stale.write_bytes(version + b"csolvers.model.cover_search\nNoSuchClass\n.")
    sound.write_bytes(version + pickle.dumps(Path))
    compiled.remove_unreadable(tmp_path)
    assert list(tmp_path.iterdir()) == [sound]


def test_threads_load_machine_code_in_turn() -> None:
    """Numba raises an exception where several threads load at a time."""
    turn, function = threading.Lock(), Mock()

    def load(*_: object) -> bool:
        if not turn.acquire(blocking=False):
            raise ValueError("another thread is loading")
        time.sleep(0.1)
        turn.release()
        return True

    function._cache.load_overload = Mock(side_effect=load)
    kernels = [compiled._CompiledApart(sleep_long, (), 0, function) for _ in range(2)]
    for done in [start_in_thread(partial(kernel, 1)) for kernel in kernels]:
        done.result(timeout=60)
    assert function._cache.load_overload.call_count == 2
