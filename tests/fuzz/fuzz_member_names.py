#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What parts of objects are called, compared with the compiler. Random types of C and C++ have nested structures, unions,
arrays, bit fields and base classes. A program stores to some of their bytes; each name that the trace has for them must
denote, as an expression of the language, exactly these bytes.

    fuzz_member_names.py PROGRAM [--count N] [--seed N] [--plant]

--plant: Fenceline is given types in which two neighbours have changed their names. That must be noticed.
"""

import argparse
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

SCALARS = ["char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long long", "unsigned long", "int*"]
COMPILER = "clang-19"


class Type:
    """The text of a type, and the paths to its scalars and bit fields."""

    def __init__(self, rng, cpp):
        self.rng, self.cpp, self.names = rng, cpp, 0
        self.scalars, self.bit_fields = [], []
        self.before = ""  # base classes
        bases = self.bases() if cpp and rng.random() < 0.6 else ""
        body = self.members("object", 0)
        self.text = f"{self.before}struct T {bases}{{\n{body}}};\n"

    def name(self):
        self.names += 1
        return f"m{self.names}"

    def bases(self):
        listed = []
        hidden = "m1" if self.rng.random() < 0.5 else ""  # the first member of T has this name, too
        for i in range(self.rng.choice([1, 1, 2])):
            name = f"B{i}"
            first = hidden or f"b{i}"
            body = f"  {self.rng.choice(SCALARS)} {first};\n  int c{i}[2];\n"
            self.before += f"struct {name} {{\n{body}}};\n"
            path = f"object.{name}::{first}" if hidden else f"object.{first}"
            self.scalars += [path, f"object.c{i}[0]", f"object.c{i}[1]"]
            listed.append(name)
        return ": " + ", ".join(listed) + " "

    def members(self, path, depth):
        return "".join(self.member(path, depth) for _ in range(self.rng.randint(1, 4 if depth == 0 else 3)))

    def member(self, path, depth):
        rng, indent = self.rng, "  " * (depth + 1)
        kind = rng.choice(["scalar", "scalar", "array", "bits"] + ["struct", "union", "unnamed", "table"] * (depth < 3))
        if kind == "scalar":
            name = self.name()
            self.scalars.append(f"{path}.{name}")
            return f"{indent}{rng.choice(SCALARS)} {name};\n"
        if kind == "array":
            name, lengths = self.name(), [rng.randint(1, 3) for _ in range(rng.choice([1, 1, 2]))]
            index = "".join(f"[{rng.randrange(length)}]" for length in lengths)
            self.scalars.append(f"{path}.{name}{index}")
            return f"{indent}{rng.choice(SCALARS)} {name}{''.join(f'[{length}]' for length in lengths)};\n"
        if kind == "bits":
            text = ""
            for _ in range(rng.randint(1, 3)):
                name = self.name()
                self.bit_fields.append(f"{path}.{name}")
                text += f"{indent}{rng.choice(['unsigned', 'int', 'unsigned char'])} {name} : {rng.randint(2, 7)};\n"
            return text
        what = rng.choice(["struct", "union"]) if kind in ("unnamed", "table") else kind
        name = "" if kind == "unnamed" else self.name()
        length = rng.randint(1, 3)
        inner = path if kind == "unnamed" else f"{path}.{name}" + (f"[{rng.randrange(length)}]" if kind == "table" else "")
        body = self.members(inner, depth + 1)
        return f"{indent}{what} {{\n{body}{indent}}}{' ' + name if name else ''}{f'[{length}]' if kind == 'table' else ''};\n"

    def with_exchanged_names(self):
        """Two scalars of a structure that are declared one after the other have each other's name."""
        pairs = re.finditer(r"^( +)([\w ]+\*?) (m\d+);\n\1([\w ]+\*?) (m\d+);$", self.text, re.M)
        for pair in pairs:
            first, second = pair.group(3), pair.group(5)
            return re.sub(rf"\b({first}|{second})\b", lambda m: second if m.group(1) == first else first, self.text)
        return None


def run(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=600, check=False, **more)


class Native:
    """Questions to the compiler: where expressions lie."""

    def __init__(self, folder, type_text, cpp):
        self.folder, self.type_text, self.cpp = folder, type_text, cpp

    def answers(self, statements):
        source = self.folder / ("native.cpp" if self.cpp else "native.c")
        source.write_text(
            "#include <stdio.h>\n#include <string.h>\n" + self.type_text + "struct T object;\n"
            "static void bytes(void) {\n  size_t first = sizeof object, last = 0;\n"
            "  for (size_t i = 0; i < sizeof object; i++)\n    if (((unsigned char*)&object)[i]) {\n"
            "      if (first > i) first = i;\n      last = i;\n    }\n"
            '  printf("%zu %zu\\n", first, last + 1 - first);\n}\n'
            "#define WHERE(e) printf(\"%zu %zu\\n\", (size_t)((char*)&(e) - (char*)&object), sizeof(e))\n"
            "int main() {\n" + "".join(f"  {s}\n" for s in statements) + "}\n")
        program = self.folder / "native"
        built = run([COMPILER, "-x", "c++" if self.cpp else "c", "-w", "-o", str(program), str(source)])
        if built.returncode != 0:
            return None, built.stderr
        lines = run([str(program)]).stdout.split("\n")
        return [tuple(map(int, line.split())) for line in lines if line], ""

    @staticmethod
    def where(expression):
        return f"WHERE({expression});"

    @staticmethod
    def bits(expression):
        return f"memset(&object, 0, sizeof object); {expression} = -1; bytes();"


