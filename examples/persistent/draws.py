"""Counts draws below beta: a persistent program, by sweep_engine."""

import sweep_engine


@sweep_engine.experiment
def draws(beta, steps, seed):
    state, below = seed, 0
    for _ in range(steps):
        state = 16807 * state % 2147483647
        below += state < beta * 2147483647
    return {"below": below}


if __name__ == "__main__":
    draws()
