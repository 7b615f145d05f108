#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random inline assembly of AArch64, RISC-V and Power, whose results an emulator and Fenceline must agree on.

    fuzz_asm_cross.py PROGRAM --target aarch64|riscv64|ppc64le [--count N] [--seed N] [--keep FOLDER] [--plant]

Each program executes a dozen pieces of assembly with random operands and folds their results, flags and memory into a
checksum. It is compiled for the processor and run by QEMU; then Fenceline verifies on sc that the checksum is the one that
was printed, which must be verified, and whether it is one more, which must be violated. The packages that this needs are
in packages-tests.txt; without them nothing is compared. The same seed makes the same programs. Those that fail are kept in
FOLDER.

With --plant, subtractions of the emulated run are additions: then it is an error if no difference is found.
"""

import random

import checksums
import cross

PRELUDE = r"""
#include <stdint.h>
#ifdef CHECKSUM
void __assert_fail(const char*, const char*, unsigned, const char*) __attribute__((noreturn));
#else
#include <stdio.h>
#endif
#ifdef PLANTED
#define SUB "add"
#else
#define SUB "sub"
#endif
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
static u32 sum = 17;
static void fold(u64 value) { sum = sum * 31 + (u32)value; sum = sum * 31 + (u32)(value >> 32); }
u8 m8; u16 m16; u32 m32; u64 m64; u64 pair[2] __attribute__((aligned(16)));
"""


def number(rng, bits):
    return rng.choice([0, 1, 2, 2**(bits - 1), 2**(bits - 1) - 1, 2**bits - 1, 2**bits - 2, rng.randrange(2**bits),
                       rng.randrange(256)])


def literal(rng, bits):
    return f"{number(rng, bits)}u{'ll' if bits == 64 else ''}"


def values(rng, bits, names):
    return "".join(f"u{bits} {name} = {literal(rng, bits)}; " for name in names)


def memory(rng, sizes=(8, 16, 32, 64)):
    """Sets a variable of random size: its size, the statement, its name."""
    bits = rng.choice(sizes)
    return bits, f"m{bits} = {literal(rng, bits)}; ", f"m{bits}"


def asm(text, outputs, inputs, clobbers='"memory", "cc"'):
    return f'__asm__ volatile({text} : {", ".join(outputs)} : {", ".join(inputs)} : {clobbers}); '


def operation(rng, names):
    op = rng.choice(names)
    return 'SUB ' + f'"{op[3:]}"' if op.startswith("sub") else f'"{op}"'


def folded(*names):
    return " ".join(f"fold({name});" for name in names)


# ---- AArch64


def arm_binary(rng):
    bits = rng.choice([32, 64])
    w = "w" if bits == 32 else ""
    last = rng.choice([f"%{w}[b]", f"%{w}[b]", f"%{w}[b], {rng.choice(['lsl', 'lsr', 'asr'])} #{rng.randrange(bits)}"])
    op = operation(rng, ["add", "sub", "and", "orr", "eor", "bic", "orn", "eon"])
    return (values(rng, bits, "ab") + f"u{bits} r; " +
            asm(f'{op} " %{w}[r], %{w}[a], {last}"', ['[r] "=r"(r)'], ['[a] "r"(a)', '[b] "r"(b)']) + folded("r"))


def arm_number(rng):
    bits = rng.choice([32, 64])
    w = "w" if bits == 32 else ""
    if rng.random() < 0.5:
        op, n = operation(rng, ["add", "sub"]), rng.randrange(4096)
    else:  # a pattern of ones is a number of logical operations
        op, n = operation(rng, ["and", "orr", "eor"]), ((1 << rng.randrange(1, bits)) - 1) << rng.randrange(2)
        n &= 2**bits - 1
    return (values(rng, bits, "a") + f"u{bits} r; " +
            asm(f'{op} " %{w}[r], %{w}[a], #{n}"', ['[r] "=r"(r)'], ['[a] "r"(a)']) + folded("r"))


ARM_CONDITIONS = ["eq", "ne", "cs", "cc", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le"]


def arm_flags(rng):
    bits = rng.choice([32, 64])
    w = "w" if bits == 32 else ""
    op = operation(rng, ["adds", "subs", "ands", "bics"])
    last = rng.choice([f"%{w}[c]", f"%{w}[c]", None])
    c, d = rng.sample(ARM_CONDITIONS, 2)
    how = rng.choice([f"cset %w[f], {c}", f"csinc %w[f], wzr, %w[f], {c}", f"csel %w[f], %w[f], wzr, {c}"])
    more = f"; csneg %{w}[g], %{w}[b], %{w}[c], {d}" if last else f"; cinv %{w}[g], %{w}[b], {d}"
    if last is None:
        op, last = operation(rng, ["adds", "subs"]), f"#{rng.randrange(4096)}"
    return (values(rng, bits, "bc") + f"u{bits} r, g; u32 f = 7; " +
            asm(f'{op} " %{w}[r], %{w}[b], {last}; {how}{more}"', ['[r] "=&r"(r)', '[f] "+&r"(f)', '[g] "=&r"(g)'],
                ['[b] "r"(b)', '[c] "r"(c)']) + folded("r", "f", "g"))


def arm_bits(rng):
    bits = rng.choice([32, 64])
    w = "w" if bits == 32 else ""
    low = rng.randrange(bits)
    text = rng.choice([
        "clz %r, %a", "rbit %r, %a", "rev %r, %a", "lsl %r, %a, %b", "lsr %r, %a, %b", f"lsl %r, %a, #{low}", f"lsr %r, %a, #{low}",
        f"asr %r, %a, #{low}", f"ubfx %r, %a, #{low}, #{rng.randrange(1, bits - low + 1)}",
        f"sbfx %r, %a, #{low}, #{rng.randrange(1, bits - low + 1)}", "mvn %r, %a", "neg %r, %a", "mov %r, %a",
        f"movk %r, #{rng.randrange(65536)}, lsl #{rng.choice([0, 16])}", f"mov %r, #{rng.randrange(65536)}"])
    for name in "rab":
        text = text.replace(f"%{name}", f"%{w}[{name}]")
    return (values(rng, bits, "abr") + asm(f'"{text}"', ['[r] "+r"(r)'], ['[a] "r"(a)', '[b] "r"(b)']) + folded("r"))


ARM_SUFFIX = {8: "b", 16: "h", 32: "", 64: ""}


def arm_access(rng):
    bits, init, m = memory(rng)
    w = "" if bits == 64 else "w"
    suffix = ARM_SUFFIX[bits]
    if rng.random() < 0.5:
        op = rng.choice(["ldr", "ldar", "ldapr", "ldur"])
        return init + "u64 r; " + asm(f'"{op}{suffix} %{w}[r], [%[p]]"', ['[r] "=r"(r)'], [f'[p] "r"(&{m})']) + folded("r")
    op = rng.choice(["str", "stlr", "stur"])
    return (init + values(rng, 64, "r") + asm(f'"{op}{suffix} %{w}[r], [%[p]]"', [], ['[r] "r"(r)', f'[p] "r"(&{m})']) +
            folded(m))


def arm_atomic(rng):
    bits, init, m = memory(rng)
    w = "" if bits == 64 else "w"
    name = rng.choice(["swp", "ldadd", "ldset", "ldclr", "ldeor", "ldsmax", "ldsmin", "ldumax", "ldumin"])
    op = name + rng.choice(["", "a", "l", "al"]) + ARM_SUFFIX[bits]
    return (init + values(rng, bits, "v") + "u64 r; " +
            asm(f'"{op} %{w}[v], %{w}[r], [%[p]]"', ['[r] "=r"(r)'], ['[v] "r"((u64)v)', f'[p] "r"(&{m})']) + folded("r", m))


def arm_cas(rng):
    bits, init, m = memory(rng)
    w = "" if bits == 64 else "w"
    op = "cas" + rng.choice(["", "a", "l", "al"]) + ARM_SUFFIX[bits]
    expected = rng.choice([m, literal(rng, bits)])
    return (init + f"u64 e = {expected}; " + values(rng, bits, "v") +
            asm(f'"{op} %{w}[e], %{w}[v], [%[p]]"', ['[e] "+r"(e)'], ['[v] "r"((u64)v)', f'[p] "r"(&{m})']) + folded("e", m))


def arm_exclusive(rng):
    bits, init, m = memory(rng)
    w = "" if bits == 64 else "w"
    suffix, load, store = ARM_SUFFIX[bits], rng.choice(["ldxr", "ldaxr"]), rng.choice(["stxr", "stlxr"])
    if rng.random() < 0.5:
        op = operation(rng, ["add", "sub", "and", "orr", "eor", "bic"])
        text = f'"1: {load}{suffix} %{w}[r], [%[p]]\\n" {op} " %{w}[n], %{w}[r], %{w}[v]\\n{store}{suffix} %w[f], %{w}[n], [%[p]]\\ncbnz %w[f], 1b"'
        return (init + values(rng, 64, "v") + "u64 r, n; u32 f; " +
                asm(text, ['[r] "=&r"(r)', '[n] "=&r"(n)', '[f] "=&r"(f)'], ['[v] "r"(v)', f'[p] "r"(&{m})']) + folded("r", "f", m))
    expected = rng.choice([m, literal(rng, bits)])
    text = (f'"1: {load}{suffix} %{w}[r], [%[p]]\\ncmp %{w}[r], %{w}[e]\\nb.ne 2f\\n{store}{suffix} %w[f], %{w}[v], [%[p]]\\n'
            'cbnz %w[f], 1b\\n2:"')
    return (init + f"u64 e = {expected}, r; u32 f; " + values(rng, 64, "v") +
            asm(text, ['[r] "=&r"(r)', '[f] "=&r"(f)'], ['[v] "r"(v)', '[e] "r"(e)', f'[p] "r"(&{m})']) + folded("r", m))


def arm_pair(rng):
    text = ('"1: ldaxp %[r], %[s], [%[p]]\\nadd %[n], %[r], %[v]\\nstlxp %w[f], %[n], %[r], [%[p]]\\ncbnz %w[f], 1b"')
    return (f"pair[0] = {literal(rng, 64)}; pair[1] = {literal(rng, 64)}; " + values(rng, 64, "v") + "u64 r, s, n; u32 f; " +
            asm(text, ['[r] "=&r"(r)', '[s] "=&r"(s)', '[n] "=&r"(n)', '[f] "=&r"(f)'], ['[v] "r"(v)', '[p] "r"(pair)']) +
            folded("r", "s", "pair[0]", "pair[1]"))


def arm_jump(rng):
    bits = rng.choice([32, 64])
    w = "w" if bits == 32 else ""
    jump = rng.choice([f"cbz %{w}[a], 1f", f"cbnz %{w}[a], 1f", f"tbz %{w}[a], #{rng.randrange(bits)}, 1f",
                       f"tbnz %{w}[a], #{rng.randrange(bits)}, 1f", f"cmp %{w}[a], %{w}[b]; b.{rng.choice(ARM_CONDITIONS)} 1f",
                       f"tst %{w}[a], %{w}[b]; b.{rng.choice(ARM_CONDITIONS)} 1f"])
    return (values(rng, bits, "abr") +
            asm(f'"{jump}; mov %{w}[r], %{w}[b]; 1: add %{w}[r], %{w}[r], #1"', ['[r] "+&r"(r)'], ['[a] "r"(a)', '[b] "r"(b)']) +
            folded("r"))


ARM = [arm_binary, arm_binary, arm_number, arm_flags, arm_flags, arm_bits, arm_bits, arm_access, arm_atomic, arm_atomic, arm_cas,
       arm_exclusive, arm_exclusive, arm_pair, arm_jump]

# ---- RISC-V


def riscv_binary(rng):
    op = operation(rng, ["add", "sub", "and", "or", "xor", "sll", "srl", "sra", "slt", "sltu", "addw", "subw", "sllw", "srlw", "sraw"])
    return values(rng, 64, "ab") + "u64 r; " + asm(f'{op} " %0, %1, %2"', ['"=r"(r)'], ['"r"(a)', '"r"(b)']) + folded("r")


def riscv_number(rng):
    op = rng.choice(["addi", "andi", "ori", "xori", "slti", "sltiu", "addiw", "slli", "srli", "srai", "slliw", "srliw", "sraiw"])
    n = rng.randrange(32 if op.endswith("w") else 64) if op.startswith(("sl", "sr")) and not op.startswith("slt") else rng.randrange(-2048, 2048)
    return values(rng, 64, "a") + "u64 r; " + asm(f'"{op} %0, %1, {n}"', ['"=r"(r)'], ['"r"(a)']) + folded("r")


def riscv_other(rng):
    text = rng.choice(["mv %0, %1", "neg %0, %1", "not %0, %1", "sext.w %0, %1", "seqz %0, %1", "snez %0, %1",
                       f"lui %0, {rng.randrange(2**20)}", f"li %0, {rng.randrange(-2**31, 2**31)}"])
    return values(rng, 64, "a") + "u64 r; " + asm(f'"{text}"', ['"=r"(r)'], ['"r"(a)']) + folded("r")


def riscv_access(rng):
    bits, init, m = memory(rng)
    size = {8: "b", 16: "h", 32: "w", 64: "d"}[bits]
    if rng.random() < 0.5:
        op = f"l{size}" + ("u" if bits < 64 and rng.random() < 0.5 else "")
        return init + "u64 r; " + asm(f'"{op} %0, %1"', ['"=r"(r)'], [f'"m"({m})']) + folded("r")
    return init + values(rng, 64, "r") + asm(f'"s{size} %1, %0"', [f'"=m"({m})'], ['"r"(r)']) + folded(m)


RISCV_ORDERS = ["", ".aq", ".rl", ".aqrl"]


def riscv_atomic(rng):
    bits, init, m = memory(rng, (32, 64))
    op = f"amo{rng.choice(['swap', 'add', 'and', 'or', 'xor', 'max', 'min', 'maxu', 'minu'])}.{'w' if bits == 32 else 'd'}{rng.choice(RISCV_ORDERS)}"
    return (init + values(rng, 64, "v") + "u64 r; " + asm(f'"{op} %0, %2, %1"', ['"=r"(r)', f'"+A"({m})'], ['"r"(v)']) +
            folded("r", m))


def riscv_exclusive(rng):
    bits, init, m = memory(rng, (32, 64))
    size = "w" if bits == 32 else "d"
    load, store = f"lr.{size}{rng.choice(['', '.aq'])}", f"sc.{size}{rng.choice(['', '.rl'])}"
    if rng.random() < 0.5:
        op = operation(rng, ["add", "sub", "and", "or", "xor"])
        text = f'"1: {load} %0, %3\\n" {op} " %1, %0, %4\\n{store} %2, %1, %3\\nbnez %2, 1b"'
        return (init + values(rng, 64, "v") + "u64 r, n; u32 f; " +
                asm(text, ['"=&r"(r)', '"=&r"(n)', '"=&r"(f)', f'"+A"({m})'], ['"r"(v)']) + folded("r", "f", m))
    expected = rng.choice([m, literal(rng, bits)])
    setup = f"u64 e = {'(u64)(int64_t)(int32_t)' if bits == 32 else ''}({expected}), r; u32 f; "  # lr extends the sign
    text = f'"1: {load} %0, %2\\nbne %0, %4, 2f\\n{store} %1, %3, %2\\nbnez %1, 1b\\n2:"'
    return (init + setup + values(rng, 64, "v") +
            asm(text, ['"=&r"(r)', '"=&r"(f)', f'"+A"({m})'], ['"r"(v)', '"r"(e)']) + folded("r", m))


def riscv_jump(rng):
    jump = rng.choice(["beq %1, %2, 1f", "bne %1, %2, 1f", "blt %1, %2, 1f", "bge %1, %2, 1f", "bltu %1, %2, 1f", "bgeu %1, %2, 1f",
                       "beqz %1, 1f", "bnez %1, 1f", "bgtz %1, 1f", "j 1f"])
    return (values(rng, 64, "abr") + asm(f'"{jump}; mv %0, %2; 1: addi %0, %0, 1"', ['"+&r"(r)'], ['"r"(a)', '"r"(b)']) + folded("r"))


RISCV = [riscv_binary, riscv_binary, riscv_number, riscv_number, riscv_other, riscv_access, riscv_atomic, riscv_atomic,
         riscv_exclusive, riscv_exclusive, riscv_jump]

# ---- Power


def power_binary(rng):
    op = operation(rng, ["add", "subf", "and", "andc", "or", "orc", "nor", "xor", "nand", "eqv"])
    return values(rng, 64, "ab") + "u64 r; " + asm(f'{op} " %0, %1, %2"', ['"=r"(r)'], ['"r"(a)', '"r"(b)']) + folded("r")


def power_number(rng):
    text = rng.choice([f"addi %0, %1, {rng.randrange(-2**15, 2**15)}", f"addis %0, %1, {rng.randrange(-2**15, 2**15)}",
                       f"ori %0, %1, {rng.randrange(2**16)}", f"xori %0, %1, {rng.randrange(2**16)}", "neg %0, %1", "mr %0, %1",
                       "not %0, %1", f"li %0, {rng.randrange(-2**15, 2**15)}"])
    return values(rng, 64, "a") + "u64 r; " + asm(f'"{text}"', ['"=r"(r)'], ['"b"(a)']) + folded("r")


POWER_CONDITIONS = ["eq", "ne", "lt", "le", "gt", "ge"]
POWER_CLOBBERS = '"memory", "cr0", "cr7", "xer"'


def power_jump(rng):
    c = rng.choice(POWER_CONDITIONS)
    field = rng.choice([0, 7])
    compare = rng.choice(["cmpw", "cmpd", "cmplw", "cmpld"])
    test = rng.choice([f"{compare} {field}, %1, %2", f"cmpwi {field}, %1, {rng.randrange(-2**15, 2**15)}",
                       f"cmpldi {field}, %1, {rng.randrange(2**16)}"])
    return (values(rng, 64, "abr") +
            asm(f'"{test}; b{c}{rng.choice(["", "-", "+"])} {field}, 1f; mr %0, %2; 1: addi %0, %0, 1"', ['"+&b"(r)'],
                ['"r"(a)', '"r"(b)'], POWER_CLOBBERS) + folded("r"))


def power_record(rng):
    op = rng.choice(["add.", "subf.", "and.", "or.", "xor.", "andc."])
    return (values(rng, 64, "ab") + "u64 r, g; " +
            asm(f'"{op} %0, %2, %3; li %1, 1; b{rng.choice(POWER_CONDITIONS)} 1f; li %1, 2; 1:"', ['"=&r"(r)', '"=&r"(g)'],
                ['"r"(a)', '"r"(b)'], POWER_CLOBBERS) + folded("r", "g"))


def power_access(rng):
    bits, init, m = memory(rng)
    load, store = {8: ("lbz", "stb"), 16: ("lhz", "sth"), 32: ("lwz", "stw"), 64: ("ld", "std")}[bits]
    if rng.random() < 0.5:
        return init + "u64 r; " + asm(f'"{load}%U1%X1 %0, %1"', ['"=r"(r)'], [f'"m"({m})']) + folded("r")
    return init + values(rng, 64, "r") + asm(f'"{store}%U0%X0 %1, %0"', [f'"=m"({m})'], ['"r"(r)']) + folded(m)


def power_exclusive(rng):
    bits, init, m = memory(rng)
    load, store = {8: ("lbarx", "stbcx."), 16: ("lharx", "sthcx."), 32: ("lwarx", "stwcx."), 64: ("ldarx", "stdcx.")}[bits]
    if rng.random() < 0.5:
        op = operation(rng, ["add", "subf", "and", "or", "xor"])
        text = f'"1: {load} %0, 0, %3\\n" {op} " %1, %4, %0\\n{store} %1, 0, %3\\nbne- 1b"'
        return (init + values(rng, 64, "v") + "u64 r, n; " +
                asm(text, ['"=&r"(r)', '"=&r"(n)', f'"+m"({m})'], [f'"r"(&{m})', '"r"(v)'], POWER_CLOBBERS) + folded("r", m))
    expected = rng.choice([m, literal(rng, bits)])
    compare = "cmpd" if bits == 64 else "cmpw"
    text = f'"1: {load} %0, 0, %2\\n{compare} 0, %0, %3\\nbne- 2f\\n{store} %4, 0, %2\\nbne- 1b\\nisync\\n2:"'
    return (init + f"u64 e = {expected}, r; " + values(rng, 64, "v") +
            asm(text, ['"=&r"(r)', f'"+m"({m})'], [f'"r"(&{m})', '"r"(e)', '"r"(v)'], POWER_CLOBBERS) + folded("r", m))


POWER = [power_binary, power_binary, power_number, power_jump, power_jump, power_record, power_access, power_exclusive,
         power_exclusive]

# ---- All

STEPS = {"aarch64": ARM, "riscv64": RISCV, "ppc64le": POWER}[cross.TARGET]


def text_of(rng):
    lines = [PRELUDE, "int main(void) {"]
    lines += ["  { " + rng.choice(STEPS)(rng) + " }" for _ in range(rng.randrange(4, 12))]
    lines += ["#ifdef CHECKSUM", '  if (sum != CHECKSUM) __assert_fail("sum", "", 0, "");', "#else",
              '  printf("%u\\n", sum);', "#endif", "  return 0;", "}", ""]
    return "\n".join(lines)


def excuse(status, reason, _):
    # Three numbers have another meaning.
    return "rejected" if status == 65 and "represents what was never set" in reason else None


def case(program, seed, folder):
    path = folder / f"asm_{cross.TARGET}_{seed}.c"
    path.write_text(text_of(random.Random(seed)))
    return checksums.compare(program, path, ["-O0"], planted=["-DPLANTED"], excuse=excuse)


cross.stop_unless_available()
checksums.main(case)
