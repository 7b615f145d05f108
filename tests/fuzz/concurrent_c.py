# SPDX-License-Identifier: GPL-3.0-or-later
"""Small concurrent C programs with two readings of their own: interleavings on SC, and executions on RC11.

A program is a list of threads, each a list of statements (tuples, see `STATEMENTS`), and facts about what the threads
saw: main joins all threads and asserts that not all facts hold. `c_text` writes it down in C. `sc_violated` runs all
interleavings; `rc11_violated` enumerates all executions and judges them by the axioms as Lahav, Vafeiadis, Kang, Hur and
Dreyer state them (PLDI 2017), data races included. Both share nothing with Fenceline and know nothing of its IR.
"""

import itertools

# ("st", variable, value, order)            ("ld", register, variable, order)
# ("add", register, variable, value, order) ("xchg", register, variable, value, order)
# ("cas", register, variable, expected, value, order)   the register gets the old value
# ("fence", order)
# ("if", register, value, statements)       if the register is the value
# ("wait", variable, order, value, statements)   while the variable is not the value: the statements
# ("for", count, statements)
# ("section", statements)                   with the mutex held
# ("deref", register)                       reads what the atomic pointer points to: nothing, or the plain variable a
# ("point", order)                          makes it point to a
# ("div", register, variable)               6 / an atomic variable
# ("check", register, value)                asserts that the register is not the value
STATEMENTS = ["st", "ld", "add", "xchg", "cas", "fence", "if", "wait", "for", "section", "deref", "point", "div", "check"]
ATOMICS, PLAIN = ["x", "y", "f"], ["a", "b"]
ORDERS = {"rlx": "relaxed", "acq": "acquire", "rel": "release", "acqrel": "acq_rel", "sc": "seq_cst"}
FAILING_ITERATIONS = 2  # of each execution of a `wait` that the enumeration goes through


class TooLarge(Exception):
    """Too many executions to go through."""


# ---- C ----


def registers_of(statements):
    for statement in statements:
        if statement[0] in ("ld", "add", "xchg", "cas", "deref", "div", "if", "check"):
            yield statement[1]
        if isinstance(statement[-1], list):
            yield from registers_of(statement[-1])


def c_lines(statements, depth, counter):
    pad = "  " * depth
    for statement in statements:
        kind, *rest = statement
        order = f"memory_order_{ORDERS.get(str(statement[-1]), str())}"
        if kind == "st":
            plain = f"{rest[0]} = {rest[1]};"
            yield pad + (plain if rest[2] == "na" else f"atomic_store_explicit(&{rest[0]}, {rest[1]}, {order});")
        elif kind == "ld":
            plain = f"{rest[0]} = {rest[1]};"
            yield pad + (plain if rest[2] == "na" else f"{rest[0]} = atomic_load_explicit(&{rest[1]}, {order});")
        elif kind == "add":
            yield pad + f"{rest[0]} = atomic_fetch_add_explicit(&{rest[1]}, {rest[2]}, {order});"
        elif kind == "xchg":
            yield pad + f"{rest[0]} = atomic_exchange_explicit(&{rest[1]}, {rest[2]}, {order});"
        elif kind == "cas":
            yield pad + f"{rest[0]} = {rest[2]};"
            fail = "memory_order_seq_cst" if rest[4] == "sc" else (
                "memory_order_acquire" if rest[4] in ("acq", "acqrel") else "memory_order_relaxed")
            yield pad + (f"atomic_compare_exchange_strong_explicit(&{rest[1]}, &{rest[0]}, {rest[3]}, {order}, {fail});")
        elif kind == "fence":
            yield pad + f"atomic_thread_fence({order});"
        elif kind == "if":
            yield pad + f"if ({rest[0]} == {rest[1]}) {{"
            yield from c_lines(rest[2], depth + 1, counter)
            yield pad + "}"
        elif kind == "wait":
            order = "memory_order_" + ORDERS[rest[1]]
            yield pad + f"while (atomic_load_explicit(&{rest[0]}, {order}) != {rest[2]}) {{"
            yield from c_lines(rest[3], depth + 1, counter)
            yield pad + "}"
        elif kind == "for":
            name = f"i{next(counter)}"
            yield pad + f"for (int {name} = 0; {name} < {rest[0]}; ++{name}) {{"
            yield from c_lines(rest[1], depth + 1, counter)
            yield pad + "}"
        elif kind == "section":
            yield pad + "pthread_mutex_lock(&m);"
            yield from c_lines(rest[0], depth, counter)
            yield pad + "pthread_mutex_unlock(&m);"
        elif kind == "deref":
            yield pad + f"{rest[0]} = *atomic_load_explicit(&p, memory_order_relaxed);"
        elif kind == "point":
            yield pad + f"atomic_store_explicit(&p, &a, {order});"
        elif kind == "div":
            yield pad + f"{rest[0]} = 6 / atomic_load_explicit(&{rest[1]}, memory_order_relaxed);"
        elif kind == "check":
            yield pad + f"fl_assert({rest[0]} != {rest[1]});"


