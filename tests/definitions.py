#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""definitions.py ROOT: no class, struct, union, enum or concept is defined twice.

Two types with the same qualified name in two files of one program are undefined behaviour: the linker keeps one of their
member functions, and which one is a matter of luck. No compiler that sees one file at a time notices. The rule here is
simpler than that of the language, and stronger: over src/, tests/ and bench/ a qualified name has one definition, whether
or not the files are linked together. What is in an anonymous namespace or in a function is local, and is not counted.
"""

import collections
import pathlib
import re
import sys

FOLDERS = ("src", "tests", "bench")
NOT_OURS = ("tests/bad/", "src/frontend/c/include/")  # input of the program, not part of it

TOKEN = re.compile(
    r"""//(?:\\\n|[^\n])*|/\*.*?\*/                        # comments
      | (?:u8|[uUL])?R"(?P<mark>[^()\\\s]*)\(.*?\)(?P=mark)"  # raw strings
      | (?:u8|[uUL])?"(?:\\.|[^"\\\n])*"                   # strings
      | (?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'                # characters, and not 1'000
      | ^[ \t]*\#(?:\\\n|[^\n])*                           # directives
      | (?P<word>[A-Za-z_]\w*)
      | (?P<sign>::|\[\[|\]\]|[^\s\w])
      | \d(?:'?[\w.])*
      | \s+""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
KEYWORDS = {"class", "struct", "union", "enum"}
ANONYMOUS = "(anonymous)"


def tokens_of(text):
    """(token, line) of all words and signs."""
    line, result = 1, []
    for match in TOKEN.finditer(text):
        if match.lastgroup in ("word", "sign"):
            result.append((match.group(), line))
        line += match.group().count("\n")
    result.append(("", line))
    return result


class Reader:
    """One pass over a file. A scope is the name it adds to those inside, or None for code, whose names are local."""

    def __init__(self, text):
        self.tokens = tokens_of(text)
        self.at = 0
        self.scopes = []
        self.pending = None  # the name of the scope that the next brace opens
        self.found = []  # (qualified name, line)

    def token(self, ahead=0):
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)][0]

    def skip_balanced(self, opening, closing):
        """At an opening sign; goes behind the one that closes it, and returns the text."""
        depth, text = 0, ""
        while self.token():
            depth += (self.token() == opening) - (self.token() == closing)
            text += self.token()
            self.at += 1
            if depth == 0:
                break
        return text

    def qualified_name(self):
        """A name as in `a::B<int>::C`, at which the reader is; behind it afterwards."""
        name = ""
        while True:
            while self.token() == "[[":
                self.skip_balanced("[[", "]]")
            if self.token() == "alignas":
                self.at += 1
                self.skip_balanced("(", ")")
            elif re.match(r"\w", self.token()) and self.token() != "final":
                name += self.token()
                self.at += 1
                if self.token() == "<":
                    name += self.skip_balanced("<", ">")
                if self.token() != "::":
                    return name
                name += "::"
                self.at += 1
            else:
                return name

    def define(self, name, line):
        if name and None not in self.scopes and ANONYMOUS not in self.scopes:
            self.found.append(("::".join([scope for scope in self.scopes if scope] + [name]), line))

    def namespace(self):
        self.at += 1
        name = self.qualified_name()
        if self.token() == "{":
            self.pending = name or ANONYMOUS

    def type(self):
        keyword, line = self.tokens[self.at]
        self.at += 1
        if keyword == "enum" and self.token() in ("class", "struct"):
            self.at += 1
        name = self.qualified_name()
        if self.token() == "final":
            self.at += 1
        if self.token() == ":":  # bases, or the type of an enumeration
            while self.token() not in ("{", ";", ")", ""):
                self.at += 1
        if self.token() != "{":
            return  # a declaration, a parameter of a template, a type that is used
        self.define(name, line)
        self.pending = name or f"(unnamed, line {line})"

    def read(self):
        while self.token():
            word = self.token()
            if word == "namespace" and self.tokens[self.at - 1][0] != "using":
                self.namespace()
            elif word in KEYWORDS:
                self.type()
            elif word == "concept" and self.token(2) == "=":
                self.define(self.token(1), self.tokens[self.at][1])
                self.at += 2
            elif word == "{":
                self.scopes.append(self.pending)
                self.pending = None
                self.at += 1
            elif word == "}":
                if self.scopes:
                    self.scopes.pop()
                self.at += 1
            elif word == "extern" and self.token(1) == "{":  # extern "C"; strings are gone
                self.pending = ""
                self.at += 1
            else:
                self.at += 1
        return self.found


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    places = collections.defaultdict(list)
    for folder in FOLDERS:
        for path in sorted(root.glob(f"{folder}/**/*")):
            name = path.relative_to(root).as_posix()
            if path.suffix in (".h", ".cpp") and not name.startswith(NOT_OURS):
                for qualified, line in Reader(path.read_text(encoding="utf-8")).read():
                    places[qualified].append(f"{name}:{line}")
    twice = {name: where for name, where in places.items() if len(where) > 1}
    for name, where in sorted(twice.items()):
        print(f"{where[0]}: {name} is defined again: {', '.join(where[1:])}", file=sys.stderr)
    print(f"{len(places)} types, {len(twice)} defined more than once")
    return 1 if twice else 0


if __name__ == "__main__":
    sys.exit(main())
