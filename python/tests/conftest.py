"""Tests use the package in this repository, and so do the programs that they start."""

import os
import pathlib
import sys

root = str(pathlib.Path(__file__).resolve().parent.parent)
sys.path.insert(0, root)
os.environ["PYTHONPATH"] = root
