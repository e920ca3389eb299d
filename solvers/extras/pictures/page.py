"""The frame of every page: it needs no network and nothing beside it."""

import re
from importlib.resources import files

from solvers.extras.pictures import svg


def source(name: str) -> str:
    """Return the text of the file with this name from which pages are made, such as "gallery.css"."""
    return files("solvers.extras.pictures").joinpath(name).read_text(encoding="utf-8")


def html(title: str, author: str, about: str, main: str, after: str = "", data: str = "", start: str = "") -> str:
    """Return a page as HTML, with the style of all pages: gallery.html, with a part in place of each {{name}}.

    title, author: the heading and the name below it, as text. about, main, after: HTML of its parts. data: HTML with
    the data of its program. start: the first lines of the program.
    """
    fields = {
        "title": svg.text(title),
        "author": author and f"<p>{svg.text(author)}</p>",
        **{"about": about, "main": main, "after": after, "data": data, "start": start},
        "style": source("gallery.css"),
        "script": source("solid.js") + source("gallery.js"),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda match: fields[match[1]], source("gallery.html"))
