"""Experiments answer cold, by hand, and run after run."""

import json
import os
import subprocess
import sys
import textwrap

import pytest

MODEL = """
    import os
    import sweep_engine

    @sweep_engine.experiment
    def model(beta, seed, steps=3, directory=None):
        print("a word")
        if beta > 1:
            raise ValueError("beta is too large")
        if beta < 0:
            return 7
        if beta == 0:
            raise SystemExit("the end")
        return {"x": beta * seed, "undefined": float("nan"),
                "series": [{"step": i, "y": i * beta} for i in range(steps)]}

    if __name__ == "__main__":
        model()
"""


@pytest.fixture
def model(tmp_path):
    """Runs the model with arguments, input and environment, and returns what it did."""
    path = tmp_path / "model.py"
    path.write_text(textwrap.dedent(MODEL))

    def start(*arguments, text="", **variables):
        return subprocess.run([sys.executable, str(path), *arguments], input=text, text=True, capture_output=True,
                              cwd=tmp_path, env={**os.environ, **variables})

    return start


def test_names(tmp_path):
    """Names that Python does not have become identifiers, or keys of keyword arguments."""
    path = tmp_path / "named.py"
    text = '{"model.lr": 2, "batch-size": 3, "seed": 1}'
    for arguments, value in [("model_lr, batch_size", "model_lr * batch_size"),
                             ("model_lr, **rest", 'model_lr * rest["batch-size"]'),
                             ("**all", 'all["model.lr"] * all["batch-size"]')]:
        path.write_text(f"import sweep_engine\n\n@sweep_engine.experiment\ndef model({arguments}):\n"
                        f"    return {{'x': {value}}}\n\nmodel()\n")
        ended = subprocess.run([sys.executable, str(path)], input=text, text=True, capture_output=True)
        assert ended.stdout == '{"x": 6}\n', ended.stderr
    path.write_text("import sweep_engine\n\n@sweep_engine.experiment\ndef model(model_lr, batch_size):\n"
                    "    return {'x': model_lr * batch_size}\n\nmodel()\n")
    by_hand = [sys.executable, str(path), "--model.lr", "2", "--batch-size=3"]
    assert subprocess.run(by_hand, text=True, capture_output=True).stdout == '{"x": 6}\n'


ANSWER = {"x": 0.5, "undefined": None, "series": {"step": [0, 1, 2], "y": [0.0, 0.25, 0.5]}}


def test_cold(model):
    ended = model(text='{"beta": 0.25, "seed": 2}')
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout.splitlines()[-1]) == ANSWER


def test_by_hand(model):
    ended = model("--beta", ".25", "--seed=2")
    assert json.loads(ended.stdout.splitlines()[-1]) == ANSWER
    assert "usage" in model("--gamma", "1").stderr
    assert "() needs --seed\nusage" in model("--beta", "1").stderr


def request(tmp_path, run, beta):
    return json.dumps({"run": run, "seed": 2, "parameters": {"beta": beta}, "directory": str(tmp_path)})


def test_run_after_run(model, tmp_path):
    requests = [request(tmp_path, run, beta) for run, beta in [("a", 0.25), ("b", 2), ("c", -1), ("d", 0), ("e", 0.25)]]
    ended = model(text="\n".join(requests) + "\n", SWEEP_PERSISTENT="1")
    assert ended.returncode == 0, ended.stderr
    greeting, *answers = [json.loads(line) for line in ended.stdout.splitlines()]
    assert greeting == {"sweep": 1}
    assert answers[0] == {"run": "a", **ANSWER}
    assert answers[4] == {"run": "e", **ANSWER}
    assert answers[1]["error"].endswith("ValueError: beta is too large")
    assert "experiments.py" not in answers[1]["error"], "our own frames are not the user's business"
    assert "returned 7, want a dictionary of metrics" in answers[2]["error"]
    assert answers[3]["error"].endswith("SystemExit: the end")
    assert ended.stderr.count("a word") == 5, "what a function prints goes to stderr"


ODD = """
    import sweep_engine

    @sweep_engine.experiment
    def model(beta, seed):
        return {"x": {1, 2} if beta else 1, "run": 3}

    if __name__ == "__main__":
        model()
"""


def test_odd_answers_after_one_another(model, tmp_path):
    """What JSON cannot hold fails its run, and no key takes the place of the run's name."""
    (tmp_path / "model.py").write_text(textwrap.dedent(ODD))
    requests = [request(tmp_path, run, beta) for run, beta in [("a", 1), ("b", 0)]]
    ended = model(text="\n".join(requests) + "\n", SWEEP_PERSISTENT="1")
    assert ended.returncode == 0, ended.stderr
    answers = [json.loads(line) for line in ended.stdout.splitlines()]
    assert answers[1]["run"] == "a"
    assert answers[1]["error"].endswith("Object of type set is not JSON serializable")
    assert answers[2] == {"run": "b", "x": 1}


def test_arguments(model):
    assert "has no argument 'gamma', a parameter of the spec" in model(text='{"beta": 1, "seed": 1, "gamma": 2}').stderr
    assert "needs 'beta', which is no parameter of the spec" in model(text='{"seed": 1}').stderr


STATEFUL = """
    import os
    import sweep_engine

    @sweep_engine.experiment
    def model(seed, state):
        return {"x": os.path.basename(state)}

    if __name__ == "__main__":
        model()
"""


def test_state(model, tmp_path):
    (tmp_path / "model.py").write_text(textwrap.dedent(STATEFUL))
    assert json.loads(model(text='{"seed": 1}', SWEEP_STATE="/a/b").stdout) == {"x": "b"}
    assert "want state = true" in model(text='{"seed": 1}').stderr
    request = json.dumps({"run": "a", "seed": 2, "parameters": {}, "directory": str(tmp_path), "state": "/a/c"})
    answer = model(text=request + "\n", SWEEP_PERSISTENT="1").stdout.splitlines()[1]
    assert json.loads(answer) == {"run": "a", "x": "c"}


def test_called_with_arguments():
    import sweep_engine

    @sweep_engine.experiment
    def double(x):
        """Doubles x."""
        return {"y": 2 * x}

    assert double(x=2) == {"y": 4}
    assert double.__doc__ == "Doubles x."


def test_what_json_cannot_hold():
    from sweep_engine.experiments import columns, plain

    numpy = pytest.importorskip("numpy")
    assert plain({"a": numpy.float64(1.5), "b": numpy.arange(2)}, "x") == {"a": 1.5, "b": [0, 1]}
    assert plain([1.0, float("nan")], "x") == [1.0, None]
    with pytest.raises(ValueError, match="x is inf, want a finite number"):
        plain(float("inf"), "x")
    with pytest.raises(ValueError, match="row 1 of the series has"):
        columns([{"a": 1}, {"b": 2}])


def test_series_without_rows():
    import sweep_engine

    @sweep_engine.experiment
    def model(x):
        return {"y": x, "series": []}

    assert model.answer({"x": 1}) == {"y": 1, "series": []}
