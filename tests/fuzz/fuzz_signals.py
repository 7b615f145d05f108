#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random programs with condition variables, or futexes, and a Python model of what POSIX and the kernel promise.

    fuzz_signals.py PROGRAM [--count N] [--seed N] [--keep FOLDER] [--plant]

Threads set flags, wait for them, with a time limit or without, and wake others up. The model executes all
interleavings: a wake-up is for any one of those who wait, or for all, or with a futex for as many as it says, among
those whose masks fit; waiting may end without a reason, as often as FL_SPURIOUS_WAKEUPS says. Fenceline must agree, on
sc and tso, whether there is a deadlock, and which values the programs can end with: that it is one of them must be
verified, and that it is not a certain one of them violated. (Where no deadlock is looked for and no program asks how
many were woken, futexes let all go on.)

With --plant, a signal of the model wakes who has waited longest: then it is an error if no difference is found.
"""

import itertools
import json
import random
import subprocess
import sys

import many_cases

PLANT = "--plant" in sys.argv
if PLANT:
    sys.argv.remove("--plant")

FLAGS = 4  # and as many queues
MASKS = [1, 2, 3, -1]  # of those who wake others up, by flag
WAKES = {"signal": 1, "pair": 2, "broadcast": 0x7fffffff}

# ---- Programs: a thread is a list of statements, each with the number of a flag and that of a queue. ----


def statements(rng, futexes):
    """Of one thread."""
    made = []
    for _ in range(rng.randint(1, 2)):
        body = []
        for _ in range(rng.randint(1, 4)):
            flag = rng.randrange(FLAGS)
            queue = flag if futexes or rng.random() < 0.7 else rng.randrange(FLAGS)
            kind = rng.choice(["set", "set", "while", "while", "if", "timed while", "timed if", "signal", "signal",
                               "broadcast", "log"])
            if futexes and kind in WAKES:
                kind = rng.choice(["", "counted "]) + (kind if rng.random() < 0.7 else "pair")
            body.append((kind, flag, queue))
        if futexes:
            made += body
        elif rng.random() < 0.2:
            made.append((rng.choice(["signal", "broadcast"]), 0, rng.randrange(FLAGS)))
        else:
            made += [("lock", 0, 0), *body, ("unlock", 0, 0)]
    return made


def in_order(rng, futexes):
    """Two threads that wait, one after the other, with one queue; the first may be what the second waits for."""
    def wait(flag):
        return rng.choice(["if", "while", "while", "timed if"]), flag, 2

    def wake():
        return rng.choice(["signal", "broadcast", *(["pair", "counted signal"] if futexes else [])]), 2, 2

    first = [("set", 0, 0), ("broadcast", 0, 0), wait(2), ("log", 0, 0)]
    if rng.random() < 0.5:
        first += [("set", 2 if futexes else 3, 0), wake()]
    second = [("while", 0, 0), ("set", 1, 1), ("broadcast", 1, 1), wait(2 if futexes else rng.choice([2, 3])),
              ("log", 0, 0)]
    third = [("while", 1, 1)]
    for _ in range(rng.randint(1, 3)):
        third.append(rng.choice([("set", 2, 2), wake()]))
    return [made if futexes else [("lock", 0, 0), *made, ("unlock", 0, 0)] for made in (first, second, third)]


def mask_of(thread):
    """Of those who wait."""
    return 1 << thread % 2


def counts(threads):
    return any(kind.startswith("counted") for made in threads for kind, _, _ in made)


def source(threads, futexes, masked):
    """In C. FINAL is a condition on x at the end."""
    lines = ["#include <assert.h>", "#include <fenceline.h>", "#include <linux/futex.h>", "#include <pthread.h>",
             "#include <stdatomic.h>", "#include <sys/syscall.h>", "#include <time.h>", "#include <unistd.h>",
             "#ifndef FINAL", "#define FINAL 1", "#endif",
             "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;",
             "pthread_cond_t c[] = {" + ", ".join(["PTHREAD_COND_INITIALIZER"] * FLAGS) + "};",
             f"atomic_int f[{FLAGS}];", "int x;", "struct timespec limit = {1, 0};",
             "#define LOG(n) fl_atomic(x = 3 * x + n;)"]
    for t, made in enumerate(threads):
        lines.append(f"void* thread{t}(void* unused) {{")
        for number, (kind, flag, queue) in enumerate(made):
            timed = kind.startswith("timed")
            if futexes:
                end = f"{'_BITSET_PRIVATE' if masked else '_PRIVATE'}, %s, %s, 0, %s)"
                wait = (f"syscall(SYS_futex, &f[{queue}], FUTEX_WAIT" +
                        end % (0, "&limit" if timed else 0, mask_of(t)))
                wake = f"syscall(SYS_futex, &f[{queue}], FUTEX_WAKE" + end % ("%s", 0, MASKS[flag]) + ";"
            else:
                wait = (f"pthread_cond_timedwait(&c[{queue}], &m, &limit)" if timed
                        else f"pthread_cond_wait(&c[{queue}], &m)")
                wake = f"pthread_cond_%s(&c[{queue}]);"
            lines.append("  " + {
                "lock": "pthread_mutex_lock(&m);",
                "unlock": "pthread_mutex_unlock(&m);",
                "set": f"f[{flag}] = 1;",
                "while": f"while (!f[{flag}]) {wait};",
                "timed while": f"while (!f[{flag}]) {wait};",
                "if": f"if (!f[{flag}]) {wait};",
                "timed if": f"if (!f[{flag}] && {wait}) LOG({log_of(t, number)});",
                "log": f"LOG({log_of(t, number)});",
                **{name: wake % (most if futexes else name) for name, most in WAKES.items()},
                **{f"counted {name}": f"{{ long n = {wake % most} LOG({log_of(t, number)} + n); }}"
                   for name, most in WAKES.items() if futexes},
            }[kind])
        lines += ["  return 0;", "}"]
    lines.append("int main() {")
    lines += [f"  pthread_t t{t};\n  pthread_create(&t{t}, 0, thread{t}, 0);" for t in range(len(threads))]
    lines += [f"  pthread_join(t{t}, 0);" for t in range(len(threads))]
    return "\n".join([*lines, "  assert(FINAL);", "}", ""])


def log_of(thread, number):
    return 7 * thread + number + 1


# ---- The model. A state: for each thread where it is and what it does there; who holds the mutex; the flags; x; how
# often waiting for a queue has ended without a reason; who waits for a queue, the longest first. ----

RUNS, CALLS, WAITS, AWAKE, GAVE_UP, COUNTS = range(6)  # COUNTS and more: how many were woken


class Model:
    def __init__(self, threads, futexes, masked, spurious):
        self.threads, self.futexes, self.masked, self.spurious = threads, futexes, masked, spurious

    def explore(self):
        """Whether there is a deadlock, and the values of x at the end. Waiting need not end without a reason."""
        n = len(self.threads)
        initial = (((0, RUNS),) * n, None, (0,) * FLAGS, 0, (0,) * FLAGS, ((),) * FLAGS)
        seen, todo, deadlock, finals = {initial}, [initial], False, set()
        while todo:
            state = todo.pop()
            following = list(itertools.chain.from_iterable(self.steps(state, t) for t in range(n)))
            if all(at == len(code) for (at, _), code in zip(state[0], self.threads)):
                finals.add(state[3])
            elif not following:
                deadlock = True
            for new in itertools.chain(following, *(self.without_reason(state, t) for t in range(n))):
                if new not in seen:
                    seen.add(new)
                    todo.append(new)
        return deadlock, finals

    def without_reason(self, state, t):
        """Waiting may end."""
        where, owner, flags, x, used, queues = state
        at, does = where[t]
        if does != WAITS:
            return
        _, _, queue = self.threads[t][at]
        if used[queue] < self.spurious:
            yield (replaced(where, t, (at, AWAKE)), owner, flags, x, replaced(used, queue, used[queue] + 1),
                   replaced(queues, queue, without(queues[queue], t)))

    def steps(self, state, t):
        where, owner, flags, x, used, queues = state
        at, does = where[t]
        if at == len(self.threads[t]):
            return
        kind, flag, queue = self.threads[t][at]

        def to(at, does=RUNS, where=where, owner=owner, flags=flags, x=x, queues=queues):
            return replaced(where, t, (at, does)), owner, flags, x, used, queues

        def back(gave_up, owner=owner):
            """Waiting has ended."""
            return to(at if kind.endswith("while") else at + 1, owner=owner,
                      x=3 * x + log_of(t, at) if kind == "timed if" and gave_up else x)

        if does == WAITS:
            if kind.startswith("timed"):
                yield to(at, GAVE_UP, queues=replaced(queues, queue, without(queues[queue], t)))
        elif does in (AWAKE, GAVE_UP):
            if self.futexes:
                yield back(does == GAVE_UP)
            elif owner is None:
                yield back(does == GAVE_UP, t)
        elif does == CALLS:
            # The kernel looks at the word once more.
            yield back(True) if flags[queue] else to(at, WAITS, queues=replaced(queues, queue, queues[queue] + (t,)))
        elif kind == "lock":
            if owner is None:
                yield to(at + 1, owner=t)
        elif kind == "unlock":
            yield to(at + 1, owner=None)
        elif kind == "set":
            yield to(at + 1, flags=replaced(flags, flag, 1))
        elif kind == "log":
            yield to(at + 1, x=3 * x + log_of(t, at))
        elif does >= COUNTS:
            yield to(at + 1, x=3 * x + log_of(t, at) + does - COUNTS)
        elif kind.split()[-1] in WAKES:
            waiting = queues[queue]
            for some in self.woken(waiting, kind.split()[-1], flag):
                after = (at, COUNTS + len(some)) if kind.startswith("counted") else (at + 1, RUNS)
                yield to(*after, where=tuple((a, AWAKE if u in some else d) for u, (a, d) in enumerate(where)),
                         queues=replaced(queues, queue, without(waiting, *some)))
        elif flags[flag]:
            yield to(at + 1)
        elif self.futexes:
            yield to(at, CALLS)
        else:
            yield to(at, WAITS, owner=None, queues=replaced(queues, queue, queues[queue] + (t,)))


    def woken(self, waiting, kind, flag):
        """Which threads it may be."""
        if self.futexes:
            fitting = [t for t in waiting if not self.masked or mask_of(t) & MASKS[flag]]
            most = min(WAKES[kind], len(fitting))
            return [tuple(fitting[:most])] if PLANT else list(itertools.combinations(fitting, most))
        if kind == "broadcast":
            return [waiting]
        return [waiting] + [(t,) for t in (waiting[:1] if PLANT else waiting)]


def without(values, *left_out):
    return tuple(value for value in values if value not in left_out)


def replaced(values, index, value):
    return values[:index] + (value,) + values[index + 1:]


# ---- The comparison ----


def verdict(program, path, spurious, words, checked):
    """The one of both models, if they agree."""
    words = [program, "check", str(path), "--model", "sc,tso", "--timeout", "300", "--json", "-", "--quiet",
             "-D", f"FL_SPURIOUS_WAKEUPS={spurious}", *words]
    result = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if result.returncode not in (0, 1, 2):
        return f"exit status {result.returncode}: {result.stderr[:500]}"
    both = {one["verdict"] for one in json.loads(result.stdout)["results"] if one["property"] == checked}
    return "/".join(sorted(both))


def case(program, seed, folder):
    rng = random.Random(seed)
    futexes, spurious = rng.random() < 0.5, rng.randrange(2)
    if rng.random() < 0.3:
        threads = in_order(rng, futexes)
    else:
        threads = [statements(rng, futexes) for _ in range(rng.choice([2, 3, 3]))]
    masked = futexes and rng.random() < 0.4
    deadlock, finals = Model(threads, futexes, masked, spurious).explore()
    path = folder / f"signals_{seed}.c"
    path.write_text(f"// -D FL_SPURIOUS_WAKEUPS={spurious}; deadlock: {deadlock}\n" + source(threads, futexes, masked))

    questions = [("deadlock", ["--deadlock"], "violated" if deadlock else "verified")]
    if finals and (not futexes or counts(threads)):
        among = " || ".join(f"x == {value}" for value in sorted(finals))
        questions.append(("errors", ["-D", f"FINAL={among}"], "verified"))
        questions.append(("errors", ["-D", f"FINAL=x != {rng.choice(sorted(finals))}"], "violated"))
    answers = []
    for checked, words, expected in questions:
        answer = verdict(program, path, spurious, words, checked)
        if answer == "unknown":
            answers.append(f"{checked} unknown")
        elif answer != expected:
            return f"{checked} {answer} instead of {expected} ({' '.join(words)})", ["WRONG"]
        else:
            answers.append(f"{'futexes' if futexes else 'conditions'}: {checked} {answer}")
    path.unlink()
    return None, answers


COUNTED, FAILURES = many_cases.run(case, 40)
if PLANT:
    print("the planted bug is found" if FAILURES else "the planted bug is not found")
    sys.exit(0 if FAILURES else 1)
sys.exit(1 if FAILURES or not COUNTED else 0)
