"""Functions in machine code: compiled by numba once after installing, then read from a file.

All files are in the user's folder for caches (`cache_folder`), as what is beside the program would stay there when it
is uninstalled. Names hold a checksum of the source, of the modules that it imports too. Files are written so that other
processes see them whole or not at all. Where they cannot be written, each process compiles what it needs.

Numba keeps the machine code of most functions, in its own format.

Many a run takes less than a second, and to load numba takes half of one. So the machine code of what most runs need,
the search of exact covers and unit propagation, is in files of ours, which llvmlite alone loads in some milliseconds.

To compile takes seconds, in which nothing else of a process may get its turn. So it is done in processes of their own,
which end with the run that waits for them. A run that is stopped leaves at once; the next one finds what was finished.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, NamedTuple, TypeVar, cast

import numpy as np

from solvers.base.deadline import is_told_to_stop
from solvers.base.errors import Stopped
from solvers.base.version import VERSION

T = TypeVar("T")

COMPILED_POLL_SECONDS = 0.05
"""Seconds between two looks at whether a process has compiled a function, or the run is to stop."""

DAYS_KEPT = 60
"""Days after which a file in the folder for caches is removed, as another file is written there."""

SEAL_BYTES = 32
"""The size of the checksum before machine code that is kept: SHA-256."""

_running: list[object] = []

_loading = threading.Lock()
"""Held where machine code is loaded: numba fails if several threads load at a time."""


def is_compiling() -> bool:
    """Tell whether functions are being compiled now, which takes some seconds."""
    return bool(_running)


def kernel_of(compile_kernel: Callable[..., T], *sizes: int) -> T:
    """Return the functions that ``compile_kernel(*sizes, cache=True)`` makes by numba, each ready to be called.

    A function whose machine code is in no cache is compiled at its first call, in a process of its own, which writes it
    to the cache; then it is read from there. Such a call raises `Stopped` if the thread's stop is set meanwhile
    (`base.deadline.set_stop_event`). If the cache cannot be written, functions are compiled in this process.
    """
    try:
        with _loading:
            functions: Any = _compile_with_cache(compile_kernel, sizes)
    except RuntimeError:  # numba cannot write to the folder
        return compile_kernel(*sizes, cache=False)
    functions_apart = [
        _CompiledApart(compile_kernel, sizes, place, function) for place, function in enumerate(functions)
    ]
    # A named tuple if ``compile_kernel`` returns one.
    kernel: Any = functions._make(functions_apart) if hasattr(functions, "_make") else tuple(functions_apart)
    return cast(T, kernel)


def _compile_with_cache(compile_kernel: Callable[..., T], sizes: Sequence[int]) -> T:
    """Return ``compile_kernel(*sizes, cache=True)``, functions whose machine code numba keeps in our folder.

    The folder's name has a checksum of the source. Numba reads its settings when it makes the functions, so that these
    are changed for that time only. Raises RuntimeError if numba cannot write to the folder.
    """
    from numba.core import config as numba_config

    config: Any = numba_config  # which makes its attributes itself
    folder = cache_folder() / f"numba-{sha256(_source_with_imports(compile_kernel.__module__)).hexdigest()[:16]}"
    for index_folder in folder.glob("*/"):
        remove_unreadable(index_folder)
    before = config.CACHE_DIR, config.CACHE_LOCATOR_CLASSES
    config.CACHE_DIR, config.CACHE_LOCATOR_CLASSES = str(folder), "UserProvidedCacheLocator"
    try:
        return compile_kernel(*sizes, cache=True)
    finally:
        config.CACHE_DIR, config.CACHE_LOCATOR_CLASSES = before


class _CompiledApart:
    """A function of numba that another process compiles at the first call, unless the cache has it."""

    def __init__(self, compile_kernel: Callable[..., Any], sizes: Sequence[int], place: int, function: Any) -> None:
        """Take the function at a place of what ``compile_kernel(*sizes, cache=True)`` returns."""
        self._compile_kernel = compile_kernel
        self._recipe = compile_kernel.__module__, compile_kernel.__name__, tuple(sizes), place
        self._function = function
        self._is_ready = False

    def __call__(self, *arguments: Any) -> Any:
        """Call the function. Raises `Stopped` if the thread's stop is set before it is compiled."""
        if not self._is_ready:
            with _loading:
                self._prepare(arguments)
            self._is_ready = True
        return self._function(*arguments)

    def _prepare(self, arguments: Sequence[Any]) -> None:
        """Load the function for arguments of these types; have it compiled unless the cache has it."""
        from numba import typeof

        types = tuple(map(typeof, arguments))
        try:
            if self._function._cache.load_overload(types, self._function.targetctx) is None:
                _compile_apart([(_cache_kernel, (*self._recipe, types))])  # in another process, into the cache
            self._function.compile(types)  # which now reads the cache
        except OSError:  # the disk is full, say: compiled here, without a cache
            *_, sizes, place = self._recipe
            self._function = self._compile_kernel(*sizes, cache=False)[place]


