#!/usr/bin/env python3
"""Reads a sweep's log with DuckDB while the sweep runs.

usage: live.py SWEEP DIR

Starts "SWEEP run" into DIR, an absent directory, and queries
DIR/runs.jsonl until more runs have come in five times: every query must
succeed, see no run twice and none of the earlier ones disappear. A line
that is being written may be cut off: such lines are passed over. Then interrupts the sweep, which must end with 75.
"""

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
            if not os.path.exists(out + "/runs.jsonl"):
                time.sleep(0.05)
                continue
            rows, ids = duckdb.sql(
                "select count(*), count(distinct cell || ' ' || seed) "
                f"from read_json('{out}/runs.jsonl', format = 'newline_delimited', ignore_errors = true, "
                "columns = {cell: 'varchar', seed: 'bigint', status: 'varchar'}) where status = 'ok'"
            ).fetchall()[0]
            queries += 1
            if rows != ids or seen and rows < seen[-1]:
                sys.exit(f"live: {rows} rows of {ids} runs after {seen}")
            if not seen or rows > seen[-1]:
                seen.append(rows)
            time.sleep(0.05)
    finally:
        process.send_signal(signal.SIGTERM)  # a background job of a shell ignores SIGINT
        code = process.wait()
    if code != 75:
        sys.exit(f"live: the interrupted sweep ended with {code}")
    print(f"DuckDB saw {', '.join(map(str, seen))} runs while the sweep ran")


if __name__ == "__main__":
    main(sys.argv[1], os.path.abspath(sys.argv[2]))
