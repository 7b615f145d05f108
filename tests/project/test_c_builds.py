#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""C programs as builds have them: several files, the flags of compile_commands.json, another processor.

Headers of the C library for other processors are in packages-tests.txt.

    test_c_builds.py PROGRAM [unittest options]
"""

import json
import pathlib
import platform
import unittest

from program_case import INPUT, NEVER, NO_FILE, ROOT, USAGE, VERIFIED, VIOLATED, ProgramCase, main

HOLDS = "#include <assert.h>\nint main(void) { assert(%s); }\n"
# Needs no headers.
PLAIN = "void fl_assert(int);\nint main(void) { fl_assert(%s); }\n"

COUNTER = """
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;
static void add(int n) { count += n; }
void up(void) {
  pthread_mutex_lock(&mutex);
  add(1);
  pthread_mutex_unlock(&mutex);
}
int get(void) { return count; }
"""
CLIENT = """
#include <assert.h>
#include <thread>
extern "C" {
void up(void);
int get(void);
}
static int calls;
static void add(int n) { calls += n; }
int main() {
  std::thread a(up), b(up);
  a.join();
  b.join();
  add(2);
  assert(get() == calls);
}
"""

# A message whose flag is set and read by operations of the processor.
MESSAGE = """
#include <assert.h>
#include <pthread.h>
int data, flag;
#if defined(__aarch64__)
static void set(void) { __asm__ volatile(STORE " %w1, %0" : "=Q"(flag) : "r"(1) : "memory"); }
static int get(void) { int r; __asm__ volatile("ldapr %w0, %1" : "=r"(r) : "Q"(flag) : "memory"); return r; }
#elif defined(__x86_64__)
static void set(void) { __asm__ volatile("movl %1, %0" : "=m"(flag) : "ir"(1) : "memory"); }
static int get(void) { int r; __asm__ volatile("movl %1, %0" : "=r"(r) : "m"(flag) : "memory"); return r; }
#endif
void* a(void* unused) {
  data = 1;
  set();
  return 0;
}
void* b(void* unused) {
  if (get()) assert(data == 1);
  return 0;
}
int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, a, 0);
  pthread_create(&t, 0, b, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
}
"""

ON_X86 = unittest.skipUnless(platform.machine() == "x86_64", "about another processor than this machine's")


class Builds(ProgramCase):

    def check(self, *words, expect, model="sc"):
        result = self.run_it("check", "--timeout", NEVER, "--model", model, *words, expect=expect)
        return " ".join((result.stdout + result.stderr).split())

    # --- several files ------------------------------------------------------------------------------------------------

    def test_link(self):
        self.file("other.c", "int n = 3;\nint twice(int x) { return 2 * x; }\n")
        path = self.file("l.c", "extern int n;\nint twice(int);\n" + HOLDS % "twice(n) == 6")
        self.check(path, "--link", "other.c", expect=VERIFIED)
        self.assertIn("twice", self.check(path, expect=INPUT))
        self.check(path, "--link", "no_such.c", expect=NO_FILE)
        self.check(path, "--link", "other.txt", expect=USAGE)
        self.file("twice.c", "int twice(int x) { return x + x; }\n")
        self.assertIn("twice", self.check(path, "--link", "other.c", "--link", "twice.c", expect=INPUT))
        self.file("bad.c", "int n = ;\n")
        self.assertIn("bad.c:1:9: error:", self.check(path, "--link", "bad.c", expect=INPUT))

    def test_two_files_are_two_programs(self):
        first, second = self.file("a.c", HOLDS % "1"), self.file("b.c", HOLDS % "0")
        said = self.check(first, second, expect=VIOLATED)
        self.assertIn("a.c: errors verified", said)
        self.assertIn("b.c: errors violated", said)

    def test_link_of_languages(self):
        """Static functions of the same name stay apart; threads of C++ call C."""
        self.file("counter.c", COUNTER)
        path = self.file("client.cpp", CLIENT)
        self.check(path, "--link", "counter.c", model="sc,rc11", expect=VERIFIED)
        self.file("counter.c", COUNTER.replace("  pthread_mutex_lock(&mutex);\n", "").replace("  pthread_mutex_unlock(&mutex);\n", ""))
        self.check(path, "--link", "counter.c", model="sc", expect=VIOLATED)
        said = self.check(path, "--link", "counter.c", model="rc11", expect=VIOLATED)
        self.assertIn("counter.c:", said)

    def test_link_of_thread_local_variables(self):
        self.file("other.cpp", "thread_local int x = 4;\n")
        path = self.file("t.cpp", "#include <cassert>\nextern thread_local int x;\nint main() { assert(x == EXPECTED); }\n")
        self.check(path, "--link", "other.cpp", "-DEXPECTED=4", expect=VERIFIED)
        self.check(path, "--link", "other.cpp", "-DEXPECTED=0", expect=VIOLATED)

    def test_link_of_global_variables_with_priorities(self):
        """Destructors run in the reverse order of constructors, whatever the order of the files."""
        head = "#include <cassert>\nextern int last;\nstruct D { int n; D(int k) : n(k) { assert(last == n - 1); last = n; }\n" \
               "  ~D() { assert(last == EXPECTED); last = n - 1; } };\n"
        self.file("other.cpp", "int last;\n" + head + "__attribute__((init_priority(200))) D first(1);\n")
        path = self.file("d.cpp", head + "__attribute__((init_priority(300))) D second(2);\nD third(3);\nint main() {}\n")
        self.check(path, "--link", "other.cpp", "-DEXPECTED=n", expect=VERIFIED)
        self.check(path, "--link", "other.cpp", "-DEXPECTED=n+1", expect=VIOLATED)

    def test_link_of_different_types(self):
        """What one file declares differently than the other defines it."""
        self.file("other.c", "long half(long x) { return x / 2; }\n")
        path = self.file("t.c", "int half(int, int);\n" + HOLDS % "half(4, 1) == 2")
        result = self.run_program("check", "--timeout", NEVER, path, "--link", "other.c")
        self.assertNotEqual(result.returncode, VERIFIED, result.stdout)

    def test_link_with_tests(self):
        self.file("store.c", "int stored;\nvoid put(int v) { stored = v; }\n")
        self.file("impl.c", "void put(int);\nextern int stored;\nvoid init(void) { put(0); }\n"
                  "int swap(int v) { int old = stored; put(v); return old; }\n")
        self.file("model.c", "int n;\nvoid init(void) { n = 0; }\nint swap(int v) { int old = n; n = v; return old; }\n")
        path = self.file("s.tests", 'implementation "impl.c"\nreference "model.c"\ninit init();\n'
                         "operation s = int swap(in {1, 2});\ntest T0 = ( s s )\n")
        self.check(path, "--link", "store.c", expect=VERIFIED)
        self.file("store.c", "int stored;\nvoid put(int v) { stored = v & 1; }\n")
        self.check(path, "--link", "store.c", expect=VIOLATED)

    # --- compile_commands.json ----------------------------------------------------------------------------------------

    def test_compile_commands(self):
        self.file("include/size.h", "enum { SIZE = 4 };\n")
        path = self.file("src/c.c", '#include "size.h"\n' + HOLDS % "SIZE == 4 && N == 2 && sizeof(WORD) == 4 && (char)-1 > 0")
        command = "gcc -O2 -g -Wall -I../include -DN=2 '-DWORD=\"a b\"' -funsigned-char -fsanitize=thread -o c.o -c c.c"
        build = [{"directory": str(self.folder / "include"), "file": "c.c", "command": "gcc"},
                 {"directory": str(self.folder / "src"), "file": "c.c", "command": command}]
        self.file("build/compile_commands.json", json.dumps(build))
        self.check(path, "--compile-commands", "build", expect=VERIFIED)
        self.check("src/../src/c.c", "--compile-commands", "build", expect=VERIFIED)
        self.check(path, "--compile-commands", "build", "-DN=3", expect=VIOLATED)
        self.check(path, "--compile-commands", "build", "-fsigned-char", expect=VIOLATED)
        other = self.file("other.c", HOLDS % "1")
        self.assertIn("does not say how", self.check(other, "--compile-commands", "build", expect=USAGE))
        self.check(path, "--compile-commands", "no_such_folder", expect=NO_FILE)

    def test_words_of_commands(self):
        """Each word is used, or has no influence."""
        self.file("sub/first.h", "enum { FIRST = 1 };\n")
        self.file("sub/pch.h", "enum { PCH = 1 };\n")
        self.file("sub/system/s.h", "enum { SYSTEM = 1 };\n")
        path = self.file("sub/w.cpp", "#include <s.h>\n#ifdef U\n#error U\n#endif\n" +
                         HOLDS % "FIRST && PCH && SYSTEM && A == 1 && B == 2 && __cplusplus == 201703L")
        words = ["c++", "-include", "first.h", "-isystem", "system", "-Xclang", "-include-pch", "-Xclang", "none.pch", "-Xclang",
                 "-include", "-Xclang", "pch.h", "-Wp,-DA=1,-DB=2", "-DU", "-U", "U", "-std=c++17", "-MD", "-MF", "-DA=3", "-o",
                 "-fopenmp", "--param", "-m32", "-O3", "-march=x86-64", "-c", "w.cpp"]
        self.file("compile_commands.json", json.dumps([{"directory": "sub", "file": "w.cpp", "arguments": words}]))
        self.check(path, "--compile-commands", ".", "--target", "host", expect=VERIFIED)

    def test_each_linked_file_has_its_command(self):
        self.file("a.c", "int a(void) { return N; }\n")
        path = self.file("m.c", "int a(void);\n" + HOLDS % "a() == 2 && N == 1")
        build = [{"directory": ".", "file": name, "command": f"cc -DN={n} -c {name}"} for name, n in (("m.c", 1), ("a.c", 2))]
        self.file("compile_commands.json", json.dumps(build))
        self.check(path, "--link", "a.c", "--compile-commands", ".", expect=VERIFIED)
        self.file("compile_commands.json", json.dumps(build[:1]))
        self.assertIn("does not say how a.c", self.check(path, "--link", "a.c", "--compile-commands", ".", expect=USAGE))

    @ON_X86
    @unittest.skipUnless(pathlib.Path("/usr/include/x86_64-linux-gnu/urcu").exists(), "liburcu-dev is not installed")
    def test_library_of_this_machine(self):
        """liburcu's headers are in this machine's folder, and have the assembly of all processors."""
        path = ROOT / "corpus/real/urcu_lfstack.c"
        words = ["cc", "-idirafter", "/usr/include/x86_64-linux-gnu", "-c", str(path)]
        self.file("compile_commands.json", json.dumps([{"directory": "/", "file": str(path), "arguments": words}]))
        for target, _, model, _ in self.TARGETS[:3]:
            options = ("--compile-commands", ".", "--volatile", "atomic", "--target", target)
            self.check(path, *options, model=model, expect=VERIFIED)
            self.check(path, *options, "-DSPLIT_CMPXCHG", model=model, expect=VIOLATED)

    # --- targets ------------------------------------------------------------------------------------------------------

    TARGETS = (("aarch64", "__aarch64__", "armv8", True), ("riscv64", "__riscv", "riscv", True),
               ("ppc64le", "__powerpc64__", "power", True), ("x86_64", "__x86_64__", "tso", False))

    def test_target(self):
        """Macros, sizes and signs are those of the processor that is asked for, or of the model."""
        for target, macro, model, char_is_unsigned in self.TARGETS:
            facts = f"{macro} && sizeof(long) == 8 && ((char)-1 > 0) == {int(char_is_unsigned)}"
            path = self.file("t.c", PLAIN % facts)
            said = self.check(path, "--target", target, "--json", "-", expect=VERIFIED)
            self.assertEqual(json.loads(said)["results"][0]["target"], target)
            said = self.check(path, model=model, expect=VERIFIED)
            self.assertNotIn("note:", said)
        self.check(path, "--target", "vax", expect=USAGE)

    @ON_X86
    def test_models_that_are_no_processor(self):
        path = self.file("h.c", PLAIN % "__x86_64__")
        self.check(path, model="sc,tso,pso,rc11", expect=VERIFIED)
        self.check(path, "--target", "host", model="armv8,power,riscv", expect=VERIFIED)
        # Once for each processor.
        path = self.file("n.c", "#ifdef __x86_64__\n#define N 1\n#else\n#define N 0\n#endif\n" + PLAIN % "N")
        said = json.loads(self.check(path, "--json", "-", model="sc,tso,armv8,rc11,power", expect=VIOLATED))
        self.assertEqual([r["verdict"] for r in said["results"]], ["verified"] * 2 + ["violated", "verified", "violated"])

    @ON_X86
    def test_missing_headers_of_a_model(self):
        """A program that only compiles for this machine is compiled for it."""
        path = self.file("m.c", "#ifdef __aarch64__\n#include <no_such_header.h>\n#endif\n" + PLAIN % "__x86_64__")
        said = self.check(path, model="armv8", expect=VERIFIED)
        self.assertIn("note: compiled for x86_64 and not for aarch64: ", said)
        self.assertIn("m.c:2:10: 'no_such_header.h' file not found", said)
        result = json.loads(self.check(path, "--json", "-", model="armv8", expect=VERIFIED))["results"][0]
        self.assertEqual(result["target"], "x86_64")
        self.assertIn("not for aarch64", result["note"])
        self.assertIn("no_such_header.h", self.check(path, "--target", "aarch64", model="sc", expect=INPUT))
        path = self.file("a.c", 'int x;\nint main(void) { __asm__ volatile("lock; incl %0" : "+m"(x)); }\n')
        self.assertIn("assembly of x86_64", self.check(path, model="armv8", expect=VERIFIED))
        self.assertIn("incl", self.check(path, "--target", "aarch64", model="armv8", expect=INPUT))
        path = self.file("c.c", 'int main(void) { int r; __asm__("mov $1, %0" : "=a"(r)); return r; }\n')
        self.assertIn("note: compiled for x86_64", self.check(path, model="armv8", expect=VERIFIED))
        # An error everywhere is the same error as ever.
        path = self.file("e.c", "int main(void) { return x; }\n")
        said = self.check(path, model="armv8", expect=INPUT)
        self.assertIn("e.c:1:25: error: use of undeclared identifier 'x'", said)

    @ON_X86
    def test_what_is_rejected_for_a_model(self):
        """The construct is named, and the processor: code of that processor is not replaced by another one's."""
        path = self.file("r.c", '#ifdef __aarch64__\nint main(void) { __asm__ volatile("svc #0"); }\n'
                         "#else\nint main(void) {}\n#endif\n")
        self.check(path, expect=VERIFIED)
        said = self.check(path, model="armv8", expect=INPUT)
        self.assertIn("r.c:2:18: error:", said)
        self.assertIn("svc #0", said)
        self.assertIn("it was compiled for aarch64, the processor of the model (--target host: for this machine)", said)

    @ON_X86
    def test_assembly_of_the_model(self):
        path = self.file("m.c", MESSAGE)
        self.check(path, '-DSTORE="stlr"', model="sc,tso,armv8", expect=VERIFIED)
        self.check(path, '-DSTORE="str"', model="sc,tso", expect=VERIFIED)
        self.check(path, '-DSTORE="str"', model="armv8", expect=VIOLATED)
        # The text of x86 on ARM: stores release, loads acquire.
        self.check(path, "--target", "x86_64", model="armv8", expect=VERIFIED)

    def test_libraries(self):
        """Threads of C and C++ are the same on all processors."""
        self.file("counter.c", COUNTER)
        path = self.file("client.cpp", CLIENT)
        for target, _, model, _ in self.TARGETS:
            self.check(path, "--link", "counter.c", "--target", target, model=f"sc,{model}", expect=VERIFIED)

    def test_layouts_that_are_not_supported(self):
        path = self.file("b.c", PLAIN % "1")
        self.check(path, "-m32", expect=USAGE)
        self.check(path, "--target", "aarch64", "-mbig-endian", expect=USAGE)


if __name__ == "__main__":
    main(__doc__)
