#!/usr/bin/env python3
"""Reads the Parquet files of a sweep with other people's programs.

usage: readback.py DIR

Opens DIR/runs.parquet, series.parquet (if there), summary.parquet and timings.parquet with
pyarrow, DuckDB, polars and pandas, and checks that all of them see the
columns that the files' metadata describes, the same numbers of rows and
nulls, and the same values. Recomputes the means of the summary from the
runs. Exits with 1 at the first difference.
"""

import datetime
import json
import math
import os
import sys

import duckdb
import pandas
import polars
import pyarrow.parquet as pq

# How each program calls the kinds of columns. Texts of few values are
# dictionaries to those who heed the Arrow schema.
DICTIONARY = "dictionary<values=string, indices=int32, ordered=0>"
ARROW = {"bool": ["bool"], "int": ["int64"], "float": ["double"], "string": ["string", DICTIONARY],
         "time": ["timestamp[ms, tz=UTC]"]}
DUCKDB = {"bool": ["BOOLEAN"], "int": ["BIGINT"], "float": ["DOUBLE"], "string": ["VARCHAR"],
          "time": ["TIMESTAMP WITH TIME ZONE"]}
POLARS = {"bool": ["Boolean"], "int": ["Int64"], "float": ["Float64"], "string": ["String", "Categorical"],
          "time": ["Datetime"]}
FEW = {"experiment", "algorithm", "status", "metric", "unit", "host"}  # columns that are dictionaries


def check(condition, message):
    if not condition:
        sys.exit("readback: " + message)


def described(path):
    """The columns and other metadata that the file's footer describes."""
    metadata = {k.decode(): v.decode() for k, v in pq.read_metadata(path).metadata.items()}
    for key in ["sweep.format", "sweep.table", "sweep.spec", "sweep.experiment", "sweep.model_version",
                "sweep.axes", "sweep.spec_text", "sweep.digest"]:
        check(metadata.get(key), f"{path}: metadata {key} is missing")
    columns = json.loads(metadata["sweep.columns"])
    for c in columns:
        check(c["role"] and c["meaning"] and "unit" in c, f"{path}: column {c['name']} is not described")
    return columns, metadata


def same(a, b):
    """Equality of two cells; null is None or, in pandas, NaN."""
    null = lambda x: x is None or x is pandas.NA or x is pandas.NaT or isinstance(x, float) and math.isnan(x)
    return null(a) and null(b) or a == b