def _cache_kernel(module: str, name: str, sizes: Sequence[int], place: int, types: Sequence[Any]) -> bytes:
    """Compile a function for arguments of these types, so that numba's cache has it; return nothing.

    module, name: those of the function that makes the kernel. sizes: its arguments. place: which function it is.
    """
    _compile_with_cache(getattr(import_module(module), name), sizes)[place].compile(types)
    return b""


def _compile_apart(tasks: Sequence[tuple[Callable[..., bytes], Sequence[Any]]]) -> list[bytes]:
    """Do some tasks, each in a process of its own, and return their results in the same order.

    The processes end with this one, however it ends. Once the thread's stop is set, they are killed and `Stopped` is
    raised; the results of those that had ended stay in caches. A task whose process fails is done in this process.
    tasks: each (function of this module, its arguments); it is sent to the process pickled.
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(_root()), *filter(None, sys.path)])}
    with ExitStack() as stack:  # at its end, all processes are killed and their files closed
        begun: list[tuple[subprocess.Popen[bytes], IO[bytes]]] = []  # (process, file for its result)
        output: IO[bytes]
        _running.append(tasks)
        stack.callback(_running.remove, tasks)
        for task in tasks:
            output = stack.enter_context(TemporaryFile())
            process = subprocess.Popen(
                [sys.executable, "-c", f"from {__name__} import _serve; _serve()"],
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.DEVNULL,
                env=environment,
                start_new_session=True,  # Ctrl-C is for us alone
            )
            stack.callback(_end, process)
            assert process.stdin
            with suppress(BrokenPipeError):  # a process that has failed has a return code below
                pickle.dump(task, process.stdin)
                process.stdin.flush()
            begun.append((process, output))
        while any(process.poll() is None for process, _ in begun):
            if is_told_to_stop():
                raise Stopped
            time.sleep(COMPILED_POLL_SECONDS)
        results = []
        for (process, output), (function, arguments) in zip(begun, tasks, strict=True):
            output.seek(0)
            results.append(function(*arguments) if process.returncode else output.read())
        return results


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process that does a task, if it has not ended."""
    process.kill()
    process.wait()
    assert process.stdin
    with suppress(OSError):
        process.stdin.close()


def _serve() -> None:
    """Do the task that another process writes to standard input, and write its result, bytes, to standard output.

    The task is a function and its arguments, pickled. This process ends at once when the other one closes the pipe, as
    it does when it ends.
    """
    function, arguments = pickle.load(sys.stdin.buffer)

    def end_with_parent() -> None:
        """Wait until the pipe is closed, and end this process."""
        sys.stdin.buffer.read()
        os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()
    sys.stdout.buffer.write(function(*arguments))
    sys.stdout.buffer.flush()
    os._exit(0)


