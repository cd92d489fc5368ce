"""Does what the README and the tutorial tell a newcomer to do, in an empty directory.

usage: newcomer.py DIRECTORY

Python must be that of an environment into which the wheel was installed: the
program sweep and the package sweep_engine are taken from there, and nothing
from this checkout. Results are loaded as frames if pandas is there.
"""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(sys.executable).parent


def page(path):
    return (ROOT / path).read_text(encoding="utf-8")


def blocks(text, language):
    return re.findall(rf"(?ms)^```{language}\n(.*?)^```$", text)


def follow(directory, files, commands):
    """Writes files into a new directory and executes commands there, with no other environment."""
    directory.mkdir(parents=True)
    for name, text in files.items():
        (directory / name).write_text(text, encoding="utf-8")
    environment = {"PATH": f"{BIN}{os.pathsep}/usr/bin{os.pathsep}/bin", "HOME": str(directory)}
    for command in commands:
        print("$", command, flush=True)
        ended = subprocess.run(command, shell=True, cwd=directory, env=environment, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if ended.returncode != 0:
            sys.exit(f"{ended.stdout}\n{command}: exit code {ended.returncode}")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    work = pathlib.Path(sys.argv[1]).resolve()
    frames = importlib.util.find_spec("pandas") is not None

    text = page("README.md")
    [model] = blocks(text, "python")
    [spec] = [t for t in blocks(text, "toml") if "highest.py" in t]
    commands = re.findall(r"(?m)^    (sweep .*highest.*)$", text)
    assert len(commands) == 2, commands
    if frames:
        commands += [f"python3 -c 'import sweep_engine; print({code})'"
                     for code in re.findall(r'`(sweep_engine\.[^`]*highest[^`]*)`', text)]
        assert len(commands) == 4, commands
    follow(work / "readme", {"highest.py": model, "highest.toml": spec}, commands)

    text = page("docs/tutorial.md")
    [model] = blocks(text, "python")
    files = {"sir.py": model, **{re.search(r'name *= "(.*)"', t)[1] + ".toml": t for t in blocks(text, "toml")}}
    assert sorted(files) == ["matters.toml", "sir.py", "sir.toml"], files
    commands = [line[2:] for block in blocks(text, "console") for line in block.splitlines() if line.startswith("$ ")]
    assert len(commands) >= 12, commands
    if frames:
        commands.append("""python3 -c 'import sweep_engine; assert len(sweep_engine.load("out/sir").series)'""")
    follow(work / "tutorial", files, commands)

    text = page("docs/commands.md")
    [model] = blocks(text, "python")
    by_hand = re.findall(r"`(python3 model\.py [^`]*)`", text)
    assert len(by_hand) == 1, by_hand
    follow(work / "commands", {"model.py": model}, by_hand)


main()