def read(path):
    """Reads one file with every program; returns its rows as dicts."""
    columns, metadata = described(path)
    names = [c["name"] for c in columns]
    kinds = [c["kind"] for c in columns]

    info = pq.read_metadata(path)
    check(info.created_by == "sweep version 1", f"{path}: created by {info.created_by}")
    wanted = "SNAPPY" if path.endswith("timings.parquet") else "ZSTD"
    for g in range(info.num_row_groups):
        for c in range(info.num_columns):
            codec = info.row_group(g).column(c).compression
            check(codec == wanted, f"{path}: column {names[c]} is compressed by {codec}")
            encodings = set(info.row_group(g).column(c).encodings)
            check(encodings <= {"PLAIN", "RLE"}, f"{path}: column {names[c]} is encoded by {encodings}")  # RLE: the nulls

    table = pq.read_table(path)
    check(table.column_names == names, f"{path}: pyarrow sees columns {table.column_names}, not {names}")
    for field, c in zip(table.schema, columns):
        check(str(field.type) in ARROW[c["kind"]], f"{path}: pyarrow sees {field.name} as {field.type}, not {c['kind']}")
        check(field.name not in FEW or str(field.type) == DICTIONARY, f"{path}: pyarrow sees {field.name} as {field.type}")
        about = {k.decode(): v.decode() for k, v in field.metadata.items()}
        want = {k: c[k] for k in ("meaning", "unit", "symbol", "default", "role") if c.get(k)}
        check(about == want, f"{path}: pyarrow sees {about} of {field.name}, not {want}")
    rows = table.to_pylist()

    db = duckdb.connect()
    seen = db.execute("describe select * from read_parquet(?)", [path]).fetchall()
    check(len(seen) == len(names), f"{path}: DuckDB sees {len(seen)} columns, not {len(names)}")
    for (got, kind_seen, *_), name, kind in zip(seen, names, kinds):
        # DuckDB's names do not tell N from n: of two it numbers the second.
        check(got == name or got.lower() == name.lower() + "_1", f"{path}: DuckDB sees column {got}, not {name}")
        check(kind_seen in DUCKDB[kind], f"{path}: DuckDB sees {name} as {kind_seen}, not {kind}")
    # DuckDB hands times with a zone over only if Python has a package for zones.
    chosen = ", ".join(f"epoch_ms(#{i})" if kind == "time" else f"#{i}" for i, kind in enumerate(kinds, 1))
    by_duckdb = [dict(zip(names, row)) for row in db.execute(f"select {chosen} from read_parquet(?)", [path]).fetchall()]
    for name in [n for n, kind in zip(names, kinds) if kind == "time"]:
        for row in by_duckdb:
            row[name] = row[name] and datetime.datetime.fromtimestamp(row[name] / 1000, datetime.timezone.utc)

    frame = polars.read_parquet(path)
    check(frame.columns == names, f"{path}: polars sees columns {frame.columns}, not {names}")
    for name, kind in zip(names, kinds):
        check(str(frame[name].dtype).split("(")[0] in POLARS[kind], f"{path}: polars sees {name} as {frame[name].dtype}, not {kind}")

    data = pandas.read_parquet(path)
    check(list(data.columns) == names, f"{path}: pandas sees columns {list(data.columns)}, not {names}")
    units = {c["name"]: c["unit"] for c in columns if c["unit"]}
    check(data.attrs["units"] == units, f"{path}: pandas sees units {data.attrs['units']}, not {units}")
    for key, attr in [("sweep.spec", "sweep"), ("sweep.digest", "digest"), ("sweep.experiment", "experiment")]:
        check(data.attrs[attr] == metadata[key], f"{path}: pandas sees {attr} {data.attrs[attr]}, not {metadata[key]}")
    check(data.attrs["axes"] == json.loads(metadata["sweep.axes"]), f"{path}: pandas sees axes {data.attrs['axes']}")

    for program, got in [("DuckDB", by_duckdb), ("polars", frame.to_dicts()), ("pandas", data.astype(object).to_dict("records"))]:
        check(len(got) == len(rows), f"{path}: {program} sees {len(got)} rows, pyarrow {len(rows)}")
        for i, (a, b) in enumerate(zip(rows, got)):
            for name in names:
                check(same(a[name], b[name]), f"{path}: row {i}, {name}: pyarrow sees {a[name]!r}, {program} {b[name]!r}")

    required = {"run_id", "experiment", "seed", "status", "attempts", "seconds", "window", "metric", "unit", "n", "n_failed"}
    for name in names:
        nulls = sum(r[name] is None for r in rows)
        check(nulls == 0 or name not in required, f"{path}: {name} has {nulls} nulls")
        nans = sum(isinstance(r[name], float) and math.isnan(r[name]) for r in rows)
        check(nans == 0, f"{path}: {name} holds {nans} NaN; undefined is to be null")
    return columns, rows, metadata


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    path = lambda name: os.path.join(sys.argv[1], name + ".parquet")
    columns, runs, metadata = read(path("runs"))
    parameters = [c["name"] for c in columns if c["role"] == "parameter"]
    metrics = [c for c in columns if c["role"] == "metric"]
    check(len({r["run_id"] for r in runs}) == len(runs), "run_id is not unique")
    for r in runs:
        check(len(r["run_id"]) == 32 and int(r["run_id"], 16) >= 0, f"run_id {r['run_id']!r} is not 32 hexadecimal digits")
        check((r["status"], r["error"] is None) in [("ok", True), ("failed", False)], f"status {r['status']} with error {r['error']!r}")

    windows = 0
    if os.path.exists(path("series")):
        _, series, other = read(path("series"))
        check(all(other.get(k) == metadata[k] for k in ("sweep.spec", "sweep.experiment", "sweep.model_version")), "metadata of series and runs differ")
        place = {r["run_id"]: i for i, r in enumerate(runs)}
        check(all(s["run_id"] in place for s in series), "series.parquet has runs that runs.parquet does not have")
        order = [(place[s["run_id"]], s["window"]) for s in series]
        check(order == sorted(set(order)), "series.parquet is not in the order of the runs and windows")
        windows = len(series)

    _, timings, _ = read(path("timings"))
    check([(t["run_id"], t["status"]) for t in timings] == [(r["run_id"], r["status"]) for r in runs], "timings.parquet has other runs than runs.parquet")
    check(all(t["attempts"] >= 1 and t["seconds"] >= 0 for t in timings), "timings.parquet has impossible times")

    _, summary, _ = read(path("summary"))
    cells = {}
    for r in runs:
        cells.setdefault(tuple(r[p] for p in parameters), []).append(r)
    check(len(summary) == len(cells) * len(metrics), f"summary.parquet has {len(summary)} rows for {len(cells)} cells of {len(metrics)} metrics")
    for s in summary:
        cell = cells[tuple(s[p] for p in parameters)]
        values = [r[s["metric"]] for r in cell if r[s["metric"]] is not None]
        at = f"summary of {s['metric']} in {[s[p] for p in parameters]}"
        check(s["n"] == len(values), f"{at}: n is {s['n']}, not {len(values)}")
        check(s["n_failed"] == sum(r["status"] == "failed" for r in cell), f"{at}: n_failed is {s['n_failed']}")
        if values:
            mean = math.fsum(values) / len(values)
            check(math.isclose(s["mean"], mean, rel_tol=1e-9, abs_tol=1e-300), f"{at}: mean is {s['mean']}, not {mean}")
            check((s["min"], s["max"]) == (min(values), max(values)), f"{at}: min or max is wrong")
        check((s["mean"] is None) == (len(values) < 1) and (s["std"] is None) == (len(values) < 2), f"{at}: null in the wrong place")
    print(f"read back: {len(runs)} runs, {windows} windows, {len(summary)} summary rows")


main()
