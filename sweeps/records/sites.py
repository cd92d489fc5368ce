#!/usr/bin/env python3
"""Make the sites of this folder from the releases of Go modules and Python packages.

    python3 sweeps/records/sites.py DIR [NAME ...]

Each release becomes a commit of a repository DIR/NAME.git, with the date of the
release and its Markdown, HTML and reStructuredText files, and newssite imports
the repository into DIR/NAME. The go command gets the releases from the module
proxy that it is set up with; pip gets source packages from its index. It prepares
their metadata before it hands them over, for which it needs flit_core, setuptools,
setuptools_scm and wheel beside it, and leaves out a release where that fails or
that is a ZIP file. The date of a release is that of its newest file. Releases are those that are
listed, without pre-releases, of which each is newer than all those with lower
numbers; if there are more than RELEASES, that many of them, evenly spaced. A proxy
may list other releases later: then the site is another one.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

RELEASES = 40

# Name, module, the folder with the documentation, and the numbers N of releases
# v1.N.0 that are asked for beside those that are listed.
MODULES = [
    ("rclone", "github.com/rclone/rclone", "docs/content", range(50, 77)),
    ("docker-cli", "github.com/docker/cli", "docs", []),
    ("opa", "github.com/open-policy-agent/opa", "docs", []),
    ("go-containerregistry", "github.com/google/go-containerregistry", ".", []),
    ("prometheus", "github.com/prometheus/prometheus", ".", []),
    ("otel", "go.opentelemetry.io/otel", ".", []),
    ("grpc", "google.golang.org/grpc", ".", []),
    ("grpc-gateway", "github.com/grpc-ecosystem/grpc-gateway/v2", ".", []),
    ("golangci-lint", "github.com/golangci/golangci-lint", ".", []),
    ("gateway-api", "sigs.k8s.io/gateway-api", ".", []),
    ("runc", "github.com/opencontainers/runc", ".", []),
    ("buildkit", "github.com/moby/buildkit", ".", []),
    ("containerd", "github.com/containerd/containerd", ".", []),
    ("fiber", "github.com/gofiber/fiber/v2", ".", []),
]

# Name of a Python package, and the folder with the documentation.
PACKAGES = [
    ("flask", "docs"),
    ("pytest", "doc/en"),
    ("sphinx", "doc"),
    ("sqlalchemy", "doc/build"),
    ("tornado", "docs"),
]


def output(*command, **options):
    """Return what a command prints."""
    done = subprocess.run(command, check=True, capture_output=True, text=True, **options)
    return done.stdout


def number(version):
    """Return a version as numbers, None for a pre-release."""
    match = re.fullmatch(r"v?(\d+)\.(\d+)(?:\.(\d+))?(?:\+incompatible)?", version)
    return match and tuple(int(part or 0) for part in match.groups())


def of_module(module, numbers, cache):
    """Return number, date and folder of each release of a Go module that is used."""
    environment = dict(os.environ, GOMODCACHE=str(cache), GOFLAGS="-modcacherw")
    listed = output("go", "list", "-m", "-versions", module, cwd="/").split()[1:]
    listed += [f"v1.{n}.0" for n in numbers if f"v1.{n}.0" not in listed]
    wanted = thin(sorted(filter(number, listed), key=number))
    download = ["go", "mod", "download", "-json", *(f"{module}@{v}" for v in wanted)]
    told = subprocess.run(download, capture_output=True, text=True, cwd="/", env=environment)
    found = []
    rest = told.stdout.strip()
    while rest:
        release, end = json.JSONDecoder().raw_decode(rest)
        rest = rest[end:].strip()
        if "Dir" in release:  # it is served
            info = json.loads(Path(release["Info"]).read_text())
            found.append((number(release["Version"]), info["Time"], Path(release["Dir"])))
    return found


def of_package(name, folder):
    """Return number, date and folder of each release of a Python package that is used."""
    pip = [sys.executable, "-m", "pip"]
    listed = re.search(r"versions: (.*)", output(*pip, "index", "versions", name))[1].split(", ")
    get = [*pip, "download", "-q", "--no-deps", "--no-binary", ":all:", "--no-build-isolation"]
    found = []
    for version in thin(sorted(filter(number, listed), key=number)):
        into = folder / version
        got = subprocess.run([*get, "-d", str(into), f"{name}=={version}"], capture_output=True)
        if got.returncode != 0 or not list(into.glob("*.tar.*")):
            continue
        with tarfile.open(next(into.glob("*.tar.*"))) as archive:
            newest = max(file.mtime for file in archive if file.isfile())
            archive.extractall(into, filter="data")
        date = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(newest))
        found.append((number(version), date, next(x for x in into.iterdir() if x.is_dir())))
    return found


def in_order(found):
    """Return date and folder of the releases that are newer than all before them."""
    newer = []
    for _, date, folder in sorted(found):
        if not newer or date > newer[-1][0]:
            newer.append((date, folder))
    return newer


def copy_pages(source, to):
    """Copy the sources of pages in a folder."""
    for file in sorted(source.rglob("*")):
        path = file.relative_to(source)
        foreign = {"vendor", "testdata"} & set(path.parts)
        page = file.suffix.lower() in {".md", ".mdx", ".markdown", ".htm", ".html", ".rst"}
        if page and file.is_file() and not foreign:
            (to / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, to / path)


def thin(found):
    """Return at most RELEASES of a list, evenly spaced, the last one among them."""
    n = min(RELEASES, len(found))
    return [found[(len(found) - 1) * (i + 1) // n] for i in range(n)] if n > 1 else found


def make(into, name, folder, releases):
    """Make one site of what a function finds, which puts it into a folder."""
    repository = into / f"{name}.git"
    shutil.rmtree(repository, ignore_errors=True)
    output("git", "init", "-q", str(repository))
    with tempfile.TemporaryDirectory() as cache:
        commits = in_order(releases(Path(cache)))
        for date, sources in commits:
            for old in repository.iterdir():
                if old.name != ".git":
                    shutil.rmtree(old) if old.is_dir() else old.unlink()
            copy_pages(sources / folder, repository)
            dated = dict(os.environ, GIT_COMMITTER_DATE=date, GIT_AUTHOR_DATE=date)
            git = ["git", "-C", str(repository), "-c", "user.name=x", "-c", "user.email=x"]
            output(*git, "add", "-A", "-f")
            output(*git, "commit", "-q", "--allow-empty", "-m", date, env=dated)
    command = os.environ.get("NEWSSITE", "newssite")
    told = output(command, "import", str(repository), str(into / name), "--lists", "20")
    size = sum(x.stat().st_size for x in (into / name).glob("*.parquet"))
    print(f"{name}: {len(commits)} releases, {commits[0][0]} to {commits[-1][0]}, {size} bytes")
    print(told, flush=True)


def main():
    into = Path(sys.argv[1]).absolute()
    into.mkdir(parents=True, exist_ok=True)
    wanted = sys.argv[2:]
    for name, module, folder, numbers in MODULES:
        if not wanted or name in wanted:
            make(into, name, folder, lambda cache: of_module(module, numbers, cache))
    for name, folder in PACKAGES:
        if not wanted or name in wanted:
            make(into, name, folder, lambda cache: of_package(name, cache))


if __name__ == "__main__":
    main()
