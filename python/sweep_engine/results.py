"""Reads the results of a sweep as data frames."""

import functools
import importlib
import json
import pathlib

from . import figures


def load(directory, frames="pandas", constants=False):
    """Returns the results in a directory, as data frames of "pandas" or "polars".

    Parameters that have one value in the whole sweep are no columns of its runs
    unless constants is true.
    """
    return Results(directory, frames, constants)


# What has to be installed for pandas frames, polars frames and cubes.
MODULES = {"pandas": "pandas pyarrow", "polars": "polars", "xarray": "pandas pyarrow xarray"}


def library(name):
    """Imports what reads or holds results, or says how to install it."""
    try:
        if name == "pandas":
            importlib.import_module("pyarrow.parquet")
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f'{error.name} is not installed, and results as data frames need it: '
            f'pip install {MODULES[name]}; load(…, frames="polars") needs polars alone', name=error.name) from None


class Results:
    """What a sweep has found.

    runs     a row for each run: parameters that vary, seed, status, metrics
    constants
             the parameters that do not vary, and their values
    series   a row for each run and step of its series; None without a series
    summary  a row for each cell and metric: n, mean, std, limits
    timings  a row for each run: attempts, seconds, and of a program's run its processor
             time, peak of memory, start and host; read when it is first asked for
    axes     names of the parameters that vary
    units, symbols, meanings
             of the columns of runs and series, by name, where there are any
    """

    def __init__(self, directory, frames="pandas", constants=False):
        if frames not in ("pandas", "polars"):
            raise ValueError(f'frames is {frames!r}, want "pandas" or "polars"')
        self.directory = pathlib.Path(directory)
        self.frames = frames
        library(frames)
        self._must_exist(self._path("runs"))
        metadata = self._metadata("runs")
        self.axes = json.loads(metadata["sweep.axes"])
        described = json.loads(metadata["sweep.columns"])
        fixed = [c["name"] for c in described if c["role"] == "parameter" and c["name"] not in self.axes]
        left_out = [] if constants else fixed
        self.runs = self._frame("runs", [c["name"] for c in described if c["name"] not in left_out])
        self.series = self._frame("series")
        self.summary = self._frame("summary")
        self._fixed = fixed
        if self.series is not None:
            described += json.loads(self._metadata("series")["sweep.columns"])
        self.units, self.symbols, self.meanings = (
            {column["name"]: column[what] for column in described if column.get(what)}
            for what in ("unit", "symbol", "meaning"))

    @functools.cached_property
    def timings(self):
        return self._frame("timings")

    @functools.cached_property
    def constants(self):
        frame = self._frame("runs", self._fixed)
        columns = ((name, frame[name]) for name in self._fixed)
        if self.frames == "pandas":
            return {name: next(iter(column.dropna()), None) for name, column in columns}
        return {name: next(iter(column.drop_nulls()), None) for name, column in columns}

    def cube(self, metric=None):
        """Returns metrics over the axes and seeds as an xarray.Dataset, or one as a DataArray.

        Cells that have no run are NaN. Coordinates and variables carry their
        units and meanings as attributes.
        """
        library("xarray")
        pandas = library("pandas")
        runs = self.runs if self.frames == "pandas" else self.runs.to_pandas()
        ended = runs[runs["status"] == "ok"]
        names = self._metrics() if metric is None else [metric]
        dataset = pandas.DataFrame(ended[[*self.axes, "seed", *names]]).set_index([*self.axes, "seed"]).to_xarray()
        for name in [*dataset.coords, *dataset.data_vars]:
            for what, texts in (("units", self.units), ("long_name", self.meanings)):
                if name in texts:
                    dataset[name].attrs[what] = texts[name]
        return dataset if metric is None else dataset[metric]

    def figure(self, name, *options):
        """Returns a figure of the spec, of the papers or of any sweep, which a notebook shows.

        options are those of "sweep plot", such as "--over", "world_seed".
        """
        return figures.drawn(self.directory, name, options)

    def rows(self, table):
        """Returns the rows of a table as dictionaries."""
        frame = getattr(self, table)
        return frame.to_dict("records") if self.frames == "pandas" else frame.to_dicts()

    def _metrics(self):
        described = json.loads(self._metadata("runs")["sweep.columns"])
        return [column["name"] for column in described if column["role"] == "metric"]

    def _path(self, table):
        return self.directory / f"{table}.parquet"

    def _frame(self, table, columns=None):
        path = self._path(table)
        if table == "series" and not path.exists():
            return None
        self._must_exist(path)
        return library(self.frames).read_parquet(path, columns=columns)

    def _must_exist(self, path):
        if not path.exists():
            raise FileNotFoundError(f"{path}: not there; has the sweep ended? \"sweep status {self.directory}\" tells")

    def _metadata(self, table):
        if self.frames == "polars":
            return library("polars").read_parquet_metadata(self._path(table))
        import pyarrow.parquet
        metadata = pyarrow.parquet.read_metadata(self._path(table)).metadata
        return {key.decode(): value.decode() for key, value in metadata.items()}
