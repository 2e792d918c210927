"""Tries mutants: mutants.py LIST COUNT SEED, with the list of `cargo mutants --list --json`. Prints what noticed each of them, and fails
if more than one in thirty lives.

Each is written into a copy of the sources in target/mutants. The unit tests of its crate come first: they are built in seconds, and
notice most. Then come the tests that go over the wire, with few random histories. The first test that fails ends it."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

COPY = Path("target/mutants/sources")
STAGES = [["--package=shared", "--lib"], ["--workspace", "--test=money"], ["--workspace", "--test=api"]]
# Seconds of a stage. A mutant that never ends is noticed.
TIMEOUT = 900
ENVIRONMENT = os.environ | {
    "CARGO_TARGET_DIR": str(Path("target/mutants/build").resolve()),
    "CARGO_INCREMENTAL": "1",
    "CARGO_PROFILE_DEV_DEBUG": "false",
    "HISTORIES": "3",
    "INSTA_UPDATE": "no",
}


def copy_sources():
    shutil.rmtree(COPY, ignore_errors=True)
    for name in subprocess.check_output(["git", "ls-files"], text=True).splitlines():
        (COPY / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(name, COPY / name)


def mutated(text, mutant):
    lines = text.split("\n")

    def offset(place):
        return sum(len(line) + 1 for line in lines[: place["line"] - 1]) + place["column"] - 1

    start, end = (offset(mutant["span"][edge]) for edge in ("start", "end"))
    return text[:start] + mutant["replacement"] + text[end:]


def compiles(stage):
    return subprocess.run(["cargo", "test", "--locked", "--no-run", "--quiet", *stage], cwd=COPY, env=ENVIRONMENT, capture_output=True).returncode == 0


def first_failure(stage):
    """The first test that fails, or None."""
    command = ["cargo", "test", "--locked", *stage]
    tests = subprocess.Popen(command, cwd=COPY, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True)
    end = lambda: os.killpg(tests.pid, signal.SIGKILL)
    timer = threading.Timer(TIMEOUT, end)
    timer.start()
    failed = None
    for line in tests.stdout:
        if failed := re.match(r"test (\S+) .*FAILED$", line):
            end()
            break
    status = tests.wait()
    timer.cancel()
    if failed:
        return failed[1]
    return f"{stage[-1]} ended with {status}" if status else None


def what_notices():
    """The first test that fails, None if none does, or "" if it does not compile."""
    for stage in STAGES:
        if not compiles(stage):
            return ""
        if failure := first_failure(stage):
            return failure
    return None


def main():
    listed, count, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    copy_sources()
    if (failure := what_notices()) is not None:
        sys.exit(f"The sources do not pass as they are: {failure}")
    mutants = json.loads(listed.read_text())
    random.Random(seed).shuffle(mutants)
    tried, living = 0, []
    for mutant in mutants:
        if tried == count:
            break
        started, path = time.monotonic(), COPY / mutant["file"]
        text = path.read_text()
        path.write_text(mutated(text, mutant))
        noticed = what_notices()
        path.write_text(text)
        print(f"{time.monotonic() - started:4.0f} s {mutant['name']}: {'lives' if noticed is None else noticed or 'does not compile'}", flush=True)
        tried += noticed != ""
        if noticed is None:
            living.append(mutant["name"])
    print(f"{len(living)} of {tried} mutants, drawn with SEED={seed} from {len(mutants)}, live:", *living, sep="\n    ")
    sys.exit(len(living) * 30 > tried)


main()
