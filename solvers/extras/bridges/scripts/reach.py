"""Run a program up to the model that it solves, and write the model.

``python -m solvers.extras.bridges.scripts.reach FOLDER COUNT PROGRAM [ARGUMENT ...]`` runs a Python file or a notebook
with the user's rights. The functions that solve, of OR-Tools, CPMpy, PySAT and PyCSP3, are replaced: at call number
COUNT, the model, as it is then, is written into FOLDER, and the process ends; earlier calls solve. What the program
prints goes to standard error, and its standard input is at its end. ``said.json`` in the folder says what was written,
or what went wrong.
"""

from __future__ import annotations

import asyncio
import importlib.abc
import importlib.util
import json
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import wraps
from importlib.machinery import ModuleSpec
from inspect import iscoroutine, signature
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, NoReturn

from models.boards.compressed import ending
from solvers.extras.bridges.scripts.names import frames_of, names_in
from solvers.extras.bridges.scripts.parts import program_parts
from solvers.extras.bridges.scripts.pysat_calls import record_engine, record_solver, solver_classes
from solvers.files.lines import Lines, note_lines

SAID = "said.json"
"""The file that says what was written, or what went wrong; once it is there, it is whole."""

CONSTRAINTS = "constraints.json"
"""The file with the names of a model's constraints, where its library has them."""

LINES = "lines.json"
"""The file with the lines of the program that add the constraints of a model of OR-Tools, by their places."""

AUTHORED = "authored.json"
"""The file with the names that the author gave to the variables of a model of OR-Tools, in their order."""

PLACE, PLACE_SECONDS = "place.txt", 0.2
"""The file with the place in the program that runs, and the seconds between two looks at it."""

ARGPARSE_CODE = 2
"""The exit code of a program whose command line is wrong."""

ORTOOLS, CPMPY, PYSAT = "ortools.sat.python.cp_model", "cpmpy.model", "pysat.solvers"
PYSAT_ENGINES = "pysat.engines"
CPMPY_SOLVERS = "cpmpy.solvers.utils"
PYCSP3, PYCSP3_DECLARED = "pycsp3", "pycsp3.classes.entities"


