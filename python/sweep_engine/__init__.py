"""Simulations in Python, swept by the program sweep.

A simulation is a function:

    import sweep_engine

    @sweep_engine.experiment
    def model(beta, gamma, seed):
        return {"infected": 812, "peak": 90}

    if __name__ == "__main__":
        model()

A spec names the file, and with persistent = true each worker starts Python
once for all its runs. Results are read back as data frames:

    results = sweep_engine.load("out/sir")
    results.runs

What a simulation imports needs the standard library only. load and run need
pandas or polars.
"""

from .experiments import Experiment, experiment
from .programs import FailedRuns, SweepError, run
from .results import Results, load

__all__ = ["Experiment", "FailedRuns", "Results", "SweepError", "experiment", "load", "run"]
