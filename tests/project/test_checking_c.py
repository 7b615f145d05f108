#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples of docs/checking-c.md: each command prints what the page says.

In what a page shows, a line `...` stands for any lines, and the time an engine took for any time.

    test_checking_c.py PROGRAM [unittest options]
"""

import re
import shlex

from program_case import ROOT, ProgramCase, main

PAGE = (ROOT / "docs/checking-c.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.M | re.S)


def source(beginning):
    """The text of a file that the page shows: the block with this line in it."""
    found = [text for _, text in BLOCKS if beginning in text and not text.startswith("$ ")]
    assert len(found) == 1, (beginning, len(found))
    return found[0]


def examples():
    """Commands and what they print, in the order of the page."""
    for _, text in BLOCKS:
        for command, output in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", text, re.M):
            yield command, output.rstrip("\n").split("\n")


def comparable(line):
    return re.sub(r"\(\w+: [^)]*\d s\)", "(engine)", line.rstrip())


def matches(shown, printed):
    """Does `...` leave out what the other lines do not have?"""
    if not shown:
        return not printed
    if shown[0].strip() == "...":
        return any(matches(shown[1:], printed[i:]) for i in range(len(printed) + 1))
    return bool(printed) and comparable(shown[0]) == comparable(printed[0]) and matches(shown[1:], printed[1:])


# Files that the page only quotes.
NULL = """struct pair {
  long a, b; } *p;
int main() { p->b = 1; }
"""
LOOP = """int x;
int main() {
  int i = 0;
  while (1) x = ++i;
}
"""
POOL = """#include <pthread.h>
#include <stdlib.h>

struct config {
  int slots;
};

struct config first, second, *config = &first;
int* values;

void* reconfigure(void* unused) {
  second.slots = 3;
  config = &second;
  return 0;
}

void* start(void* unused);

int main() {
  pthread_t a, b;
  pthread_create(&a, 0, reconfigure, 0), pthread_create(&b, 0, start, 0);
}
void* start(void* unused) {
  values = calloc((size_t)config->slots, sizeof(int));
  return 0;
}
"""


class Examples(ProgramCase):
    def printed(self, command):
        words = shlex.split(command)
        assert words[0] == "fenceline", command
        result = self.run_program(*words[1:], "--timeout", "3000")
        lines = (result.stdout + result.stderr).rstrip("\n").split("\n")
        return lines

    def check(self, command, shown):
        loop = re.fullmatch(r"for n in ([\d ]+); do (.*); done", command)
        commands = [loop.group(2).replace("$n", n) for n in loop.group(1).split()] if loop else [command]
        printed = [line for one in commands for line in self.printed(one)]
        self.assertTrue(matches(shown, printed), "\n".join([command, "shown:", *shown, "printed:", *printed]))

    def test_examples(self):
        (self.folder / "corpus").symlink_to(ROOT / "corpus")
        handoff = source("void* producer(void* unused) {\n  data = 42;")
        self.file("handoff.c", handoff)
        self.file("stack.c", source("typedef struct stack {\n  _Atomic(node*) top;"))
        self.file("stack.tests", source('implementation "stack.c"'))
        self.file("fp.c", "double x;\nint main() { x = x + 1.5; }\n")
        for name, text in (("null.c", NULL), ("pool.c", POOL), ("loop.c", LOOP)):
            self.file(name, text)
        seen = 0
        for command, shown in examples():
            # What is compiled for another processor depends on the packages that are installed.
            if any("compiled for" in line for line in shown):
                continue
            # The page first shows the program with a mistake, and then without.
            if "power,riscv" in command and "handoff.c" in command:
                correct = handoff.replace("&ready, 1, memory_order_relaxed", "&ready, 1, memory_order_release")
                self.assertNotEqual(correct, handoff)
                self.file("handoff.c", correct)
            with self.subTest(command=command):
                self.check(command, shown)
                seen += 1
        self.assertGreaterEqual(seen, 8)


if __name__ == "__main__":
    main(__doc__)
