"""An epidemic among 1,000 people, day by day: a function that sweep runs."""

import random

import sweep_engine


@sweep_engine.experiment
def epidemic(beta, gamma, seed):
    """beta: infections a day by one infected person; gamma: probability of recovering on a day."""
    draw = random.Random(seed).random
    people = 1000
    infected, recovered = 10, 0
    curve = []
    while infected and len(curve) < 365:
        risk = 1 - (1 - beta / people) ** infected
        caught = sum(draw() < risk for _ in range(people - infected - recovered))
        cured = sum(draw() < gamma for _ in range(infected))
        infected += caught - cured
        recovered += cured
        curve.append(infected)
    return {
        "infected": infected + recovered,
        "peak": max(curve),
        "series": {"infected": curve},
    }


if __name__ == "__main__":
    epidemic()
