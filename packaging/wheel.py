#!/usr/bin/env python3
"""Writes a Python wheel that carries the program and the package sweep_engine.

usage: wheel.py BINARY VERSION PLATFORM DIRECTORY

PLATFORM is a wheel's tag, such as manylinux2014_x86_64, macosx_11_0_arm64 or
win_amd64. "pip install" of the wheel puts the program itself into the
environment's bin; "python -m sweep_engine" runs it too. It needs nothing but
Python; sweep_engine.load needs pandas with pyarrow, or polars. The distribution
is called sweep-engine, because the index has another package named sweep.
"""

import base64
import hashlib
import pathlib
import subprocess
import sys
import zipfile


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    binary, version, platform, directory = sys.argv[1:]
    root = pathlib.Path(__file__).resolve().parent.parent
    name = f"sweep_engine-{version}"
    suffix = ".exe" if platform.startswith("win") else ""
    files = {
        **{f"sweep_engine/{path.name}": path.read_bytes() for path in sorted((root / "python/sweep_engine").glob("*.py"))},
        f"{name}.data/scripts/sweep{suffix}": pathlib.Path(binary).read_bytes(),
        f"{name}.dist-info/METADATA": (
            f"Metadata-Version: 2.1\nName: sweep-engine\nVersion: {version}\n"
            "Summary: Deterministic parameter sweeps of simulations\n"
            "License: BSD-3-Clause\nRequires-Python: >=3.9\n"
            "Provides-Extra: pandas\nRequires-Dist: pandas; extra == 'pandas'\nRequires-Dist: pyarrow; extra == 'pandas'\n"
            "Requires-Dist: xarray; extra == 'pandas'\n"
            "Provides-Extra: polars\nRequires-Dist: polars; extra == 'polars'\n").encode(),
        f"{name}.dist-info/WHEEL": (
            f"Wheel-Version: 1.0\nGenerator: packaging/wheel.py\nRoot-Is-Purelib: false\nTag: py3-none-{platform}\n").encode(),
        f"{name}.dist-info/LICENSE": (root / "LICENSE").read_bytes(),
        f"{name}.dist-info/NOTICES": subprocess.run([root / "packaging/notices"], check=True, stdout=subprocess.PIPE).stdout,
    }
    record = f"{name}.dist-info/RECORD"
    digest = lambda data: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    files[record] = "".join(f"{n},sha256={digest(d)},{len(d)}\n" for n, d in files.items()).encode() + f"{record},,\n".encode()
    path = pathlib.Path(directory) / f"{name}-py3-none-{platform}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for n, data in files.items():
            info = zipfile.ZipInfo(n)  # of 1980: the same bytes every time
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (0o100755 if "/scripts/" in n else 0o100644) << 16
            wheel.writestr(info, data)
    print(path)


main()
