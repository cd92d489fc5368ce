"""Draws a record of pages to judge learners on.

    python3 drawn.py KIND SEED > changes.csv

The kinds, with rates that are log-uniform:

  mixed    60 % of 500 pages change once in 1 to 500 days. The others change once in 60
           to 1,000 days, but in spells of 7 to 120 days once in half a day to a week.
  redrawn  Each of 500 pages changes once in half a day to 1,000 days, and has another
           rate after 180 days, as a mean.
  mortal   600 pages are born in the course of 3,920 days, of which the last 2,920 are
           recorded. A page changes once in 1 to 300 days until it dies, after 700 days
           as a mean; then once in 2,000 days.
"""

import datetime
import math
import random
import sys

START = datetime.datetime(2018, 11, 1)
DAYS = 8 * 365


class Record:
    """Changes of pages: pairs of a day and a page."""

    def __init__(self, seed):
        self.draws = random.Random(seed)
        self.changes = []

    def log_uniform(self, low, high):
        return math.exp(self.draws.uniform(math.log(low), math.log(high)))

    def after(self, mean):
        return self.draws.expovariate(1 / mean)

    def change(self, page, start, end, mean):
        """The page changes at random times between two days."""
        day = start + self.after(mean)
        while day < min(end, DAYS):
            self.changes.append((day, page))
            day += self.after(mean)


def mixed(record):
    for page in range(500):
        if record.draws.random() < 0.6:
            record.change(page, 0, DAYS, record.log_uniform(1, 500))
            continue
        quiet = record.log_uniform(60, 1000)
        fast = record.log_uniform(0.5, 7)
        day = 0
        while day < DAYS:
            begin = day + 2 * record.after(quiet)
            record.change(page, day, begin, quiet)
            day = begin + record.draws.uniform(7, 120)
            record.change(page, begin, day, fast)


def redrawn(record):
    for page in range(500):
        day = 0
        while day < DAYS:
            end = day + record.after(180)
            record.change(page, day, end, record.log_uniform(0.5, 1000))
            day = end


def mortal(record):
    for page in range(600):
        born = record.draws.uniform(-1000, DAYS)
        death = max(born + record.after(700), 0)
        record.change(page, max(born, 0), death, record.log_uniform(1, 300))
        record.change(page, death, DAYS, 2000)


record = Record(int(sys.argv[2]))
{"mixed": mixed, "redrawn": redrawn, "mortal": mortal}[sys.argv[1]](record)
print("url_id,time")
for day, page in sorted(record.changes):
    time = START + datetime.timedelta(days=day)
    print(f"page{page},{time:%Y-%m-%dT%H}:00:00Z")
