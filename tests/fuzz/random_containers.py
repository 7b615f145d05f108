#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random C++ programs with vectors, lists, queues and strings, whose checksum a native run and Fenceline must agree on.

    random_containers.py PROGRAM [--count N] [--seed N] [--keep FOLDER] [--plant]

Containers are local to a function, members of a structure, or global. They grow, shrink, are copied, moved and swapped:
in main, and in threads that are held by a vector themselves. Threads run one after the other, so there is one
execution. The checksum must be the one of the native run, and one more must be violated. What depends on how far
another thread has filled a container may be unknown, and is counted. The same seed makes the same programs. Those that
fail are kept in FOLDER.

With --plant, what threads append is lost in the native run, as it would be if memory that they write were taken for
constant: then it is an error if no difference is found.
"""

import random
import re
import subprocess
import sys

import many_cases

PLANT = "--plant" in sys.argv
if PLANT:
    sys.argv.remove("--plant")
PATIENCE = 3600  # s: a slow machine is no failure

HEAD = """#include <cassert>
#include <cstdio>
#include <deque>
#include <list>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>
#ifdef PLANT
#define LATE(statement)
#else
#define LATE(statement) statement
#endif
unsigned sum = 1;
void note(unsigned k) { sum = sum * 31 + k; }
using V = std::vector<int>;
V shared;
struct Pool { std::vector<std::thread> threads; V values; std::vector<std::unique_ptr<int>> owned; } pool;
"""


def expression(rng, names):
    name = rng.choice(names)
    return rng.choice([str(rng.randrange(9)), f"int({name}.size())", f"({name}.empty() ? 7 : {name}.back())",
                       f"({name}.empty() ? 5 : {name}[0] + 1)"])


def statement(rng, names, depth=0):
    v, w = rng.choice(names), rng.choice(names)
    kind = rng.randrange(16 if depth < 1 else 12)
    if kind < 4:
        return f"{v}.push_back({expression(rng, names)} & 15);"
    if kind == 4:
        return f"if (!{v}.empty()) {v}.pop_back();"
    if kind == 5:
        return f"{v}.insert({v}.begin(), {expression(rng, names)});"
    if kind == 6:
        return f"if ({v}.size() > 1) {v}.erase({v}.begin() + 1);"
    if kind == 7:
        return rng.choice([f"{v}.clear();", f"{v}.reserve({rng.randrange(1, 5)});", f"{v}.resize({rng.randrange(4)});"])
    if kind == 8:
        return rng.choice([f"{v} = V({rng.randrange(3)}, 6);", f"{v}.swap({w});", f"{{ V other(std::move({v})); {v} = other; }}"])
    if kind < 12:
        return f"for (int x : {v}) note(x);"
    if kind == 12:
        return f"for (int i = 0; i < {rng.randrange(1, 4)}; i++) {{ {statement(rng, names, depth + 1)} }}"
    if kind == 13:
        return f"if ({v}.size() < {rng.randrange(1, 4)}) {{ {statement(rng, names, depth + 1)} }}"
    if kind == 14:
        return rng.choice([
            "{ std::list<int> l; l.push_back(3); l.push_front(4); for (int x : l) note(x); }",
            f"{{ std::deque<int> d; d.push_back({rng.randrange(9)}); d.push_front(2); d.pop_back(); note(d.front()); }}",
            f"{{ std::string s = \"ab\"; s += \"cd\"; s += char('a' + {rng.randrange(5)}); note(s.size()); note(s[{rng.randrange(5)}]); }}"])
    return f"pool.owned.push_back(std::make_unique<int>({rng.randrange(9)})); note(*pool.owned.back());"


def text(rng):
    body = HEAD
    shares = rng.random() < 0.3  # then sizes depend on what a thread has done
    body += "void work(int n) {\n  V mine;\n"
    names = ["mine", "shared"] if shares else ["mine"]
    body += "".join(f"  {statement(rng, names)}\n" for _ in range(rng.randrange(1, 4)))
    body += "  for (int i = 0; i < n; i++) mine.push_back(i);\n  LATE(for (int x : mine) note(x);)\n}\n"
    body += "int main() {\n  V a, b;\n"
    names = ["a", "a", "b", "shared", "pool.values"]
    body += "".join(f"  {statement(rng, names)}\n" for _ in range(rng.randrange(2, 6)))
    holder = rng.choice(["threads", "pool.threads"])
    if holder == "threads":
        body += "  std::vector<std::thread> threads;\n"
    start = rng.choice([f"{holder}.emplace_back(work, i);", f"{holder}.push_back(std::thread([i] {{ work(i + 1); }}));",
                        f"{holder}.emplace_back([&a, i] {{ LATE(for (int x : a) note(x + i);) }});"])
    body += f"  for (int i = 0; i < {rng.randrange(1, 4)}; i++) {{ {start} {holder}.back().join(); }}\n"
    if not shares:
        body += "".join(f"  {statement(rng, names)}\n" for _ in range(rng.randrange(3)))
    body += f"  note({holder}.size());\n  for (int x : a) note(x);\n  for (int x : shared) note(x);\n"
    return body + """#ifdef CHECKSUM
  assert(sum == CHECKSUM);
#else
  printf("%u\\n", sum);
#endif
}
"""


def run(words, seconds):
    try:
        return subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=seconds)
    except subprocess.TimeoutExpired:
        return None


def check(program, path, checksum):
    """The exit status, and why there is no verdict."""
    result = run([program, "check", str(path), "--model", "sc", "--engine", "explicit", "--timeout", "60",
                  "-D", f"CHECKSUM={checksum}u"], PATIENCE)
    if result is None:
        return 124, "no answer"
    output = result.stderr + result.stdout
    reason = re.search(r"error: (.*)", output) or re.search(r"unknown[^\n]*\n\s*(.*)", output)
    return result.returncode, re.sub(r"'[^']*'|\d+", "_", reason.group(1)) if reason else output.strip()[:200]


def case(program, seed, folder):
    path, binary = folder / f"containers_{seed}.cpp", folder / f"containers_{seed}"
    path.write_text(text(random.Random(seed)))

    def finish(problem, *answers):
        binary.unlink(missing_ok=True)
        if problem is None:
            path.unlink()
        return problem, list(answers)

    compiled = run(["c++", "-w", "-std=c++20", "-O1", "-fwrapv", "-pthread", *(["-DPLANT"] if PLANT else []),
                    "-o", str(binary), str(path)], PATIENCE)
    if compiled is None or compiled.returncode != 0:
        return finish(f"the program does not compile: {compiled and compiled.stderr[:500]}", "does not compile")
    ran = run([str(binary)], 60)
    if ran is None or ran.returncode != 0:
        return finish("the native run does not end as it should", "native run fails")
    checksum = int(ran.stdout)
    status, reason = check(program, path, checksum)
    if status == 65:
        return finish(f"rejected: {reason}", f"rejected: {reason}")
    if status == 2:
        return finish(None, f"unknown: {reason}")
    if status != 0:
        return finish(f"status {status} for the right checksum {checksum}: {reason}", "WRONG")
    status, reason = check(program, path, (checksum + 1) % 2**32)
    if status != 1:
        return finish(f"status {status} for a wrong checksum: {reason}", "WRONG")
    return finish(None, "agree")


ANSWERS, FAILURES = many_cases.run(case, 20)
if PLANT:
    print("the planted bug is found" if FAILURES else "the planted bug is not found")
    sys.exit(0 if FAILURES else 1)
if not ANSWERS["agree"]:
    print("nothing was compared")
sys.exit(1 if FAILURES or not ANSWERS["agree"] else 0)
