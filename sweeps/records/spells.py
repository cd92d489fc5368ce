"""Draws the record spells_changes.csv.gz.

Of 300 pages each is quiet: it changes once in 200 to 1,200 days, uniform, at random
times. Half of these changes begin a spell of 14 to 60 days, in which the page changes
once a day, at random times.

    python3 spells.py
"""

import datetime
import gzip
import random

PAGES = 300
START = datetime.datetime(2018, 11, 1)
DAYS = 8 * 365

draws = random.Random(1)
changes = []
for page in range(PAGES):
    quiet = draws.uniform(200, 1200)
    day = draws.expovariate(1 / quiet)
    while day < DAYS:
        changes.append((day, page))
        if draws.random() < 0.5:
            end = day + draws.uniform(14, 60)
            day += draws.expovariate(1)
            while day < min(end, DAYS):
                changes.append((day, page))
                day += draws.expovariate(1)
        day += draws.expovariate(1 / quiet)

with open("spells_changes.csv.gz", "wb") as file:
    with gzip.GzipFile("", "wb", mtime=0, fileobj=file) as packed:
        packed.write(b"url_id,time\n")
        for day, page in sorted(changes):
            time = START + datetime.timedelta(days=day)
            packed.write(f"page{page},{time:%Y-%m-%dT%H}:00:00Z\n".encode())