def chosen(rng, type_, native):
    """Stores to bytes that no other one of them is about: (statement, offset, size or None, bit field)."""
    places, error = native.answers([Native.where(path) for path in type_.scalars] +
                                   [Native.bits(path) for path in type_.bit_fields] + [Native.where("object")])
    assert places is not None, error
    stores, taken = [], set()
    candidates = [(path, place, False) for path, place in zip(type_.scalars, places)]
    candidates += [(path, place, True) for path, place in zip(type_.bit_fields, places[len(type_.scalars):])]
    size = places[-1][1]
    for _ in range(4):  # the bytes of no member, or of several
        width = rng.choice([1, 2, 4, 8])
        if size >= width:
            at = rng.randrange(0, size - width + 1, width)
            kind = {1: "unsigned char", 2: "unsigned short", 4: "unsigned", 8: "unsigned long"}[width]
            candidates.append((f"*({kind}*)((char*)&object + {at})", (at, width), False))
    rng.shuffle(candidates)
    for path, (offset, width), is_bits in candidates:
        # The compiler chooses how many bytes around a bit field it accesses.
        around = range(offset // 8 * 8, (offset + width + 7) // 8 * 8) if is_bits else range(offset, offset + width)
        if taken.intersection(around):
            continue
        taken.update(around)
        stores.append((path, offset, width, is_bits))
    return stores


def names(program, folder, type_text, stores, cpp):
    """By store: the name that the trace has for it."""
    lines = ["#include <assert.h>"] + (type_text + "struct T object;").split("\n") + ["int main() {"]
    first = len(lines) + 1
    for i, (path, _, _, is_bits) in enumerate(stores):
        pointer = "(__typeof__(" + path + "))" if not is_bits else ""
        lines.append(f"  {path} = {pointer}{1 if is_bits else i + 1};")
    lines += ["  assert(0);", "}"]
    source = folder / ("named.cpp" if cpp else "named.c")
    source.write_text("\n".join(lines) + "\n")
    result = run([program, "check", str(source), "--model", "sc", "--timeout", "300", "--json", "-", "--quiet"])
    if result.returncode != 1:
        return None, f"exit status {result.returncode}: {result.stdout[:500]}{result.stderr}"
    found = {}
    for step in json.loads(result.stdout)["results"][0]["trace"]:
        index = step["line"] - first
        if step["kind"] == "execute" and step["address"] and 0 <= index < len(stores):
            found[index] = step["address"]  # of a bit field: the last step is the store
    return [found.get(i) for i in range(len(stores))], ""


def checks(name, bit_fields):
    """Statements that print which bytes are meant, and what to make of the answers."""
    part = re.fullmatch(r"(.*)\+(\d+)", name)
    if part:
        return [Native.where(part.group(1))], lambda a: (a[0][0] + int(part.group(2)), None)
    several = re.fullmatch(r"(.*)\[(\d+)\.\.(\d+)\]", name)
    if several:
        base, first, last = several.groups()
        return ([Native.where(f"{base}[{first}]"), Native.where(f"{base}[{last}]")],
                lambda a: (a[0][0], a[1][0] + a[1][1] - a[0][0]))
    group = re.fullmatch(r"(.*)\.\{(.*)\}", name)
    if group:
        base, members = group.group(1), group.group(2).split(", ")
        # Bit fields have no address: all members are set, and the bytes are those that change.
        fill = "".join(f"{base}.{m} = -1; " if m in bit_fields else f"memset(&{base}.{m}, -1, sizeof {base}.{m}); "
                       for m in members)
        return [f"memset(&object, 0, sizeof object); {fill}bytes();"], lambda a: a[0]
    if name.rsplit(".", 1)[-1] in bit_fields:
        return [Native.bits(name)], lambda a: a[0]
    return [Native.where(name)], lambda a: a[0]


def difference(program, folder, rng, plant):
    cpp = rng.random() < 0.5
    type_ = Type(rng, cpp)
    given = type_.with_exchanged_names() if plant else type_.text
    if given is None:
        return None
    native = Native(folder, type_.text, cpp)
    stores = chosen(rng, type_, native)
    found, error = names(program, folder, given, stores, cpp)
    if found is None:
        return error + "\n" + given
    for (path, offset, width, is_bits), name in zip(stores, found):
        if name is None:
            return f"{path}: no step stores to it\n{given}"
        member = path.rsplit(".", 1)[-1]
        if is_bits and member in re.findall(r"\w+", name.rsplit(".", 1)[-1]):
            continue  # itself, perhaps with bit fields beside it
        bit_fields = {field.rsplit(".", 1)[1] for field in type_.bit_fields}
        statements, meaning = checks(name, bit_fields)
        answers, error = native.answers(statements)
        if answers is None:
            return f"{path}: '{name}' is no expression: {error}\n{given}"
        at, size = meaning(answers)
        if is_bits:  # another member of a union that has these bits
            good = at <= offset and offset + width <= at + (8 if size is None else size)
        elif "{" in name or name.rsplit(".", 1)[-1] in bit_fields:  # padding beside members has no name
            good = offset <= at and at + size <= offset + width
        else:
            good = at == offset and size in (None, width)
        if not good:
            return f"{path} has {width} bytes at {offset}, '{name}' {size} at {at}\n{given}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plant", action="store_true")
    options = parser.parse_args()
    found = 0
    with tempfile.TemporaryDirectory() as folder:
        for i in range(options.count):
            seed = options.seed * 1000003 + i
            text = difference(options.program, pathlib.Path(folder), random.Random(seed), options.plant)
            if text is not None:
                found += 1
                if not options.plant:
                    print(f"program {i} (seed {seed}): {text}")
    print(f"{options.count} programs, {found} with a difference")
    sys.exit(int(found == 0) if options.plant else int(found > 0))


if __name__ == "__main__":
    main()
