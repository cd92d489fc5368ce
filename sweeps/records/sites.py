#!/usr/bin/env python3
"""Make the sites of this folder from the releases of Go modules.

    python3 sweeps/records/sites.py DIR [NAME ...]

Each release becomes a commit of a repository DIR/NAME.git, with the date of the
release and its Markdown, HTML and reStructuredText files, and newssite imports
the repository into DIR/NAME. The go command gets the releases from the module
proxy that it is set up with. Releases are those that are listed, without
pre-releases, of which each is newer than all those with lower numbers; if there are
more than RELEASES, that many of them, evenly spaced. A proxy may list other
releases later: then the site is another one.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

RELEASES = 40

# Name, module, the folder with the documentation, and the numbers N of releases
# v1.N.0 that are asked for beside those that are listed.
SITES = [
    ("rclone", "github.com/rclone/rclone", "docs/content", range(50, 77)),
    ("telegraf", "github.com/influxdata/telegraf", ".", range(8, 38)),
    ("docker-cli", "github.com/docker/cli", "docs", []),
    ("opa", "github.com/open-policy-agent/opa", "docs", []),
    ("prometheus", "github.com/prometheus/prometheus", ".", []),
    ("otel", "go.opentelemetry.io/otel", ".", []),
    ("grpc", "google.golang.org/grpc", ".", []),
    ("grpc-gateway", "github.com/grpc-ecosystem/grpc-gateway/v2", ".", []),
    ("go-containerregistry", "github.com/google/go-containerregistry", ".", []),
    ("golangci-lint", "github.com/golangci/golangci-lint", ".", []),
    ("gateway-api", "sigs.k8s.io/gateway-api", ".", []),
    ("runc", "github.com/opencontainers/runc", ".", []),
    ("buildkit", "github.com/moby/buildkit", ".", []),
    ("containerd", "github.com/containerd/containerd", ".", []),
    ("migrate", "github.com/golang-migrate/migrate/v4", ".", []),
    ("fiber", "github.com/gofiber/fiber/v2", ".", []),
    ("urfave-cli", "github.com/urfave/cli/v2", ".", []),
    ("cobra", "github.com/spf13/cobra", ".", []),
    ("hcl", "github.com/hashicorp/hcl/v2", ".", []),
]


def output(*command, **options):
    """Return what a command prints."""
    done = subprocess.run(command, check=True, capture_output=True, text=True, **options)
    return done.stdout


def number(version):
    """Return a version as numbers, None for a pre-release."""
    match = re.fullmatch(r"v(\d+)\.(\d+)\.(\d+)(?:\+incompatible)?", version)
    return match and tuple(map(int, match.groups()))


def releases(module, numbers, environment):
    """Return date and folder of each release of a module that is used."""
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


def make(into, name, module, folder, numbers):
    """Make one site."""
    repository = into / f"{name}.git"
    shutil.rmtree(repository, ignore_errors=True)
    output("git", "init", "-q", str(repository))
    with tempfile.TemporaryDirectory() as cache:
        environment = dict(os.environ, GOMODCACHE=cache, GOFLAGS="-modcacherw")
        commits = releases(module, numbers, environment)
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
    for site in SITES:
        if not sys.argv[2:] or site[0] in sys.argv[2:]:
            make(into, *site)


if __name__ == "__main__":
    main()
