"""Figures of a sweep, as the program draws them."""

import os
import pathlib
import subprocess
import tempfile


class Figure:
    """A figure of a sweep: a notebook shows it.

    name   as the spec, or "sweep plot --list", has it
    pages  the text of each page, SVG
    """

    def __init__(self, name, pages):
        self.name = name
        self.pages = pages

    def _repr_html_(self):
        return "\n".join(self.pages)


def drawn(directory, name, options):
    """Returns a figure of the results in a directory."""
    from .programs import SweepError, program  # which need results
    with tempfile.TemporaryDirectory() as into:
        command = [program(), "plot", os.fspath(directory), "--figure", name, "-o", into, *options]
        ended = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
        if ended.returncode != 0:
            raise SweepError(ended.stderr.strip(), ended.returncode)
        pages = [pathlib.Path(path).read_text(encoding="utf-8") for path in ended.stdout.splitlines()]
    return Figure(name, [page[page.index("<svg"):] for page in pages])
