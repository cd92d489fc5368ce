"""An epidemic among 1,000 people, day by day: a program that sweep runs."""

import argparse
import json
import random

parser = argparse.ArgumentParser()
parser.add_argument("--beta", type=float, help="infections a day by one infected person")
parser.add_argument("--gamma", type=float, help="probability of recovering on a day")
parser.add_argument("--seed", type=int)
options = parser.parse_args()

draw = random.Random(options.seed).random
people = 1000
infected, recovered = 10, 0
curve = []
while infected and len(curve) < 365:
    risk = 1 - (1 - options.beta / people) ** infected
    caught = sum(draw() < risk for _ in range(people - infected - recovered))
    cured = sum(draw() < options.gamma for _ in range(infected))
    infected += caught - cured
    recovered += cured
    curve.append(infected)

print(json.dumps({
    "infected": infected + recovered,
    "peak": max(curve),
    "series": {"infected": curve},
}))
