"""Tries mutants: mutants.py LIST COUNT SEED, with the list of `cargo mutants --list --json`. Prints which test notices each of them, and
fails if more than one in thirty lives.

All of them are built at once, into a copy of the sources in target/mutants: a function that has mutants gets a body for each, and the
variable MUTANT chooses one. A first run of each test, alone in a process, says which mutants it reaches; only those tests try a mutant,
the quickest first, until one fails."""

import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

COPY = Path("target/mutants/sources")
BUILD = ["cargo", "test", "--locked", "--no-run", "--message-format=json", "--workspace", "--lib", "--test=money", "--test=api"]
ENVIRONMENT = os.environ | {
    "CARGO_TARGET_DIR": str(Path("target/mutants/build").resolve()),
    "CARGO_INCREMENTAL": "0",
    "CARGO_PROFILE_DEV_DEBUG": "false",
    "HISTORIES": "3",
    "INSTA_UPDATE": "no",
}
# Many tests wait for time-outs.
AT_ONCE = 2 * (os.cpu_count() or 1)
CHOICE = """
#[doc(hidden)]
pub mod mutants {
    use std::{collections::HashSet, fs::OpenOptions, io::Write as _, sync::{LazyLock, Mutex}};
    static CHOSEN: LazyLock<usize> = LazyLock::new(|| std::env::var("MUTANT").ok().and_then(|id| id.parse().ok()).unwrap_or(usize::MAX));
    static REACHED: LazyLock<Mutex<HashSet<usize>>> = LazyLock::new(Mutex::default);
    pub fn is(id: usize) -> bool {
        static FILE: LazyLock<Option<std::ffi::OsString>> = LazyLock::new(|| std::env::var_os("MUTANTS_REACHED"));
        if let Some(file) = &*FILE {
            if REACHED.lock().unwrap().insert(id) {
                writeln!(OpenOptions::new().create(true).append(true).open(file).unwrap(), "{id}").unwrap();
            }
        }
        *CHOSEN == id
    }
}
"""


@dataclass
class Mutant:
    id: int
    name: str
    file: str
    # Its body, braces included.
    function: tuple
    span: tuple
    replacement: str
    # In the copy.
    lines: range = range(0)
    function_lines: range = range(0)


@dataclass
class Test:
    command: list
    directory: str
    seconds: float = 0.0
    reaches: set = field(default_factory=set)

    @property
    def name(self):
        return self.command[-1]

    def fails(self, timeout, **variables):
        """Whether it fails or takes longer than so many seconds."""
        try:
            environment = ENVIRONMENT | {"CARGO_MANIFEST_DIR": self.directory} | variables
            return subprocess.run(self.command, cwd=self.directory, env=environment, capture_output=True, timeout=timeout).returncode != 0
        except subprocess.TimeoutExpired:
            return True


def place(text, at):
    lines = text.split("\n")
    return sum(len(line) + 1 for line in lines[: at["line"] - 1]) + at["column"] - 1


