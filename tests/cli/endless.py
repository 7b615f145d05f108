# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs on which no engine terminates, and supervised runs of the program: time, memory of the whole process
tree, processes and temporary files that are left."""

import json
import os
import pathlib
import subprocess
import sys
import time
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import validate_json  # noqa: E402

# For several reasons: states without end, values without end, formulas without end, a compiler and mining
# without end.
PROGRAMS = {
    "huge.fl": """\
shared int x[6];
thread P[i in 0..5] {
  local int r = 0;
  while (true) { havoc r in 0..1000; x[i] = r; }
}
property small: never (x[0] == 1001);
""",
    "havoc.fl": """\
shared int x = 0, y = 0;
thread P { local int r = 0; havoc r in 0..9223372036854775807; x = r; y = r; }
thread Q { local int a = 0, b = 0; a = y; b = x; assert(a <= b || a > b - 1 || b == 12345678901); }
""",
    "counters.fl": """\
shared int a = 0, b = 0, c = 0, d = 0, e = 0, f = 0;
thread P { while (true) { a = a + b + 1; b = b + c; c = c + d + 2; if (a > b) { d = d + a; } else { e = e - f; } } }
thread Q { while (true) { d = d + e + 1; e = e + f; f = f + a + 2; if (d > e) { a = a + d; } else { b = b - c; } } }
thread R { while (true) { b = b + f; if (c > d + e) { f = f + 1; } } }
property apart: never (a * a + b * b == 3);
""",
    "queues.fl": """\
shared int x[5], y = 0;
thread P[i in 0..4] {
  local int r = 0, s = 0;
  while (true) { havoc r in 0..3; x[i] = r; s = x[(i + 1) % 5]; y = s; r = y; x[(i + 2) % 5] = r; assert(s < 9); }
}
""",
    "countdown.c": """\
#include <fenceline.h>
#include <pthread.h>
#include <stdatomic.h>
_Atomic int x;
static void *count(void *unused) {
  unsigned n = (unsigned)fl_nondet(0, 4294967295L);
  while (n != 0) { n--; x = (int)n; }
  return 0;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, count, 0);
  pthread_create(&u, 0, count, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  fl_assert(x == 0);
  return 0;
}
""",
    "events.c": """\
#include <fenceline.h>
#include <pthread.h>
#include <stdatomic.h>
_Atomic int a[8];
static void *work(void *unused) {
  for (int i = 0; i < 60; i++) {
    int r = atomic_load_explicit(&a[i % 8], memory_order_relaxed);
    atomic_store_explicit(&a[(r + i) & 7], r + 1, memory_order_release);
    atomic_fetch_add_explicit(&a[(i * 3) % 8], 1, memory_order_acq_rel);
  }
  return 0;
}
int main(void) {
  pthread_t t[3];
  for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, work, 0);
  for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
  fl_assert(a[0] != 123456);
  return 0;
}
""",
    "compile.cpp": """\
#include <fenceline.h>
template <int N, int M> struct F { static constexpr unsigned long v = F<N - 1, M * 2 + 1>::v + F<N - 1, M * 2>::v; };
template <int M> struct F<0, M> { static constexpr unsigned long v = M; };
int main() { fl_assert(F<24, 0>::v != 7); }
""",
    "mining.c": """\
#include <fenceline.h>
int cells[40];
void put(int value) { for (int i = 0; i < 40; i++) { long r = fl_nondet(0, 9); cells[i] = (int)(r * value); } }
int sum() { int s = 0; for (int i = 0; i < 40; i++) s += cells[i]; return s; }
""",
    "mining.tests": """\
implementation "mining.c"

operation p = put(in {0, 1, 2});
operation s = int sum();

