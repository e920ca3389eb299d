"""The pictures of a result in a cell of a notebook, with their filter.

The program that runs in the browser (`gallery.js` of the page, and `widget.js`) asks for pictures as it needs them, so
a view that is opened later gets all of them, too.
"""

from __future__ import annotations

import sys
import threading
import weakref
from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import Any

import anywidget
import traitlets

from solvers.base.errors import InputError
from solvers.extras.pictures.appearance import TURNS, Turn
from solvers.extras.pictures.gallery import LOOKS, MAX_PICTURES, Pictures, picture_turns
from solvers.extras.pictures.page import source
from solvers.running.question import Question
from solvers.symmetry.key import Encoded

PICTURES_PER_REQUEST = 500
"""The most pictures that are drawn for one request of the browser."""

WIDGET = "application/vnd.jupyter.widget-view+json"


def _file_text(name: str) -> str:
    """Return the text of the file with this name in the folder of this module."""
    return files("solvers.extras.notebook").joinpath(name).read_text(encoding="utf-8")


class Gallery(anywidget.AnyWidget):
    """A widget with pictures of solutions, and a filter once all are found."""

    _esm = f"{source('solid.js')}\n{source('gallery.js')}\n{_file_text('widget.js')}"
    _css = f"{source('gallery.css')}\n{_file_text('widget.css')}"
    _state = traitlets.Dict().tag(sync=True)
    """The content to show; a new generation of pictures replaces the previous one."""

    def __init__(self, still: Callable[[], str]) -> None:
        """Begin without solutions.

        still: returns the HTML that is shown where there is no kernel, as on a page to which the notebook was exported.
        """
        super().__init__()
        self._still = still
        self._lock = threading.RLock()
        self._question: Question | None = None
        self._turns: list[Turn] = TURNS[:1]
        self._pictures = Pictures()
        self._encoded: Sequence[Encoded] = ()
        """The solutions that are shown, by the numbers of their literals."""
        self._state = {"generation": 0, "available": 0, "whole": False, "order": 1, "turns": TURNS[:1], "looks": LOOKS}
        self.on_msg(self._handle)

    def _show(self, question: Question | None, encoded: Sequence[Encoded], is_complete: bool, **more: Any) -> None:
        """Show these solutions in place of the previous ones.

        The browser gets a new generation number, by which it asks for the pictures. question: the question of the run;
        None if it is not known yet. encoded: the solutions, by the numbers of their literals. is_complete: whether
        these are all solutions; if not, others may be added. more: further entries of the state that the browser gets.
        Raises `InputError` if the puzzle draws something that cannot be shown.
        """
        # Controls that turn pictures are offered if turns are the symmetries of the puzzle.
        turns = picture_turns(question, list(encoded)) if question and is_complete else TURNS[:1]
        with self._lock:
            self._question = question
            self._encoded = encoded
            self._turns = turns
            self._pictures = Pictures()
            state = {
                "generation": self._state["generation"] + 1,
                "available": min(len(encoded), MAX_PICTURES),
                "whole": is_complete,
                "order": question.group.order if question else 1,
                "turns": turns,
            }
            self._state = {**self._state, **state, **more}

    def _follow_cells(self, puzzle: object) -> None:
        """Let an interrupt of a cell end the search, and mark this widget if a cell declares its puzzle anew.

        puzzle: the puzzle, or the function that declares it; the variables of the notebook that hold it are followed.
        """
        shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
        if shell is None:
            return
        # A weak reference, so that a widget that is no longer used can be deleted.
        widget = weakref.ref(self)
        variables = getattr(shell, "user_ns", {})
        names = [name for name, value in variables.items() if value is puzzle and not name.startswith("_")]

        def follow(result: Any) -> None:
            """Look at a cell that has run: stop the search if it was interrupted, and mark the widget if need be."""
            if (living_widget := widget()) is None:
                return
            if isinstance(result.error_in_exec, KeyboardInterrupt):
                living_widget.stop()
            changed_names = [name for name in names if not _is_same(variables.get(name), puzzle)]
            notice = (
                f"{changed_names[0]} was declared anew. Run the cell of this widget again to use it."
                if changed_names
                else ""
            )
            if notice != living_widget._state.get("replaced", ""):
                living_widget._state = {**living_widget._state, "replaced": notice}

        shell.events.register("post_run_cell", follow)

    def stop(self) -> None:
        """End the search of the widget, if it has one."""

    def _handle(self, widget: Any, content: Any, buffers: Any) -> None:
        """Answer a message of the program in the browser, which asks for pictures.

        content: the message: its kind, the generation, and "held", the lengths of the lists that the browser has.
        widget, buffers: as ipywidgets passes them.
        """
        if content.get("kind") == "pictures":
            self._send_pictures(content["generation"], content["held"])

    def _send_pictures(self, generation: int, counts: dict[str, int]) -> None:
        """Draw the next pictures, at most `PICTURES_PER_REQUEST`, and send what the browser does not have yet.

        generation: the number of the request's generation; an old one is ignored. counts: how many entries of each list
        the browser has, by the name of the list.
        """
        with self._lock:
            if generation != self._state["generation"] or self._question is None:
                return
            solutions = self._pictures.solutions
            try:
                while len(solutions) < min(self._state["available"], counts["solutions"] + PICTURES_PER_REQUEST):
                    self._pictures.add(self._question, self._encoded[len(solutions)])
            except InputError as error:
                self._state = {**self._state, "error": str(error), "available": len(solutions)}
            new_entries = self._pictures.new_entries(counts)
        self.send({"kind": "pictures", "generation": generation, "held": counts, "new": new_entries})

    def _repr_mimebundle_(self, **arguments: Any) -> Any:
        """Return the widget and, for notebooks that are only rendered, a picture, as Jupyter shows them.

        arguments: passed on to anywidget, which returns a dictionary by MIME type, or a pair of it and metadata.
        """
        bundle = super()._repr_mimebundle_(**arguments)
        content, metadata = bundle if isinstance(bundle, tuple) else (bundle or {}, {})
        return {**content, "text/html": self._still()}, metadata


def gallery_of(question: Question | None, solutions: Sequence[Encoded], placeholder: Callable[[], str]) -> Gallery:
    """Return the gallery of a complete result.

    question: the question of the run, or None if the run was not prepared. solutions: the solutions, by the numbers of
    their literals. placeholder: returns the HTML that is shown where widgets cannot be shown.
    """
    gallery = Gallery(placeholder)
    gallery._show(question, solutions, is_complete=True)
    if question:
        gallery._follow_cells(question.puzzle)
    return gallery


def _is_same(now: object, before: object) -> bool:
    """Tell whether a variable still holds the same puzzle, or a function with the same code."""
    code = getattr(before, "__code__", None)
    return now is before or (code is not None and getattr(now, "__code__", None) == code)
