"""The frame of every page: it needs no network and nothing beside it."""

import re
from importlib.resources import files

from solvers.extras.pages import svg


def source(name: str) -> str:
    """A file that the page is made of."""
    return files("solvers.extras.pages").joinpath(name).read_text(encoding="utf-8")


def html(title: str, author: str, about: str, main: str, data: str = "", start: str = "") -> str:
    """A page that looks like all others; about, main: HTML; start: what its program does first."""
    fields = {
        "title": svg.text(title),
        "author": author and f"<p>{svg.text(author)}</p>",
        **{"about": about, "main": main, "data": data, "start": start},
        "style": source("gallery.css"),
        "script": source("solid.js") + source("gallery.js"),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda match: fields[match[1]], source("gallery.html"))
