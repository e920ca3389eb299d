"""Debian's Chromium, driven by Playwright."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

import pytest
from playwright.sync_api import Browser, Locator, sync_playwright

CHROMIUM = shutil.which("chromium")
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]


@contextmanager
def launched() -> Iterator[Browser]:
    """A browser without a window; the test is skipped where there is none, but not where everything has to be there."""
    if CHROMIUM is None:
        assert "CI" not in os.environ, "there is no chromium, but nothing is to be skipped here"
        pytest.skip("there is no chromium (Debian's package of that name)")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=[*QUIET, "--disable-sync"])
        yield started
        started.close()


def are_hit(places: Locator) -> list[bool]:
    """Of each place, whether a click on its middle meets it, and nothing that lies above it."""
    return cast(
        list[bool],
        places.evaluate_all(
            """all => all.map(place => {
                place.scrollIntoView({block: "center"});
                const box = place.getBoundingClientRect();
                return place.contains(document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2));
            })"""
        ),
    )