test T = ( p p | p s | s p )
""",
    "wide.litmus": "X86 wide\n{ x=0; y=0; z=0; a=0; b=0; }\n"
    + " | ".join(f"P{t}" for t in range(6))
    + " ;\n"
    + "".join(
        " | ".join(
            (f"MOV [{'xyzab'[(t + i) % 5]}],${i + 1}" if (i + t) % 2 else f"MOV EAX,[{'xyzab'[(t + 2 * i) % 5]}]")
            for t in range(6)
        )
        + " ;\n"
        for i in range(9)
    )
    + "exists (x=1 /\\ 0:EAX=2 /\\ 1:EAX=3)\n",
}

CHECKS = [  # file, engine, models
    ("huge.fl", "explicit", ["sc", "tso", "pso"]),
    ("huge.fl", "coherence", ["tso", "pso"]),
    ("huge.fl", "automata", ["tso", "pso"]),
    ("huge.fl", "auto", ["sc", "tso", "pso"]),
    ("havoc.fl", "queue", ["sc", "tso", "pso", "rmo", "rmo-ctrl"]),
    ("havoc.fl", "auto", ["tso", "pso", "rmo"]),
    ("counters.fl", "numeric", ["sc", "tso", "pso"]),
    ("counters.fl", "auto", ["tso", "pso"]),
    ("queues.fl", "queue", ["rmo", "rmo-ctrl"]),
    ("queues.fl", "auto", ["tso", "pso", "rmo"]),
    ("countdown.c", "auto", ["sc", "tso", "pso", "relaxed", "armv8", "power", "rc11"]),
    ("countdown.c", "sat", ["sc", "tso", "rc11"]),
    ("events.c", "auto", ["sc", "tso", "pso", "relaxed", "armv8", "power", "riscv", "rc11"]),
    ("events.c", "sat", ["tso", "armv8", "power", "riscv", "rc11"]),
    ("compile.cpp", "auto", ["sc", "rc11"]),
    ("mining.tests", "auto", ["sc", "tso", "relaxed"]),
]
INFERS = [  # file, method, model
    ("huge.fl", "lazy", "tso"),
    ("huge.fl", "avoid", "pso"),
    ("queues.fl", "foil", "rmo"),
    ("counters.fl", "prop", "tso"),
    ("counters.fl", "descent", "pso"),
    ("queues.fl", "lazy", "tso"),
]


def write_programs(folder):
    for name, text in PROGRAMS.items():
        (folder / name).write_text(text, encoding="utf-8")


def random_words(random):
    """A command that does not come to an end by itself."""
    kind = random.choice(["check"] * 7 + ["infer"] * 2 + ["litmus"])
    if kind == "check":
        file, engine, models = random.choice(CHECKS)
        chosen = random.sample(models, 1)
        return ["check", "--engine", engine, "--model", ",".join(chosen), "--jobs", str(random.choice([1, 1, 2])), file]
    if kind == "infer":
        file, method, model = random.choice(INFERS)
        return ["infer", "--method", method, "--model", model, "--jobs", str(random.choice([1, 1, 2])), file]
    model = random.choice([[], ["--model", "power"], ["--model", "armv8"], ["--model", "pso"]])
    return ["litmus", *model, "--jobs", "1", "wide.litmus"]


def resident_kb(pid):
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE") // 1024
    except (OSError, IndexError, ValueError):
        return 0


def descendants(pid):
    found = [pid]
    for one in found:
        try:
            for task in os.listdir(f"/proc/{one}/task"):
                with open(f"/proc/{one}/task/{task}/children", encoding="ascii") as file:
                    found.extend(int(child) for child in file.read().split())
        except OSError:
            pass
    return found


def marked(mark):
    """Processes that were started, directly or not, with this mark in their environment, and are still there."""
    left = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/environ", "rb") as file:
                if mark.encode() in file.read():
                    left.append(int(entry))
        except OSError:
            pass
    return left


# s: when a test gives up waiting for an end, on however slow a machine.
PATIENCE = 3600


class SupervisedRun:
    """A run of the program in a folder of its own for temporary files."""

    def __init__(self, program, words, folder, schema):
        self.schema = schema
        self.mark = f"FENCELINE_TEST={uuid.uuid4()}"
        self.temporary = folder / "temporary"
        self.out = folder / "out"
        for made in (self.temporary, self.out):
            made.mkdir(exist_ok=True)
        self.json = self.out / "result.json"
        self.words = [program, *words, "--json", str(self.json)]
        self.log = folder / "log"
        environment = dict(os.environ, TMPDIR=str(self.temporary))
        environment.update([self.mark.split("=", 1)])
        self.start = time.monotonic()
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                self.words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        self.peak_kb = 0

    def watch(self, seconds, pause=0.004):
        """Until it ends, or for so long. True if it has ended."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.process.poll() is not None:
                self.seconds = time.monotonic() - self.start
                return True
            self.peak_kb = max(self.peak_kb, sum(resident_kb(pid) for pid in descendants(self.process.pid)))
            time.sleep(pause)
        return self.process.poll() is not None

    def end(self):
        for pid in marked(self.mark):
            try:
                os.kill(pid, 9)
            except OSError:
                pass
        self.process.wait()

    def complaints_about_leftovers(self):
        if left := marked(self.mark):
            yield f"processes are left: {left}"
        if left := os.listdir(self.temporary):
            yield f"temporary files are left: {left}"
        if left := [name for name in os.listdir(self.out) if name != "result.json"]:
            yield f"temporary files are left beside the result: {left}"

    def complaints_about_json(self):
        try:
            document = json.loads(self.json.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            yield f"the JSON result is not valid: {error}"
            return
        yield from validate_json.schema_complaints(json.loads(self.schema.read_text(encoding="utf-8")), document)
        if not document["results"] and not document.get("litmus") and "failure" not in document:
            yield "the JSON result is empty"

    def output(self):
        return self.log.read_text(encoding="utf-8", errors="replace")[-600:]
