"""python -m sweep_engine: runs the program sweep, with its arguments."""

import os
import subprocess
import sys

from .programs import SweepError, program

try:
    path = program()
except SweepError as error:
    sys.exit(str(error))
if os.name == "nt":
    sys.exit(subprocess.call([path, *sys.argv[1:]]))
os.execv(path, [path, *sys.argv[1:]])
