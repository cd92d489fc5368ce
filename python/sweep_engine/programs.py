"""Runs the program sweep."""

import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sysconfig
import tempfile

from .results import load

COMPLETE, SOME_FAILED = 0, 1  # exit codes


class SweepError(Exception):
    """sweep could not do what it was asked to; the text is its own message."""

    def __init__(self, message, code):
        super().__init__(message)
        self.code = code  # by sysexits: 64 usage, 65 data, 70 internal, 74 input or output, 75 interrupted


class FailedRuns(SweepError):
    """The sweep has ended, and some of its runs failed.

    results holds all runs, errors the texts of those that failed, with the
    traceback of each.
    """

    def __init__(self, results):
        self.results = results
        self.errors = [row["error"] for row in results.rows("runs") if row["status"] == "failed"]
        super().__init__(f"{len(self.errors)} runs failed, the first of them:\n{self.errors[0]}", SOME_FAILED)


def program():
    """Returns the path of the program: that of this environment, or that in PATH."""
    name = "sweep.exe" if os.name == "nt" else "sweep"
    own = os.path.join(sysconfig.get_path("scripts"), name)
    path = own if os.path.exists(own) else shutil.which(name)
    if path is None:
        raise SweepError("the program sweep is neither in this environment nor in PATH", 69)
    return path


def run(spec, output=None, *options, frames="pandas"):
    """Runs a sweep and returns its results, as load does.

    spec is the path of a spec, the name of a shipped one, or a dictionary that
    holds what a spec in the working directory would. output is the directory of the results, by default
    out/NAME; options are those of "sweep run", such as "--workers", "4".

    Raises FailedRuns if runs failed, and SweepError for anything else.
    """
    if isinstance(spec, dict):
        if "name" not in spec:
            raise ValueError('the spec has no "name", want one: it names the directory of the results')
        output = output or os.path.join("out", spec["name"])
        with written(spec) as path:
            ended = run_program(path, output, options)
    else:
        output = output or os.path.join("out", pathlib.Path(spec).stem)
        ended = run_program(spec, output, options)
    if ended.returncode not in (COMPLETE, SOME_FAILED):
        raise SweepError(ended.stderr.strip(), ended.returncode)
    results = load(output, frames)
    if ended.returncode == SOME_FAILED:
        raise FailedRuns(results)
    return results


def run_program(spec, output, options):
    command = [program(), "run", os.fspath(spec), "-o", os.fspath(output), "--quiet", *options]
    return subprocess.run(command, stderr=subprocess.PIPE, text=True)


@contextlib.contextmanager
def written(spec):
    """Writes a dictionary into a file here, where the files that it names begin, for as long as it is needed."""
    handle, path = tempfile.mkstemp(".toml", spec["name"] + "-", ".")
    try:
        with open(handle, "w", encoding="utf-8") as file:
            file.write(toml(spec))
        yield path
    finally:
        os.remove(path)


def toml(spec):
    """Writes a dictionary as TOML: first its values, then its tables."""
    lines = [f"{key(k)} = {value(v)}" for k, v in spec.items() if not is_table(v)]
    for name, table in spec.items():
        if isinstance(table, dict):
            lines += ["", f"[{key(name)}]", *entries(table)]
        elif is_table(table):
            for element in table:
                lines += ["", f"[[{key(name)}]]", *entries(element)]
    return "\n".join(lines) + "\n"


def is_table(v):
    return isinstance(v, dict) or isinstance(v, list) and bool(v) and all(isinstance(e, dict) for e in v)


def entries(table):
    return [f"{key(k)} = {value(v)}" for k, v in table.items()]


def key(name):
    return json.dumps(name, ensure_ascii=False)


def value(v):
    if isinstance(v, dict):
        return "{ " + ", ".join(entries(v)) + " }"
    if isinstance(v, (list, tuple)):
        return "[" + ", ".join(value(e) for e in v) + "]"
    if hasattr(v, "tolist"):
        return value(v.tolist())
    if isinstance(v, (str, bool, int, float)):
        return json.dumps(v, ensure_ascii=False)
    raise TypeError(f"{v!r} has no form in a spec, want texts, numbers, lists and dictionaries")
