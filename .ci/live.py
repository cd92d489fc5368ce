#!/usr/bin/env python3
"""Reads a sweep's segments with DuckDB while the sweep runs.

usage: live.py SWEEP DIR

Starts "SWEEP run" into DIR, an absent directory, and queries
DIR/segments/*.runs.parquet until rows of five more segments have come in:
every query must succeed, see no row twice and none of the earlier ones
disappear. Then interrupts the sweep, which must end with 75.
"""

import glob
import os
import signal
import subprocess
import sys
import time

import duckdb

SPEC = """
experiment = "foraging"
seeds = 100000
[grid]
algorithm = ["RL", "WL"]
"""


def main(sweep, out):
    spec = out + ".toml"
    with open(spec, "w") as f:
        f.write(SPEC)
    process = subprocess.Popen([sweep, "run", spec, "-o", out, "--quiet"])
    try:
        seen, queries, deadline = [], 0, time.monotonic() + 120
        while len(seen) < 6:
            if time.monotonic() > deadline:
                sys.exit(f"live: only {len(seen)} different answers in {queries} queries")
            if process.poll() is not None:
                sys.exit(f"live: the sweep ended by itself with {process.returncode}")
            if not glob.glob(out + "/segments/*.runs.parquet"):
                time.sleep(0.05)
                continue
            rows, ids = duckdb.sql(
                f"select count(*), count(distinct run_id) from '{out}/segments/*.runs.parquet' where status = 'ok'"
            ).fetchall()[0]
            queries += 1
            if rows != ids or seen and rows < seen[-1]:
                sys.exit(f"live: {rows} rows of {ids} runs after {seen}")
            if not seen or rows > seen[-1]:
                seen.append(rows)
            time.sleep(0.05)
    finally:
        process.send_signal(signal.SIGINT)
        code = process.wait()
    if code != 75:
        sys.exit(f"live: the interrupted sweep ended with {code}")
    print(f"DuckDB saw {', '.join(map(str, seen))} runs while the sweep ran")


if __name__ == "__main__":
    main(sys.argv[1], os.path.abspath(sys.argv[2]))