def c_text(program):
    threads, facts = program
    names = [sorted(set(registers_of(body))) for body in threads]
    text = "#include <fenceline.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\n"
    text += "atomic_int x, y, f;\nint a, b;\n_Atomic(int *) p;\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
    for number, registers in enumerate(names):
        if registers:
            text += "int " + ", ".join(f"out{number}_{name}" for name in registers) + ";\n"
    for number, body in enumerate(threads):
        text += f"\nstatic void *thread{number}(void *unused) {{\n"
        if names[number]:
            text += "  int " + ", ".join(f"{name} = 0" for name in names[number]) + ";\n"
        text += "\n".join(c_lines(body, 1, itertools.count())) + "\n"
        for name in names[number]:
            if name == "w":  # what a wait reads is not looked at later: its iterations leave nothing behind
                continue
            text += f"  out{number}_{name} = {name};\n"
        text += "  return unused;\n}\n"
    text += f"\nint main(void) {{\n  pthread_t t[{len(threads)}];\n"
    text += "".join(f"  pthread_create(&t[{i}], 0, thread{i}, 0);\n" for i in range(len(threads)))
    text += "".join(f"  pthread_join(t[{i}], 0);\n" for i in range(len(threads)))
    terms = [f"out{thread}_{name} == {value}" for thread, name, value in facts]
    return text + f"  fl_assert(!({' && '.join(terms) or '0'}));\n  return 0;\n}}\n"


# ---- Flat code ----


def flat(statements):
    """Instructions with jumps: LD ST RMW FENCE BNE BEQ JMP LOCK UNLOCK FAIL0 FAILEQ WAIT END."""
    code = []

    def emit(body):
        for statement in body:
            kind, *rest = statement
            if kind == "st":
                code.append(["ST", rest[0], rest[1], rest[2]])
            elif kind == "ld":
                code.append(["LD", rest[0], rest[1], rest[2]])
            elif kind in ("add", "xchg"):
                code.append(["RMW", rest[0], rest[1], (kind, rest[2]), rest[3]])
            elif kind == "cas":
                code.append(["RMW", rest[0], rest[1], ("cas", rest[2], rest[3]), rest[4]])
            elif kind == "fence":
                code.append(["FENCE", rest[0]])
            elif kind == "if":
                branch = ["BNE", rest[0], rest[1], None]
                code.append(branch)
                emit(rest[2])
                branch[3] = len(code)
            elif kind == "wait":
                top = len(code)
                code.append(["WAIT"])
                code.append(["LD", "_", rest[0], rest[1]])
                branch = ["BEQ", "_", rest[2], None]
                code.append(branch)
                emit(rest[3])
                code.append(["JMP", top])
                branch[3] = len(code)
            elif kind == "for":
                for _ in range(rest[0]):
                    emit(rest[1])
            elif kind == "section":
                code.append(["LOCK"])
                emit(rest[0])
                code.append(["UNLOCK"])
            elif kind == "deref":
                code.append(["LD", "_p", "p", "rlx"])
                code.append(["FAIL0", "_p"])
                code.append(["LD", rest[0], "a", "na"])
            elif kind == "point":
                code.append(["ST", "p", 1, rest[0]])
            elif kind == "div":
                code.append(["LD", "_d", rest[1], "rlx"])
                code.append(["FAIL0", "_d"])
                code.append(["SIX", rest[0]])
            elif kind == "check":
                code.append(["FAILEQ", rest[0], rest[1]])

    emit(statements)
    code.append(["END"])
    return code


def written(operation, old):
    """What a read-modify-write stores, or None."""
    if operation[0] == "add":
        return old + operation[1]
    if operation[0] == "xchg":
        return operation[1]
    return operation[2] if old == operation[1] else None


# ---- Interleavings ----


