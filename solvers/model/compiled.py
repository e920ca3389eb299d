"""Functions in machine code: compiled by numba once after installing, then read from a file.

Of most functions numba keeps the machine code in its own cache. It compiles a function anew when the file changes that
it is written in, but not when a function of another file does that it calls. So who changes `model.cover_kernel`,
`model.cover_levels` or `counting.wide_integers` deletes the folders ``__pycache__``, as `proofs.refutation_kernel`,
`counting.frontier_kernel` and `invent.hitting_kernel` call them.

Many a run takes less than a second, and to load numba takes half of one. So the machine code of what most runs need,
the search of exact covers and unit propagation, lies in files of ours, which llvmlite alone loads in some milliseconds.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib import import_module
from importlib.metadata import version
from inspect import getfile
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")

_running: list[object] = []


def is_compiling() -> bool:
    """Tell whether functions are being compiled now, which takes some seconds."""
    return bool(_running)


def kernel_of(compile_kernel: Callable[..., T], *sizes: int) -> T:
    """Compile functions with numba, and return what ``compile_kernel(*sizes, cache=True)`` returns.

    Machine code is read from numba's cache if it is there, and written to it if the folder permits.
    """
    _listen()
    remove_unreadable(Path(getfile(compile_kernel)).parent / "__pycache__")
    try:
        return compile_kernel(*sizes, cache=True)
    except RuntimeError:  # there is no such folder
        return compile_kernel(*sizes, cache=False)


def remove_unreadable(folder: Path) -> None:
    """Remove the index files of numba's cache that name classes which no longer exist.

    They are left after an upgrade, for instance. folder: the folder of the cache. numba would raise an exception for
    such a file.
    """
    for index in folder.glob("*.nbi"):
        try:
            with index.open("rb") as file:
                pickle.load(file)  # numba's version
                pickle.load(file)
        except (AttributeError, ImportError, EOFError, pickle.UnpicklingError):
            index.unlink(missing_ok=True)
        except OSError:
            continue


@cache
def _listen() -> None:
    """Have `is_compiling` know of numba's compilations from now on."""
    from numba.core import event

    class Listener(event.Listener):
        def on_start(self, event: Any) -> None:
            _running.append(event)

        def on_end(self, event: Any) -> None:
            _running.pop()

    event.register("numba:compile", Listener())  # type: ignore[no-untyped-call]


class Native:
    """A function in machine code that returns an integer.

    It takes whole numbers, arrays and named tuples of arrays. It is called as numba calls functions among themselves:
    with a place for the result, one for an exception, and each array as its reference count (none), its owner (none),
    its size, the size of an item, and its address, shape and strides. The GIL is released meanwhile.
    """

    def __init__(self, name: str, machine_code: bytes, like: Sequence[Any]) -> None:
        """Load a function from machine code.

        name: the symbol of the function. machine_code: the object file. like: arguments of the types that the function
        takes.
        """
        self._types = list(_types(like))
        self._engine = _engine(machine_code)  # holds the code as long as it is
        self._address = self._engine.get_function_address(name)
        self._calls: dict[int, Any] = {}

    def __call__(self, *arguments: Any) -> int:
        """Call the function and return its result.

        arguments: of the types of ``like``, as the constructor takes it. Raises `TypeError` for other types,
        `RuntimeError` if the function raises an exception.
        """
        if list(_types(arguments)) != self._types:
            raise TypeError("compiled code is for arguments of other types")
        numbers = [*_numbers(arguments)]
        call = self._calls.get(len(numbers))
        if call is None:
            kinds = [ctypes.c_void_p, ctypes.c_void_p, *[ctypes.c_int64] * len(numbers)]
            call = self._calls[len(numbers)] = ctypes.CFUNCTYPE(ctypes.c_int32, *kinds)(self._address)
        result, exception = ctypes.c_int64(), ctypes.c_void_p()
        if call(ctypes.byref(result), ctypes.byref(exception), *numbers):
            raise RuntimeError("compiled code raised an exception")
        return result.value


def _numbers(arguments: Sequence[Any]) -> Iterator[int]:
    """Yield the integers that a function in machine code takes for these arguments; see `Native`."""
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            yield from (0, 0, argument.size, argument.itemsize, argument.__array_interface__["data"][0])
            yield from argument.shape
            yield from argument.strides
        elif isinstance(argument, tuple):
            yield from _numbers(argument)
        else:
            yield int(argument)


def _types(arguments: Sequence[Any]) -> Iterator[object]:
    """Yield a description of each argument's type.

    Functions for the same descriptions take the same arguments. A named tuple counts as its items. An array is
    described by its type, its dimensions and whether it is contiguous, row by row.
    """
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            yield argument.dtype.str, argument.ndim, argument.flags.c_contiguous
        elif isinstance(argument, tuple):
            yield from _types(argument)
        else:
            yield "number"


_loading = threading.Lock()


def native(module: str, sources: Sequence[str], function: str, *like: Any) -> Native:
    """Return a function of a module in machine code.

    It is compiled if no file with its machine code fits. module, function: their names. sources: the modules beside it,
    by name, on which the machine code depends. like: arguments of the types that the function is to take.

    The file is in the module's ``__pycache__``. Where that cannot be written to, the function is compiled in each
    process.
    """
    import llvmlite.binding as llvm

    *rooms, own_name = module.split(".")
    folder = Path(__file__).parents[2].joinpath(*rooms)
    content = b"".join(Path(folder, f"{name}.py").read_bytes() for name in (own_name, *sources))
    processor = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    made_of = content, function, version("numba"), version("llvmlite"), processor
    kept = folder / "__pycache__" / f"{own_name}.{function}.{sha256(repr(made_of).encode()).hexdigest()[:32]}"
    with _loading:
        try:
            name, _, machine_code = kept.read_bytes().partition(b"\0")
            seal, machine_code = machine_code[:32], machine_code[32:]
            if sha256(machine_code).digest() == seal:
                return Native(name.decode(), machine_code, like)
        except OSError:
            pass
        symbol, machine_code = _compiled(module, function, like)
        with suppress(OSError):
            _keep(kept, b"\0".join([symbol.encode(), sha256(machine_code).digest() + machine_code]))
    return Native(symbol, machine_code, like)


def _compiled(module: str, function: str, like: Sequence[Any]) -> tuple[str, bytes]:
    """Compile a function of a module; return (symbol, machine code).

    function: its name. like: arguments of the types that it is to take.
    """
    from numba import njit, typeof

    _listen()
    options: dict[str, Any] = {"_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    dispatcher: Any = njit(**options)(getattr(import_module(module), function))
    dispatcher.compile(tuple(map(typeof, like)))
    (made,) = dispatcher.overloads.values()
    return made.fndesc.mangled_name, made.library._get_compiled_object()


def _keep(path: Path, content: bytes) -> None:
    """Write a file so that other processes see all of its content or nothing.

    Older files of the same function are removed.
    """
    path.parent.mkdir(exist_ok=True)
    module, function, _ = path.name.split(".")
    for other in path.parent.glob(f"{module}.{function}.*"):
        other.unlink(missing_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}")
    part.write_bytes(content)
    part.replace(path)


def _engine(machine_code: bytes) -> Any:
    """Return llvmlite's engine with this machine code loaded.

    The code stays in memory as long as the engine.
    """
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(machine_code))
    engine.finalize_object()
    return engine