def remove_unreadable(folder: Path) -> None:
    """Remove the index files of numba's cache that name classes which no longer exist, as after an upgrade.

    Numba would raise an exception for such a file. folder: the folder of the cache; one that does not exist has no
    files.
    """
    for index in folder.glob("*.nbi"):
        try:
            with index.open("rb") as file:
                pickle.load(file)  # numba's version
                pickle.load(file)
        except (AttributeError, ImportError, EOFError, pickle.UnpicklingError):
            with suppress(OSError):
                index.unlink()
        except OSError:
            continue


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
        `RuntimeError` if the function raises an exception. The first two arguments of the machine code are the places
        for the result and the exception; it returns 0 if there was no exception.
        """
        if list(_types(arguments)) != self._types:
            raise TypeError("compiled code is for arguments of other types")
        numbers = [*_numbers(arguments)]
        call = self._calls.get(len(numbers))  # made by ctypes for this number of arguments
        if call is None:
            kinds = [ctypes.c_void_p, ctypes.c_void_p, *[ctypes.c_int64] * len(numbers)]
            call = self._calls[len(numbers)] = ctypes.CFUNCTYPE(ctypes.c_int32, *kinds)(self._address)
        result, exception = ctypes.c_int64(), ctypes.c_void_p()
        if call(ctypes.byref(result), ctypes.byref(exception), *numbers):
            raise RuntimeError("compiled code raised an exception")
        return result.value


def _numbers(arguments: Sequence[Any]) -> Iterator[int]:
    """Yield the integers that a function in machine code takes for these arguments, as numba passes them.

    A tuple is passed as its items. For an array they are: reference count and owner (none), number of items, bytes of
    an item, address, shape, strides.
    """
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


class Recipe(NamedTuple):
    """A function that is wanted in machine code."""

    module: str
    function: str
    """The names of a module and of a function in it."""
    like: Sequence[Any]
    """Arguments of the types that the function is to take."""


def native(*recipes: Recipe) -> list[Native]:
    """Return functions in machine code, in the order of the recipes.

    The machine code is read from a file; if there is none yet, a process of its own compiles the function and writes
    the file. If the file cannot be written, the function is compiled for each process that needs it. Raises `Stopped`
    if the thread's stop is set before all are compiled (`solvers.base.deadline.set_stop_event`).
    """
    with _loading:
        # Each code is the symbol of the function, a zero byte and the object file; it is empty if there is no file.
        code_by_function = {recipe.function: _read_code(recipe) for recipe in recipes}
        missing = [recipe for recipe in recipes if not code_by_function[recipe.function]]
        if missing:
            codes = _compile_apart([(_compile_and_keep, recipe) for recipe in missing])
            code_by_function |= {recipe.function: code for recipe, code in zip(missing, codes, strict=True)}
    functions = []
    for recipe in recipes:
        symbol, _, machine_code = code_by_function[recipe.function].partition(b"\0")
        functions.append(Native(symbol.decode(), machine_code, recipe.like))
    return functions


def _root() -> Path:
    """Return the folder from which the packages ``solvers`` and ``models`` are imported."""
    return Path(__file__).parents[2]


def cache_folder() -> Path:
    """Return the folder for what kazoeru keeps for this user; it may not exist yet."""
    from platformdirs import user_cache_path

    return user_cache_path("kazoeru", appauthor=False, version=VERSION)


def _source_with_imports(module: str) -> bytes:
    """Return the source of a module of this project and of all modules of ``solvers`` that it imports, joined.

    The sources are in the order of the modules' names. module: its name, with dots.
    """
    sources: dict[str, bytes] = {}
    waiting = [module]
    while waiting:
        if (name := waiting.pop()) not in sources:
            sources[name] = _root().joinpath(*name.split(".")).with_suffix(".py").read_bytes()
            waiting += map(bytes.decode, re.findall(rb"^from (solvers\.[\w.]+) import", sources[name], re.MULTILINE))
    return b"".join(sources[name] for name in sorted(sources))


def _code_file(recipe: Recipe) -> Path:
    """Return the file in which the machine code is kept.

    Its name has a checksum of all that the code is made of: the source, numba, llvmlite and the processor's features.
    """
    import llvmlite.binding as llvm

    processor = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    made_of = _source_with_imports(recipe.module), recipe.function, _version("numba"), _version("llvmlite"), processor
    own_name = recipe.module.rpartition(".")[2]
    return cache_folder() / f"{own_name}.{recipe.function}.{sha256(repr(made_of).encode()).hexdigest()[:32]}"


def _version(package: str) -> bytes:
    """Return bytes that differ between versions of an installed package: the content of its file ``_version.py``.

    To ask for the version itself takes a twentieth of a second.
    """
    spec = find_spec(package)
    assert spec
    assert spec.origin
    return Path(spec.origin).with_name("_version.py").read_bytes()


def _read_code(recipe: Recipe) -> bytes:
    """Return the symbol of a function, a zero byte and its machine code, as they were kept; empty if they were not.

    The file begins with a checksum of these; a file that was damaged counts as missing.
    """
    with suppress(OSError):
        content = _code_file(recipe).read_bytes()
        if sha256(content[SEAL_BYTES:]).digest() == content[:SEAL_BYTES]:
            return content[SEAL_BYTES:]
    return b""


def _compile_and_keep(module: str, function: str, like: Sequence[Any]) -> bytes:
    """Compile a function; keep its machine code, and return it as `_read_code` does.

    The code is returned even if it cannot be kept. module, function: the names of the module and of the function in it.
    like: arguments of the types that the function is to take.
    """
    from numba import njit, typeof

    options: dict[str, Any] = {"_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    dispatcher: Any = njit(**options)(getattr(import_module(module), function))
    dispatcher.compile(tuple(map(typeof, like)))
    (compiled,) = dispatcher.overloads.values()
    code: bytes = b"\0".join([compiled.fndesc.mangled_name.encode(), compiled.library._get_compiled_object()])
    with suppress(OSError):
        _write_whole(_code_file(Recipe(module, function, like)), sha256(code).digest() + code)
    return code


def _write_whole(path: Path, content: bytes) -> None:
    """Write a file so that other processes see all of its content or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        part.write_bytes(content)
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise
    _remove_old(path.parent)


def _remove_old(folder: Path) -> None:
    """Remove files that nobody has written for `DAYS_KEPT` days, such as those of an earlier version of the source."""
    oldest = time.time() - DAYS_KEPT * 86_400
    for path in folder.iterdir():
        with suppress(OSError):
            if path.is_file() and path.stat().st_mtime < oldest:
                path.unlink()


def _engine(machine_code: bytes) -> Any:
    """Return llvmlite's engine with this machine code, an object file, loaded; the code stays as long as the engine.

    The engine knows the addresses of the functions in the code.
    """
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(machine_code))
    engine.finalize_object()
    return engine