class Reach:
    """The call that was asked for, and how far the program has come."""

    def __init__(self, folder: Path, count: int, program: Path) -> None:
        """Take the folder for the model, the number of the call that is asked for, and the program's path."""
        self.folder = folder
        self.left = count
        self.program = program
        # Whether a thread is in a call of a function that solves.
        self._within = threading.local()
        self.until_end = ExitStack()
        """What is open until the program ends."""
        self.lines: Callable[[Any], Lines] = lambda _: {}
        """Returns the lines of the program that add a model's constraints."""
        self.held: Mapping[str, Any] = {}
        """What the program has left in its names at its end."""

    def hook(self, solve: Callable[..., Any], write: Callable[..., str]) -> Callable[..., Any]:
        """Return a function in place of one that solves: it solves, or ends the process at the call that is asked for.

        A call within another one does not count. write: called with the same arguments, writes the model into the
        folder and returns its kind, such as "cpmpy", which `Reach.end` writes beside it.
        """

        @wraps(solve)
        def solve_or_end(*arguments: Any, **named: Any) -> Any:
            """Solve, or write the model and end the process if this is the call that is asked for.

            ``left`` counts the calls down to that one, without those within another one, such as a solver's own of its
            parts.
            """
            if not self._is_within():
                self.left -= 1
                if self.left == 0:
                    self._within.call = True  # what ``write`` calls does not count either
                    self._claim()
                    self.end(kind=write(*arguments, **named))
            was_within, self._within.call = self._is_within(), True
            try:
                return solve(*arguments, **named)
            finally:
                self._within.call = was_within

        return solve_or_end

    def _is_within(self) -> bool:
        """Tell whether this thread is in a call of a function that solves."""
        return getattr(self._within, "call", False)

    def _claim(self) -> None:
        """Go on in one process only, if a program solves in several that it has forked.

        The first process makes a file; the others find it and wait until they are ended.
        """
        try:
            os.close(os.open(self.folder / "claimed", os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            while True:  # all are ended once the other one has written the model
                time.sleep(1)

    def end(self, **message: Any) -> NoReturn:
        """Write a message as JSON for the process that waits, and end this process at once.

        Whatever the program would do at its end is left out. The file gets its name when it is whole. message: the
        ``kind`` of the model, or "failure" with a ``sentence``.
        """
        unfinished_file = self.folder / f"{SAID}.{os.getpid()}"
        unfinished_file.write_text(json.dumps(message), encoding="utf-8")
        unfinished_file.replace(self.folder / SAID)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)

    def refuse(self, sentence: str) -> NoReturn:
        """End the process, with a sentence that follows the line of the program which is being run."""
        frames = frames_of(self.home, sys._getframe(1))
        place = next((place for frame in frames if (place := place_in(frame, self.program))), "")
        self.end(kind="failure", sentence=f"{place}: {sentence}" if place else sentence)

    @property
    def home(self) -> str:
        """The folder of the program."""
        return os.path.realpath(self.program.parent)

    def names(self, number: Callable[[Any], int | None]) -> dict[int, str]:
        """Return names for the model's variables, from the functions of the program that are being called."""
        return names_in(self.home, self.namespaces(), number)

    def namespaces(self) -> list[Mapping[str, Any]]:
        """Return the names of the program's functions that are being called, the innermost first."""
        called = [frame.f_locals for frame in frames_of(self.home, sys._getframe(1))]
        return [*called, self.held]


class Hooks(importlib.abc.MetaPathFinder):
    """Replaces functions of modules as soon as the program imports these."""

    def __init__(self, hooks: dict[str, Callable[[ModuleType], None]]) -> None:
        """Take, for each module, the function that replaces functions in it."""
        self._hooks = hooks

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        """Find a module that has a hook in the usual way; when its code has run, its loader calls the hook.

        The result is None for all other modules.

        A hook is taken out of the table first, so that `importlib.util.find_spec` below finds the module without this
        finder. name: of the module. path, target: as Python gives them, and not used.
        """
        hook = self._hooks.pop(name, None)
        if hook is None:
            return None
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return None
        execute = spec.loader.exec_module

        def execute_and_hook(module: ModuleType) -> None:
            """Run the module's code, then call the hook."""
            execute(module)
            hook(module)

        spec.loader.exec_module = execute_and_hook  # type: ignore[method-assign]
        return spec


def hooks(reach: Reach) -> dict[str, Callable[[ModuleType], None]]:
    """Return, for each module with functions that solve, the function that replaces these in it.

    That function is called once the program has imported the module. Each function in the place of one that solves
    writes the model and ends the process, if it is the call that is asked for; see `Reach.hook`.
    """

    def hook_ortools(module: ModuleType) -> None:
        """Replace the methods of CpSolver that solve, and note the lines of the program that add constraints."""

        def write(solver: Any, model: Any, *_: Any, **__: Any) -> str:
            """Write the model that a solver is given."""
            return write_ortools(reach, model, solver.parameters.fix_variables_to_their_hinted_value)

        for name in ("solve", "Solve", "SolveWithSolutionCallback", "SearchForAllSolutions"):
            if hasattr(module.CpSolver, name):
                setattr(module.CpSolver, name, reach.hook(getattr(module.CpSolver, name), write))
        reach.lines = reach.until_end.enter_context(note_lines(str(reach.program)))

    def hook_cpmpy(module: ModuleType) -> None:
        """Replace the methods of CPMpy's models that solve."""

        def write(model: Any, *_: Any, **named: Any) -> str:
            """Write the model whose method is called."""
            refuse_fixed_hints(reach, named)
            return write_cpmpy(reach, model, named.get("assumptions"))

        for name in ("solve", "solveAll"):
            solve = getattr(module.Model, name)
            setattr(module.Model, name, reach.hook(solve, write))

    def hook_cpmpy_solvers(module: ModuleType) -> None:
        """Replace the methods of CPMpy's solvers, which take constraints without a model."""
        for _, solver in module.SolverLookup.base_solvers():
            record_cpmpy(reach, solver)

    def hook_pysat(module: ModuleType) -> None:
        """Replace the methods of PySAT's solvers."""
        for solver in solver_classes(module):
            record_solver(reach, solver)

    def hook_engines(module: ModuleType) -> None:
        """Record the constraints of PySAT's engines, which watch a solver."""
        record_engine(module.BooleanEngine)

    def hook_pycsp3(module: ModuleType) -> None:
        """Replace the function of PyCSP3 that solves."""
        module.solve = reach.hook(module.solve, lambda *_, **__: write_pycsp3(reach))  # type: ignore[attr-defined]

    return {
        ORTOOLS: hook_ortools,
        CPMPY: hook_cpmpy,
        CPMPY_SOLVERS: hook_cpmpy_solvers,
        PYSAT: hook_pysat,
        PYSAT_ENGINES: hook_engines,
        PYCSP3: hook_pycsp3,
    }


def write_ortools(reach: Reach, model: Any, has_fixed_hints: bool = False) -> str:
    """Write a model of OR-Tools as text, with the names of its variables; return its kind, "ortools".

    A variable is called as the program's own variables, lists and dictionaries call it, such as rows[0]; the names that
    the author gave, and the lines that add constraints, go into files beside the model. A program that solves a copy of
    its model has names for the variables of the original: these are taken if none is for the copy.

    reach: the run of the program, to whose folder files are written. has_fixed_hints: whether the solver's parameters
    fix the variables that have a hint to its value; then constraints do.
    """
    from ortools.sat.python.cp_model import IntVar

    size = len(model.proto.variables)

    def index_in_model(value: Any) -> int | None:
        """Return the index of a variable of this model; None for other values."""
        is_variable = isinstance(value, IntVar) and 0 <= value.index < size
        return value.index if is_variable and value.model_proto is model.proto else None

    def index_in_any_model(value: Any) -> int | None:
        """Return the index of a variable of any model, such as one of which this is a copy; None for other values."""
        return value.index if isinstance(value, IntVar) and 0 <= value.index < size else None

    copy = model.clone()
    authored_names = [variable.name for variable in copy.proto.variables]
    (reach.folder / AUTHORED).write_text(json.dumps(authored_names), encoding="utf-8")
    for place, name in (reach.names(index_in_model) or reach.names(index_in_any_model)).items():
        copy.proto.variables[place].name = name
    if has_fixed_hints:
        hint = copy.proto.solution_hint
        for place, value in zip(list(hint.vars), list(hint.values), strict=True):
            copy.add(copy.get_int_var_from_proto_index(place) == value)
    lines = [(place, line) for place, (line, _) in reach.lines(model).items()]
    (reach.folder / LINES).write_text(json.dumps(lines), encoding="utf-8")
    (reach.folder / "model.pbtxt").write_text(str(copy.proto), encoding="utf-8")
    return "ortools"


def write_cpmpy(reach: Reach, model: Any, assumptions: Any = None) -> str:
    """Write a model of CPMpy, with the names of its variables; return its kind, "cpmpy".

    A variable that CPMpy has numbered gets the name by which the program's own variables, lists and dictionaries call
    it; one that the author has named keeps its name. The names of constraints go into a file beside the model.

    reach: the run of the program, to whose folder files are written. assumptions: constraints that are assumed in the
    call that solves; they become constraints of a copy.
    """
    from cpmpy.expressions.variables import NegBoolView, _NumVarImpl
    from cpmpy.transformations.get_variables import get_variables_model

    if assumptions is not None:
        model = model.copy()
        model += list(assumptions)
    variables = get_variables_model(model)
    place_by_variable = {id(variable): place for place, variable in enumerate(variables)}

    def place_in_model(value: Any) -> int | None:
        """Return the place of a variable of the model; None for other values."""
        if isinstance(value, _NumVarImpl) and not isinstance(value, NegBoolView):
            return place_by_variable.get(id(value))
        return None

    from solvers.extras.bridges.cpmpy.model import UNNAMED

    names_in_use = {variable.name for variable in variables}
    for place, name in reach.names(place_in_model).items():
        if UNNAMED.fullmatch(variables[place].name) and name not in names_in_use:
            variables[place].name = name
    model.to_file(str(reach.folder / "model.pickle"))
    (reach.folder / CONSTRAINTS).write_text(json.dumps(constraints_named(reach, model)), encoding="utf-8")
    return "cpmpy"


def refuse_fixed_hints(reach: Reach, parameters: Mapping[str, Any]) -> None:
    """End the process if parameters of OR-Tools, given to CPMpy, fix variables to values that CPMpy keeps to itself."""
    if parameters.get("fix_variables_to_their_hinted_value"):
        reach.refuse("fix_variables_to_their_hinted_value changes the solutions; add the values as constraints instead")


def constraints_named(reach: Reach, model: Any) -> dict[str, list[int]]:
    """Return, by name, the places in a model of CPMpy of the constraints to which the program gives this name.

    The name is that of a Python variable of the program whose value is a constraint, or a list of constraints, of the
    model. The innermost function's name counts. reach: the run of the program, which returns its namespaces.
    """
    from cpmpy.expressions.core import Expression
    from cpmpy.expressions.utils import flatlist

    place_by_identity = {id(constraint): place for place, constraint in enumerate(flatlist(model.constraints))}
    places_by_name: dict[str, list[int]] = {}
    for namespace in reach.namespaces():
        for name, value in namespace.items():
            if isinstance(value, Expression | list | tuple):
                places_found = [place_by_identity.get(id(constraint)) for constraint in flatlist([value])]
                if places_found and None not in places_found:
                    places_by_name.setdefault(name, [place for place in places_found if place is not None])
    return places_by_name


def _model_record(this: Any) -> Any:
    """Return the model in which a solver records what is added; it begins empty."""
    if "_recorded" not in vars(this):
        this._recorded = sys.modules[CPMPY].Model()
        this._is_adding = False
    return this._recorded


def _add_with_record(add: Callable[..., Any]) -> Callable[..., Any]:
    """Return the method in place of one that adds constraints to a CPMpy solver, which also records them in a model.

    A call within another one, such as that of add in +=, is not recorded again. add: the method.
    """

    @wraps(add)
    def record_call(this: Any, *arguments: Any, **named: Any) -> Any:
        """Add constraints, the first argument, and record them unless a call around this one does."""
        model = _model_record(this)
        if this._is_adding:
            return add(this, *arguments, **named)
        this._is_adding = True
        try:
            model.__add__(arguments[0])
            return add(this, *arguments, **named)
        finally:
            this._is_adding = False

    return record_call


def _objective_with_record(set_objective: Callable[..., Any]) -> Callable[..., Any]:
    """Return the method in place of the one that sets the objective, which also records it in a model.

    set_objective: the method of a solver class of CPMpy.
    """

    @wraps(set_objective)
    def record_objective(this: Any, expression: Any, minimize: bool = True) -> Any:
        """Set the objective, and record it."""
        model = _model_record(this)
        if minimize:
            model.minimize(expression)
        else:
            model.maximize(expression)
        return set_objective(this, expression, minimize)

    return record_objective


def record_cpmpy(reach: Reach, solver: Any) -> None:
    """Replace methods of a class of solvers of CPMpy: those that add record what they add, those that solve write it.

    What is added is recorded in a model of CPMpy that is an attribute of each solver; `Reach.hook` makes the methods in
    place of those that solve. Only methods that the class defines itself are replaced.

    reach: the run of the program, which ends when the model has been written. solver: the class.
    """
    for name in ("add", "__add__", "__iadd__"):
        if name in vars(solver):
            setattr(solver, name, _add_with_record(vars(solver)[name]))
    if "objective" in vars(solver):
        solver.objective = _objective_with_record(vars(solver)["objective"])

    def writing(solve: Callable[..., Any]) -> Callable[..., str]:
        """Return the function that writes what a solver has recorded; solve: the method whose arguments it takes."""

        def write(this: Any, *given: Any, **named: Any) -> str:
            """Write what this solver has recorded, with the assumptions of the call; return the kind of the model.

            Some solvers have a parameter ``assumptions``, others take it within ``**kwargs``. Parameters that fix
            variables to their hints end the process, see `refuse_fixed_hints`. this: the solver. given, named: the
            arguments of the call.
            """
            arguments = signature(solve).bind(this, *given, **named).arguments
            refuse_fixed_hints(reach, named)
            assumptions = arguments.get("assumptions", arguments.get("kwargs", {}).get("assumptions"))
            return write_cpmpy(reach, _model_record(this), assumptions)

        return write

    for name in ("solve", "solveAll"):
        if name in vars(solver):
            solve = vars(solver)[name]
            setattr(solver, name, reach.hook(solve, writing(solve)))


def write_pycsp3(reach: Reach) -> str:
    """Write what a program has posted with PyCSP3, by PyCSP3's compiler to XCSP3; return its kind."""
    if not sys.modules[PYCSP3_DECLARED].VarEntities.items:
        reach.refuse("it solves a model of PyCSP3 without variables")
    sys.modules[PYCSP3].compile(str(reach.folder / "model.xml"), verbose=-1)
    return "pycsp3"


def write_held(reach: Reach) -> str | None:
    """Write the model that a program has left in its global names at its end; return its kind, None if there is none.

    Of several, the one with the name of the file, or called model, is taken; without such a one, the process ends with
    a failure. CPMpy comes first, then OR-Tools. What is posted with PyCSP3 is one model, without a name.
    """
    kinds: tuple[tuple[str, str, Callable[[Reach, Any], str]], ...] = (
        (CPMPY, "Model", write_cpmpy),
        (ORTOOLS, "CpModel", write_ortools),
    )
    for module, class_name, write in kinds:
        if module not in sys.modules:
            continue
        model_class = getattr(sys.modules[module], class_name)
        model_by_name = {name: value for name, value in reach.held.items() if isinstance(value, model_class)}
        if len({id(model) for model in model_by_name.values()}) > 1:
            wanted = (reach.program.stem.replace("-", "_"), "model")
            names = ", ".join(model_by_name)
            model_by_name = {name: model for name, model in model_by_name.items() if name in wanted}
            if not model_by_name:
                reach.end(kind="failure", sentence=f"it leaves several models ({names}); call one of them model")
        if model_by_name:
            return write(reach, next(iter(model_by_name.values())))
    if PYCSP3 in sys.modules and sys.modules[PYCSP3_DECLARED].VarEntities.items:
        return write_pycsp3(reach)
    return None


def main(folder: str, count: str, program: str, *arguments: str) -> None:
    """Run the program; at the call that solves which is asked for, it writes its model and ends the process.

    If it ends without solving, a model that it leaves in its names is written. A thread writes where the program is.

    folder: takes the model. count: the number of the call, from 1. program, arguments: the program's path, and the
    words of its command line.
    """
    path = Path(program)
    reach = Reach(Path(folder), int(count), path)
    os.dup2(2, 1)  # what the program prints goes to standard error
    sys.argv = [program, *arguments]
    sys.path[0] = str(path.parent.resolve())
    sys.meta_path.insert(0, Hooks(hooks(reach)))
    program_globals: dict[str, Any] = {"__name__": "__main__", "__builtins__": __builtins__}
    program_globals |= NotebookNames.values_by_name() if ending(path) == ".ipynb" else {"__file__": str(path.resolve())}
    module = ModuleType("__main__")
    module.__dict__.update(program_globals)
    sys.modules["__main__"] = module
    threading.Thread(target=note_places, args=(reach,), daemon=True).start()
    try:
        for _, code in program_parts(path):
            # A cell of a notebook may await something.
            if iscoroutine(result := eval(code, module.__dict__)):
                asyncio.run(result)
    except SystemExit as exit_error:
        if exit_error.code not in (None, 0):
            reach.end(kind="failure", sentence=exit_sentence(exit_error.code, arguments))
    except BaseException as error:
        reach.end(kind="failure", sentence=error_sentence(error, path))
    if calls_made := int(count) - reach.left:
        times = "once" if calls_made == 1 else f"{calls_made} times"
        reach.end(kind="failure", sentence=f"it calls a solver {times}; there is no call {count}")
    reach.held = module.__dict__
    reach.end(kind=write_held(reach) or "nothing")


class NotebookNames:
    """The names that IPython defines for the cells of a notebook, without their effects."""

    def __getattr__(self, name: str) -> Callable[..., None]:
        """Return a function that does nothing, for any method of IPython's shell."""
        return self.do_nothing

    @staticmethod
    def do_nothing(*_: Any, **__: Any) -> None:
        """Do nothing."""

    @classmethod
    def values_by_name(cls) -> dict[str, Any]:
        """Return the names that are there without an import."""
        return {"display": cls.do_nothing, "get_ipython": cls}


def note_places(reach: Reach) -> None:
    """Write, again and again, the place in the program that is being run, for the process that waits for it.

    A place is a line, and the cell of a notebook. The main thread runs the program; `frames_of` yields the frames of
    functions that are in the program's folder, the innermost first.
    """
    main_thread = threading.main_thread().ident
    last_place = ""
    while True:
        frames = frames_of(reach.home, sys._current_frames().get(main_thread or 0))
        place = next((place for frame in frames if (place := place_in(frame, reach.program))), "")
        if place and place != last_place:
            unfinished_file = reach.folder / f"{PLACE}.part"
            unfinished_file.write_text(place, encoding="utf-8")
            unfinished_file.replace(reach.folder / PLACE)
            last_place = place
        time.sleep(PLACE_SECONDS)


def place_in(frame: FrameType, program: Path) -> str:
    """Return the line of a program, and the cell of a notebook, at which a function is; "" if it is elsewhere."""
    return place_at(frame.f_code.co_filename, frame.f_lineno, program)


def place_at(file: str, line: int | None, program: Path) -> str:
    """Return a line in words, with the cell of a notebook; "" if the file is not the program."""
    program_path = str(program.resolve())
    if file != program_path and not file.startswith(f"{program_path}, cell"):
        return ""
    return f"{file[len(program_path) :].lstrip(', ')} line {line}".strip()


def exit_sentence(code: object, arguments: Sequence[str]) -> str:
    """Return a sentence about a program that exits with a code, or a message, before it solves a model.

    arguments: the words of its command line; if there are none, a hint says how to give some.
    """
    if not isinstance(code, int):
        return f"it exits before it solves a model, and says: {' '.join(str(code).split())}"
    hint = "; words for the program come after --" if code == ARGPARSE_CODE and not arguments else ""
    return f"it ends with exit code {code} before it solves a model{hint}"


def error_sentence(error: BaseException, path: Path) -> str:
    """Return an error in one sentence, with the line of the program that it comes from.

    error: what the program raised; that of a syntax error is where the error is. path: the program.
    """
    trace = traceback.extract_tb(error.__traceback__)
    places = [place for frame in trace if (place := place_at(frame.filename, frame.lineno, path))]
    sentence = " ".join(str(error).split())
    if isinstance(error, SyntaxError) and error.filename and error.lineno is not None:
        places = [place_at(error.filename, error.lineno, path) or f"line {error.lineno} of {error.filename}"]
        sentence = error.msg
    if isinstance(error, ValueError) and not places:  # of a notebook that cannot be read
        return sentence
    where = f"{places[-1]}: " if places else ""
    return f"{where}{type(error).__name__}{sentence and ': '}{sentence}"


if __name__ == "__main__":
    main(*sys.argv[1:])
