"""Results come back as frames. These tests need the program sweep in PATH."""

import shutil
import sys

import pytest

import sweep_engine

pandas = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")
pytestmark = pytest.mark.skipif(shutil.which("sweep") is None, reason="the program sweep is not in PATH")

MODEL = """
import sweep_engine

@sweep_engine.experiment
def model(beta, gamma, seed):
    if beta > 1:
        raise ValueError("beta is too large")
    return {"x": beta * seed + gamma, "series": [{"y": beta}, {"y": gamma}]}

if __name__ == "__main__":
    model()
"""


def spec(path, **grid):
    (path / "model.py").write_text(MODEL)
    return {
        "name": "model", "experiment": "command", "seeds": 3,
        "command": {"run": ["python3", str(path / "model.py")], "watch": [str(path / "model.py")],
                    "metrics": {"x": {"unit": "m", "meaning": "the length"}}, "series": ["y"], "persistent": True},
        "parameters": {"beta": {"unit": "1/d", "symbol": "β"}},
        "grid": grid,
    }


@pytest.mark.parametrize("frames", ["pandas", "polars"])
def test_run(tmp_path, frames):
    pytest.importorskip(frames)
    results = sweep_engine.run(spec(tmp_path, beta=[0.5, 1], gamma=[0.25, 2]), tmp_path / "out", frames=frames)
    assert results.axes == ["beta", "gamma"]
    assert results.units["x"] == "m" and results.units["beta"] == "1/d"
    assert results.symbols == {"beta": "β"} and results.meanings["x"] == "the length"
    runs = results.rows("runs")
    assert len(runs) == 12 and all(r["x"] == r["beta"] * r["seed"] + r["gamma"] for r in runs)
    assert len(results.rows("series")) == 24 and len(results.rows("summary")) == 4
    timings = results.rows("timings")
    assert [t["run_id"] for t in timings] == [r["run_id"] for r in runs]
    assert all(t["attempts"] == 1 and t["seconds"] > 0 and t["started"].year > 2000 for t in timings)


@pytest.mark.parametrize("frames", ["pandas", "polars"])
def test_constants(tmp_path, frames):
    """What does not vary is no column unless it is asked for, and can be read by name."""
    pytest.importorskip(frames)
    results = sweep_engine.run(spec(tmp_path, beta=[0.5, 1], gamma=0.25), tmp_path / "out", frames=frames)
    assert results.constants["gamma"] == 0.25 and "beta" not in results.constants
    assert "gamma" not in results.runs.columns and "beta" in results.runs.columns
    whole = sweep_engine.load(tmp_path / "out", frames=frames, constants=True)
    assert all(r["gamma"] == 0.25 for r in whole.rows("runs"))
    assert set(whole.runs.columns) - set(results.runs.columns) == set(results.constants)


def test_relative_files(tmp_path, monkeypatch):
    """The files that a dictionary names are in the working directory, where nothing else is left."""
    monkeypatch.chdir(tmp_path)
    named = spec(tmp_path, beta=1, gamma=2)
    named["command"].update(run=["python3", "model.py"], watch=["model.py"])
    assert len(sweep_engine.run(named).runs) == 3
    assert sorted(p.name for p in tmp_path.iterdir()) == ["model.py", "out"]


def test_missing_library(tmp_path, monkeypatch):
    sweep_engine.run(spec(tmp_path, beta=1, gamma=2), tmp_path / "out")
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(ModuleNotFoundError, match="pip install pandas pyarrow"):
        sweep_engine.load(tmp_path / "out")


def test_cube(tmp_path):
    pytest.importorskip("xarray")
    results = sweep_engine.run(spec(tmp_path, beta=[0.5, 1], gamma=[0.25, 2]), tmp_path / "out")
    x = results.cube("x")
    assert x.dims == ("beta", "gamma", "seed") and x.attrs == {"units": "m", "long_name": "the length"}
    assert x.sel(beta=0.5, gamma=2, seed=3).item() == 3.5


def test_failed_runs(tmp_path):
    with pytest.raises(sweep_engine.FailedRuns, match="beta is too large") as caught:
        sweep_engine.run(spec(tmp_path, beta=[1, 2], gamma=1), tmp_path / "out")
    assert len(caught.value.errors) == 3 and "Traceback" in caught.value.errors[0]
    assert len(caught.value.results.runs) == 6


def test_errors(tmp_path):
    with pytest.raises(sweep_engine.SweepError, match='did you mean "metrics"') as caught:
        wrong = spec(tmp_path, beta=1)
        wrong["command"]["metric"] = ["x"]
        sweep_engine.run(wrong, tmp_path / "out")
    assert caught.value.code == 65
    with pytest.raises(ValueError, match="the spec has no \"name\""):
        sweep_engine.run({"experiment": "command"}, tmp_path / "out")
    with pytest.raises(FileNotFoundError, match="sweep status"):
        sweep_engine.load(tmp_path / "nothing")


def test_figure(tmp_path):
    """A figure of the spec is what the program draws; a wrong name is its error."""
    asked = spec(tmp_path, beta=[0.5, 1], gamma=[0.25, 2])
    asked["title"] = "Lengths"
    asked["figure"] = [{"name": "lengths", "x": "beta", "y": "x", "colour": "gamma", "limits": {"y": [0, 5]}}]
    results = sweep_engine.run(asked, tmp_path / "out")
    figure = results.figure("lengths")
    assert figure._repr_html_().startswith("<svg") and "x against beta" in figure.pages[0]
    assert "values of beta" in results.figure("series", "--over", "beta").pages[0]
    with pytest.raises(sweep_engine.SweepError, match="unknown figure"):
        results.figure("length")
