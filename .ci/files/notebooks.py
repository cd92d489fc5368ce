#!/usr/bin/env python3
"""Executes the notebooks, and the Python of docs/notebooks.md.

usage: notebooks.py [--update]

It needs sweep in the PATH and, in this Python, nbclient, ipykernel, pandas,
polars, duckdb, pyarrow, matplotlib, seaborn and xarray. The texts that cells
print must be those that are committed; pictures are not compared, as another
matplotlib draws other bytes. --update writes what came out.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import nbformat
from nbclient import NotebookClient

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LIMIT = 200_000  # bytes of a notebook


def texts(notebook):
    """What the cells print: streams and text/plain, without object addresses."""
    return [[re.sub(r" at 0x[0-9a-f]+", "", o.get("text") or o.get("data", {}).get("text/plain", "")) for o in c.get("outputs", [])]
            for c in notebook.cells]


def main():
    stale = []
    with tempfile.TemporaryDirectory() as work:
        shutil.copytree(ROOT / "examples", f"{work}/examples")
        inside = pathlib.Path(work, "notebooks")
        inside.mkdir()
        for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
            notebook = nbformat.read(path, 4)
            before = texts(notebook)
            NotebookClient(notebook, timeout=1800, startup_timeout=600, kernel_name="python3", resources={"metadata": {"path": str(inside)}}).execute()
            for cell in notebook.cells:
                cell.metadata.clear()  # when it was executed
            if "--update" in sys.argv:
                nbformat.write(notebook, path)
            elif texts(notebook) != before:
                stale.append(path.name)
            if path.stat().st_size > LIMIT:
                sys.exit(f"notebooks: {path.name} has {path.stat().st_size} bytes")
        page = (ROOT / "docs" / "notebooks.md").read_text()
        for command in re.findall(r"^    (sweep .*)$", page, re.M):
            subprocess.run(command, shell=True, check=True, cwd=inside)
        blocks = re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)
        subprocess.run([sys.executable, "-c", "import matplotlib; matplotlib.use('agg')\n" + "\n".join(blocks)], check=True, cwd=inside)
    if stale:
        sys.exit(f"notebooks: {', '.join(stale)} print something else than is committed: .ci/files/notebooks.py --update")
    print("notebooks: all is well")


main()
