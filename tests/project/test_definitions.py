#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""definitions.py must complain about a second definition, and about nothing else: each test builds a small tree."""

import unittest

from small_tree import run_on_tree


def run(files):
    return run_on_tree("definitions.py", files)


class Definitions(unittest.TestCase):
    def accepts(self, types, **texts):
        files = {f"src/{name}.cpp": text for name, text in texts.items()}
        result = run(files)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn(f"{types} types", result.stdout)

    def rejects(self, name, **texts):
        files = {f"src/{name}.cpp": text for name, text in texts.items()}
        result = run(files)
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertIn(f"{name} is defined again", result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)

    def test_the_same_name_twice(self):
        for kind in ("class", "struct", "union", "enum", "enum class"):
            with self.subTest(kind):
                text = "namespace n {\n%s Twice { };\n}\n" % kind
                self.rejects("n::Twice", a=text, b="\n" + text)

    def test_the_position_is_named(self):
        result = run({"src/a.h": "struct A {};\n", "tests/b.cpp": "// B\n\nstruct A { int x; };\n"})
        self.assertEqual(result.stderr, "src/a.h:1: A is defined again: tests/b.cpp:3\n")

    def test_however_it_is_written(self):
        plain = "namespace n { struct Twice {}; }"
        for other in (
            "namespace n { template <class T, int n> class Twice final : public B<T, 1> {}; }",
            "namespace n { struct Twice : Base { int a = 1'000; }; }",
            "namespace n { class [[nodiscard]] Twice {}; }",
            "namespace n { struct alignas(64) Twice {}; }",
            "namespace n { enum class Twice : unsigned { kA }; }",
            "namespace n { template <class T> concept Twice = true; }",
            "struct n::Twice {};",
            'namespace n { extern "C" { struct Twice {}; } }',
            "namespace n { void f() { if (1) {} } struct Twice {}; }",
            'namespace n { const char *s = "{", c = \'{\', *r = R"x({)")x"; struct Twice {}; }',
            "#define OPEN {\nnamespace n { struct Twice {} twice; }",
            "using namespace std;\nnamespace n { struct Twice {}; }",
        ):
            with self.subTest(other):
                self.rejects("n::Twice", a=plain, b=other)

    def test_inside_of_a_type(self):
        text = "namespace n { struct Outer%s { struct Inner {}; }; }"
        self.accepts(4, a=text % 1, b=text % 2)
        self.rejects("n::Outer::Inner", a="namespace n { struct Outer { struct Inner {}; }; }", b="struct n::Outer::Inner {};")

    def test_other_namespaces_are_other_names(self):
        text = "namespace %s { struct A {}; }\n"
        self.accepts(3, a=text % "n", b=text % "m", c=text % "n::m")

    def test_what_is_local_does_not_count(self):
        self.accepts(
            0,
            a="namespace n { namespace { struct A {}; } }",
            b="namespace n { namespace { struct A {}; namespace inner { enum B { kB }; } } }",
            c="void f() { struct A {}; } auto g = [] { struct A {}; };",
            d="inline int h() { struct A {}; return 1; }",
        )

    def test_what_is_no_definition(self):
        self.accepts(
            2,
            a="struct A {}; class B; enum class C : int; template <class T> struct D;",
            b="class A; struct B {}; struct A f(struct A a); template <class A, class B> void g() {}",
            c="// struct A {};\n/* struct A {}; */\nconst char *text = \"struct A {};\";",
            d='const char *text = R"(\nstruct A {\n};\n)";',
        )

    def test_specialisations_are_types_of_their_own(self):
        text = "template <> struct std::hash<%s> { };\n"
        self.accepts(2, a=text % "A", b=text % "B")
        self.rejects("std::hash<A>", a=text % "A", b=text % "A")

    def test_inputs_of_the_program_are_not_part_of_it(self):
        text = "struct A {};\n"
        self.assertEqual(run({"tests/bad/c/a.cpp": text, "tests/bad/c/b.cpp": text}).returncode, 0)


if __name__ == "__main__":
    unittest.main()