def sc_violated(program):
    threads, facts = program
    codes = [flat(body) for body in threads]
    start = (tuple((0, ()) for _ in codes), ())
    seen, stack = {start}, [start]
    while stack:
        state = stack.pop()
        counters, memory = state
        if all(codes[i][pc][0] == "END" for i, (pc, _) in enumerate(counters)):
            if facts and all(dict(counters[t][1]).get(name, 0) == value for t, name, value in facts):
                return True
        for thread, (pc, registers) in enumerate(counters):
            step = sc_step(codes[thread][pc], pc, dict(registers), dict(memory))
            if step == "fails":
                return True
            if step is None:
                continue
            pc, registers, after = step
            moved = list(counters)
            moved[thread] = (pc, tuple(sorted(registers.items())))
            state = (tuple(moved), tuple(sorted(after.items())))
            if state not in seen:
                seen.add(state)
                stack.append(state)
        if len(seen) > 200000:
            raise TooLarge
    return False


def sc_step(instruction, pc, registers, memory):
    kind, *rest = instruction
    pc += 1
    if kind == "END":
        return None
    if kind == "LD":
        registers[rest[0]] = memory.get(rest[1], 0)
    elif kind == "ST":
        memory[rest[0]] = rest[1]
    elif kind == "RMW":
        old = memory.get(rest[1], 0)
        new = written(rest[2], old)
        if new is not None:
            memory[rest[1]] = new
        registers[rest[0]] = old
    elif kind in ("BNE", "BEQ"):
        if (registers.get(rest[0], 0) == rest[1]) == (kind == "BEQ"):
            pc = rest[2]
    elif kind == "JMP":
        pc = rest[0]
    elif kind == "LOCK":
        if memory.get("m", 0):
            return None
        memory["m"] = 1
    elif kind == "UNLOCK":
        memory["m"] = 0
    elif kind == "FAIL0" and registers.get(rest[0], 0) == 0:
        return "fails"
    elif kind == "FAILEQ" and registers.get(rest[0], 0) == rest[1]:
        return "fails"
    elif kind == "SIX":
        registers[rest[0]] = 6 // registers["_d"]
    return pc, registers, memory


# ---- Executions on RC11 ----


class Event:
    __slots__ = ("thread", "kind", "variable", "value", "order", "rmw")

    def __init__(self, thread, kind, variable, value, order, rmw=False):
        self.thread, self.kind, self.variable, self.value, self.order = thread, kind, variable, value, order
        self.rmw = rmw  # the write of one; its read is the event before it

    def __repr__(self):
        return f"{self.thread}:{self.kind}{self.order}({self.variable})={self.value}"


def values_of(codes):
    values = {}
    for code in codes:
        for instruction in code:
            if instruction[0] == "ST":
                values.setdefault(instruction[1], {0}).add(instruction[2])
            if instruction[0] == "RMW" and instruction[3][0] != "add":
                values.setdefault(instruction[2], {0}).add(instruction[3][-1])
    for _ in range(3):
        for code in codes:
            for instruction in code:
                if instruction[0] == "RMW" and instruction[3][0] == "add":
                    here = values.setdefault(instruction[2], {0})
                    here |= {value + instruction[3][1] for value in here if value < 4}
    return values