def drawn(listed, count, seed):
    """More than are asked for: some do not compile."""
    listed = [one for one in listed if one["function"]]
    random.Random(seed).shuffle(listed)
    mutants, texts = [], {}
    for id, one in enumerate(listed[: count * 3 // 2]):
        text = texts.setdefault(one["file"], Path(one["file"]).read_text())
        function, changed = (tuple(place(text, span[edge]) for edge in ("start", "end")) for span in (one["function"]["span"], one["span"]))
        signature = re.compile(rf"\bfn {one['function']['function_name'].split('::')[-1]}\b").search(text, *function)
        body = (text.index("{", signature.end()), function[1])
        mutants.append(Mutant(id, one["name"], one["file"], body, changed, one["replacement"]))
    # A function within another one would be written twice.
    encloses = lambda outer, mutant: outer.file == mutant.file and outer.function[0] < mutant.function[0] < outer.function[1]
    return [mutant for mutant in mutants if not any(encloses(outer, mutant) for outer in mutants)]


def copy_sources():
    shutil.rmtree(COPY, ignore_errors=True)
    for name in subprocess.check_output(["git", "ls-files"], text=True).splitlines():
        (COPY / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(name, COPY / name)
    with (COPY / "shared/src/lib.rs").open("a") as library:
        library.write(CHOICE)


def write(file, mutants):
    """Writes a file of the copy with these mutants of it."""
    text, written, at = Path(file).read_text(), "", 0
    by_function = lambda mutant: mutant.function
    for function, group in groupby(sorted(mutants, key=by_function), by_function):
        start, end = function
        written += text[at:start] + "{"
        first_line = written.count("\n") + 1
        group = list(group)
        for mutant in group:
            changed = text[start : mutant.span[0]] + mutant.replacement + text[mutant.span[1] : end]
            line = written.count("\n") + 1
            written += f"if crate::mutants::is({mutant.id}) {{ {changed} }} else\n"
            mutant.lines = range(line, written.count("\n") + 1)
        written += f"{text[start:end]} }}"
        for mutant in group:
            mutant.function_lines = range(first_line, written.count("\n") + 2)
        at = end
    (COPY / file).write_text(written + text[at:])


def build():
    """What cargo says."""
    output = subprocess.run(BUILD, cwd=COPY, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    return [json.loads(line) for line in output.splitlines()]


def places_of_errors(built):
    errors = [one["message"] for one in built if one["reason"] == "compiler-message" and one["message"]["level"] == "error"]
    return [(span["file_name"], span["line_start"]) for error in errors for span in error["spans"] if span["is_primary"]]


def with_mutants(mutants):
    """Builds the copy with these mutants, but for those that do not compile. Returns the others, and what cargo says."""
    for file in sorted({mutant.file for mutant in mutants}):
        write(file, [mutant for mutant in mutants if mutant.file == file])
    while places := places_of_errors(built := build()):
        wrong = {one.id for file, line in places for one in mutants if one.file == file and line in one.lines}
        # A function that cannot have several bodies.
        wrong = wrong or {one.id for file, line in places for one in mutants if one.file == file and line in one.function_lines}
        if not wrong:
            sys.exit(f"Errors outside of the mutants: {places}")
        files = {one.file for one in mutants if one.id in wrong}
        mutants = [one for one in mutants if one.id not in wrong]
        for file in files:
            write(file, [one for one in mutants if one.file == file])
        print(f"{len(mutants)} may compile", flush=True)
    if not built[-1]["success"]:
        sys.exit("The copy cannot be built.")
    return mutants, built


def tests_of(built):
    """The tests, each a process of its own."""
    tests = []
    for one in built:
        if not one.get("executable") or not one["profile"]["test"]:
            continue
        listed, ignored = (
            subprocess.check_output([one["executable"], "--list", "--format=terse", *flag], text=True).splitlines() for flag in ([], ["--ignored"])
        )
        directory = str(Path(one["manifest_path"]).parent)
        names = [line.removesuffix(": test") for line in listed if line.endswith(": test") and line not in ignored]
        tests += [Test([one["executable"], "--exact", name], directory) for name in names]
    return tests


def measure(test):
    reached = Path("target/mutants/reached", str(abs(hash(tuple(test.command))))).resolve()
    for last in (False, True):
        reached.unlink(missing_ok=True)
        started = time.monotonic()
        failed = test.fails(600, MUTANTS_REACHED=str(reached))
        test.seconds = time.monotonic() - started
        if not failed:
            break
        if last:
            sys.exit(f"The sources do not pass as they are: {test.name}")
    test.reaches = {int(line) for line in reached.read_text().split()} if reached.exists() else set()


def what_notices(mutant, tests, pool):
    """The first test that fails twice, or None."""
    noticed = []

    def tries(test):
        variables = {"MUTANT": str(mutant.id)}
        timeout = 60 + 5 * test.seconds
        if not noticed and test.fails(timeout, **variables) and not noticed and test.fails(timeout, **variables):
            noticed.append(test.name)

    list(pool.map(tries, sorted((test for test in tests if mutant.id in test.reaches), key=lambda test: test.seconds)))
    return noticed[0] if noticed else None


def main():
    listed, count, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    listed = json.loads(listed.read_text())
    copy_sources()
    mutants, built = with_mutants(drawn(listed, count, seed))
    mutants, tests = mutants[:count], tests_of(built)
    shutil.rmtree("target/mutants/reached", ignore_errors=True)
    Path("target/mutants/reached").mkdir()
    living = []
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(measure, tests))
        print(f"{len(tests)} tests", flush=True)
        for mutant in mutants:
            started = time.monotonic()
            noticed = what_notices(mutant, tests, pool)
            print(f"{time.monotonic() - started:4.0f} s {mutant.name}: {noticed or 'lives'}", flush=True)
            if not noticed:
                living.append(mutant.name)
    print(f"{len(living)} of {len(mutants)} mutants, drawn with SEED={seed} from {len(listed)}, live:", *living, sep="\n    ")
    sys.exit(len(living) * 30 > len(mutants))


main()
