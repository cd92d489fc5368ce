"""A function as an experiment: answers one run, or one after another."""

import functools
import inspect
import json
import math
import os
import re
import sys
import traceback

PROTOCOL = 1  # see docs/commands.md, "Persistent workers"


def experiment(function):
    """Makes a function an experiment.

    Its arguments are the parameters of the spec, by name; one of a name such as
    "model.lr" or "learning-rate" is model_lr or learning_rate. Three more it gets if
    it asks for them: seed, an integer, directory, the path of the run's working
    directory, and state, the path of a directory that is there again at the
    next attempt (state = true in the spec). It returns a dictionary of the
    metrics: numbers, or None for what a run does not define. If it has a
    series, "series" is a list of dictionaries, one for each row, or a
    dictionary of columns.

    Called without arguments, the experiment runs as a program: it answers
    sweep, or the options on its command line, such as --beta 0.2 --seed 1.
    Called with arguments, it is the function itself.
    """
    return Experiment(function)


class Experiment:
    """A function that sweep can run. See experiment."""

    def __init__(self, function):
        functools.update_wrapper(self, function)
        self.function = function
        self.arguments = inspect.signature(function).parameters

    def __call__(self, *args, **kwargs):
        if args or kwargs:
            return self.function(*args, **kwargs)
        if os.environ.get("SWEEP_PERSISTENT"):
            self.serve()
        elif len(sys.argv) > 1:
            self.print_answer(self.options(sys.argv[1:]))
        else:
            self.print_answer(json.load(sys.stdin))

    def serve(self):
        """Answers runs until sweep closes stdin. What the function prints goes to stderr."""
        requests = os.fdopen(os.dup(0), encoding="utf-8")
        answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.dup2(2, 1)
        print(json.dumps({"sweep": PROTOCOL}), file=answers, flush=True)
        for line in requests:
            request = json.loads(line)
            os.chdir(request["directory"])
            try:
                answer = self.answer({**request["parameters"], "seed": request["seed"]}, request.get("state"))
                line = json.dumps({**answer, "run": request["run"]})
            except (Exception, SystemExit):
                line = json.dumps({"run": request["run"], "error": self.explain()})
            sys.stdout.flush()
            print(line, file=answers, flush=True)

    def print_answer(self, values):
        """Runs once and prints the answer, as one line of JSON."""
        print(json.dumps(self.answer(values, os.environ.get("SWEEP_STATE"))))

    def answer(self, values, state=None):
        """Runs once and returns what JSON can hold of the result."""
        result = self.function(**self.select(values, state))
        if not isinstance(result, dict):
            raise TypeError(f"{self.__name__}() returned {result!r}, want a dictionary of metrics")
        answer = {name: plain(value, name) for name, value in result.items()}
        if isinstance(answer.get("series"), list) and answer["series"]:
            answer["series"] = columns(answer["series"])
        return answer

    def select(self, values, state):
        """Returns the arguments of the function, or says which are missing or unknown."""
        values = {self.argument(name): value for name, value in values.items()}
        available = {"directory": os.getcwd(), **values}
        if state is not None:
            available.setdefault("state", state)
        if any(a.kind == a.VAR_KEYWORD for a in self.arguments.values()):
            return values
        unknown = [name for name in values if name != "seed" and name not in self.arguments]
        if unknown:
            raise TypeError(f"{self.__name__}() has no argument {unknown[0]!r}, a parameter of the spec")
        missing = [a.name for a in self.arguments.values() if a.default is a.empty and a.name not in available]
        if missing[:1] == ["state"]:
            raise TypeError(f"{self.__name__}() needs a state, want state = true in the [command] of the spec")
        if missing:
            raise TypeError(f"{self.__name__}() needs {missing[0]!r}, which is no parameter of the spec")
        return {name: available[name] for name in self.arguments if name in available}

    def argument(self, name):
        """Returns the argument for a parameter: model_lr for "model.lr", unless there is none."""
        identifier = re.sub("[.-]", "_", name)
        return identifier if identifier in self.arguments else name

    def options(self, words):
        """Reads options such as --beta 0.2 --seed 1 or --beta=0.2."""
        values = {}
        words = [part for word in words for part in (word.split("=", 1) if word.startswith("--") else [word])]
        while words:
            option = words.pop(0)
            name = self.argument(option.removeprefix("--"))
            if not option.startswith("--") or name not in self.arguments or not words:
                sys.exit(self.usage())
            values[name] = number(words.pop(0))
        for name, argument in self.arguments.items():
            is_given = name in values or name in ("directory", "state")
            if argument.default is argument.empty and argument.kind != argument.VAR_KEYWORD and not is_given:
                sys.exit(f"{self.__name__}() needs --{name}\n{self.usage()}")
        return values

    def usage(self):
        """Says how the program is called by hand."""
        return f"usage: {os.path.basename(sys.argv[0])} " + " ".join(f"--{a} VALUE" for a in self.arguments)

    def explain(self):
        """Returns the traceback of what the function raised, without our own frames."""
        kind, error, trace = sys.exc_info()
        while trace and trace.tb_frame.f_code.co_filename == __file__:
            trace = trace.tb_next
        return "".join(traceback.format_exception(kind, error, trace)).strip()


def number(text):
    """Returns an integer or a float if the text is one, else the text."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def plain(value, name):
    """Returns a value as JSON has it: NumPy's numbers and arrays as Python's, NaN as None."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    elif hasattr(value, "to_dict"):
        value = value.to_dict("list")
    if isinstance(value, dict):
        return {key: plain(v, f"{name}.{key}") for key, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v, name) for v in value]
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, float) and math.isinf(value):
        raise ValueError(f"{name} is {value}, want a finite number, or None for what is not defined")
    return value


def columns(rows):
    """Turns a list of rows into a dictionary of columns."""
    names = list(rows[0]) if rows else []
    for number, row in enumerate(rows):
        if list(row) != names:
            raise ValueError(f"row {number} of the series has {list(row)}, and row 0 has {names}")
    return {name: [row[name] for row in rows] for name in names}