def paths_of(code, thread, values):
    """(events, registers, how it ends) for everything the thread can do, whatever it reads."""
    done, stack = [], [(0, {}, [], {})]
    while stack:
        pc, registers, events, fails = stack.pop()
        if len(done) + len(stack) > 3000:
            raise TooLarge
        kind, *rest = code[pc]
        if kind == "END":
            done.append((events, registers, "end"))
        elif kind == "WAIT":
            if fails.get(pc, 0) > FAILING_ITERATIONS:
                done.append((events, registers, "stuck"))
            else:
                stack.append((pc + 1, registers, events, {**fails, pc: fails.get(pc, 0) + 1}))
        elif kind == "LD":
            for value in values.get(rest[1], {0}):
                stack.append((pc + 1, {**registers, rest[0]: value},
                              events + [Event(thread, "R", rest[1], value, rest[2])], fails))
        elif kind == "ST":
            stack.append((pc + 1, registers, events + [Event(thread, "W", rest[0], rest[1], rest[2])], fails))
        elif kind == "RMW":
            for value in values.get(rest[1], {0}):
                new = written(rest[2], value)
                read_order, write_order = rest[3], rest[3]
                if rest[2][0] == "cas" and new is None:  # a load with the order of a failure
                    read_order = {"rel": "rlx", "acqrel": "acq"}.get(rest[3], rest[3])
                more = [Event(thread, "R", rest[1], value, read_order)]
                if new is not None:
                    more.append(Event(thread, "W", rest[1], new, write_order, True))
                stack.append((pc + 1, {**registers, rest[0]: value}, events + more, fails))
        elif kind == "FENCE":
            stack.append((pc + 1, registers, events + [Event(thread, "F", None, 0, rest[0])], fails))
        elif kind in ("BNE", "BEQ"):
            jumps = (registers.get(rest[0], 0) == rest[1]) == (kind == "BEQ")
            stack.append((rest[2] if jumps else pc + 1, registers, events, fails))
        elif kind == "JMP":
            stack.append((rest[0], registers, events, fails))
        elif kind == "LOCK":
            done.append((events, registers, "stuck"))
            more = [Event(thread, "R", "m", 0, "acq"), Event(thread, "W", "m", 1, "rlx", True)]
            stack.append((pc + 1, registers, events + more, fails))
        elif kind == "UNLOCK":
            stack.append((pc + 1, registers, events + [Event(thread, "W", "m", 0, "rel")], fails))
        elif kind in ("FAIL0", "FAILEQ"):
            wrong = registers.get(rest[0], 0) == (0 if kind == "FAIL0" else rest[1])
            if wrong:
                done.append((events, registers, "fails"))
            else:
                stack.append((pc + 1, registers, events, fails))
        elif kind == "SIX":
            stack.append((pc + 1, {**registers, rest[0]: 6 // registers["_d"]}, events, fails))
    return done


def closure(rows):
    for k in range(len(rows)):
        row, mask = rows[k], 1 << k
        for x in range(len(rows)):
            if rows[x] & mask:
                rows[x] |= row
        # rows[k] may have grown only by itself
    return rows


def compose(a, b):
    result = []
    for row in a:
        out = 0
        while row:
            low = row & -row
            out |= b[low.bit_length() - 1]
            row ^= low
        result.append(out)
    return result


def union(*relations):
    return [a if not rest else a | _or(rest) for a, *rest in zip(*relations)]


def _or(rows):
    out = 0
    for row in rows:
        out |= row
    return out


def inverse(rows):
    result = [0] * len(rows)
    for x, row in enumerate(rows):
        while row:
            low = row & -row
            result[low.bit_length() - 1] |= 1 << x
            row ^= low
    return result


def only(mask_from, rows, mask_to):
    return [row & mask_to if mask_from >> x & 1 else 0 for x, row in enumerate(rows)]


def irreflexive(rows):
    return not any(row >> x & 1 for x, row in enumerate(rows))


class Judge:
    """One choice of paths: what does not depend on rf and co."""

    def __init__(self, events):
        self.events = events
        n = self.n = len(events)
        self.identity = [1 << x for x in range(n)]
        mask = lambda test: sum(1 << x for x, e in enumerate(events) if test(e))
        self.sb = [sum(1 << y for y in range(x + 1, n) if events[y].thread == e.thread) if e.thread >= 0 else
                   sum(1 << y for y in range(n) if events[y].thread >= 0) for x, e in enumerate(events)]
        self.loc = [sum(1 << y for y, o in enumerate(events) if o.variable == e.variable and e.variable) for e in events]
        self.writes, self.reads = mask(lambda e: e.kind == "W"), mask(lambda e: e.kind == "R")
        self.fences = mask(lambda e: e.kind == "F")
        self.atomic = mask(lambda e: e.kind != "F" and e.order != "na" and e.thread >= 0)
        self.release = mask(lambda e: e.kind in "WF" and e.order in ("rel", "acqrel", "sc"))
        self.acquire = mask(lambda e: e.kind in "RF" and e.order in ("acq", "acqrel", "sc"))
        self.sc_access = mask(lambda e: e.kind != "F" and e.order == "sc")
        self.sc_fence = mask(lambda e: e.kind == "F" and e.order == "sc")
        self.rmw = [1 << (x + 1) if x + 1 < n and events[x + 1].rmw else 0 for x in range(n)]
        every = (1 << n) - 1
        self.every = every
        sb_loc = [s & l for s, l in zip(self.sb, self.loc)]
        self.sequence_start = only(self.writes, union(self.identity, sb_loc), self.atomic & self.writes)
        self.before_release = union(only(self.release, self.identity, every),
                                    only(self.release & self.fences, self.sb, every))
        self.after_acquire = union(only(every, self.identity, self.acquire),
                                   only(every, only(every, self.sb, self.fences), self.acquire))
        init = mask(lambda e: e.thread < 0)
        self.conflict = [0] * n
        for x, e in enumerate(events):
            for y, o in enumerate(events):
                if (e.thread != o.thread and e.variable and e.variable == o.variable and "W" in (e.kind, o.kind)
                        and "na" in (e.order, o.order) and not (init >> x & 1) and not (init >> y & 1)):
                    self.conflict[x] |= 1 << y

    def judge(self, rf, co):
        """None if the model forbids it; else whether there is a race."""
        if not irreflexive(closure(union(self.sb, rf))):
            return None
        fr = compose(inverse(rf), co)
        fr = [row & ~(1 << x) for x, row in enumerate(fr)]
        if any(a & b for a, b in zip(self.rmw, compose(fr, co))):
            return None
        rf_rmw = closure(compose(rf, self.rmw))
        sequence = compose(self.sequence_start, union(self.identity, rf_rmw))
        read_by = only(self.every, compose(sequence, rf), self.atomic)
        sw = compose(compose(self.before_release, read_by), self.after_acquire)
        hb = closure(union(self.sb, sw))
        eco = closure(union(rf, co, fr))
        if not irreflexive(hb) or not irreflexive(compose(hb, eco)):
            return None
        elsewhere = [s & ~l for s, l in zip(self.sb, self.loc)]
        scb = union(self.sb, compose(compose(elsewhere, hb), elsewhere), [h & l for h, l in zip(hb, self.loc)], co, fr)
        hb_or_none = union(self.identity, hb)
        left = union(only(self.sc_access, self.identity, self.every), only(self.sc_fence, hb_or_none, self.every))
        right = union(only(self.every, self.identity, self.sc_access), only(self.every, hb_or_none, self.sc_fence))
        psc = union(compose(compose(left, scb), right),
                    only(self.sc_fence, union(hb, compose(compose(hb, eco), hb)), self.sc_fence))
        if not irreflexive(closure(psc)):
            return None
        return any(c & ~(h | i) for c, h, i in zip(self.conflict, hb, inverse(hb)))


def rc11_violated(program, budget=20000):
    """Whether some execution fails an assertion, divides by zero, follows a null pointer or has a data race."""
    threads, facts = program
    codes = [flat(body) for body in threads]
    values = values_of(codes)
    per_thread = [paths_of(code, i, values) for i, code in enumerate(codes)]
    spent = 0
    for choice in itertools.product(*per_thread):
        fails = any(how == "fails" for _, _, how in choice)
        ended = all(how == "end" for _, _, how in choice)
        wrong = fails or (ended and facts and
                          all(choice[t][1].get(name, 0) == value for t, name, value in facts))
        body = [event for events, _, _ in choice for event in events]
        spent += 1
        if spent > 4 * budget:
            raise TooLarge
        stored = {(event.variable, event.value) for event in body if event.kind == "W"}
        if any(event.kind == "R" and event.value != 0 and (event.variable, event.value) not in stored for event in body):
            continue
        variables = sorted({event.variable for event in body if event.variable})
        events = [Event(-1, "W", variable, 0, "na") for variable in variables] + body
        judge = Judge(events)
        if not wrong and not any(judge.conflict):
            continue
        reads = [x for x, event in enumerate(events) if event.kind == "R"]
        sources = [[w for w, event in enumerate(events) if event.kind == "W" and event.variable == events[r].variable
                    and event.value == events[r].value and not judge.sb[r] >> w & 1] for r in reads]
        orders = [[(i, *order) for order in itertools.permutations(
            [w for w, event in enumerate(events) if event.kind == "W" and event.variable == variable and w != i])]
            for i, variable in enumerate(variables)]
        for one in itertools.product(*orders):
            co = [0] * len(events)
            for order in one:
                for k, w in enumerate(order):
                    for later in order[k + 1:]:
                        co[w] |= 1 << later
            if any(co[later] >> w & 1 for w in range(len(events)) for later in range(len(events))
                   if judge.sb[w] >> later & 1):
                continue
            for picked in itertools.product(*sources):
                spent += 1
                if spent > budget:
                    raise TooLarge
                rf = [0] * len(events)
                for read, write in zip(reads, picked):
                    rf[write] |= 1 << read
                race = judge.judge(rf, co)
                if race or (race is not None and wrong):
                    return True
    return False
