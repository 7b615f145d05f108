#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How C files are compiled: the flags that users have, and what volatile accesses and data races are.

    test_c_flags.py PROGRAM [unittest options]
"""

from program_case import INPUT, NEVER, USAGE, VERIFIED, VIOLATED, ProgramCase, main

HANDOFF = """
#include <assert.h>
#include <pthread.h>
volatile int flag, data;
void* a(void* unused) {
  data = 1;
  __atomic_thread_fence(__ATOMIC_RELEASE);
  flag = 1;
  return 0;
}
void* b(void* unused) {
  if (flag) {
    FENCE
    assert(data == 1);
  }
  return 0;
}
int main() {
  pthread_t s, t;
  pthread_create(&s, 0, a, 0);
  pthread_create(&t, 0, b, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
}
"""
ACQUIRE = "FENCE=__atomic_thread_fence(__ATOMIC_ACQUIRE);"

RACE = """
#include <pthread.h>
int n;
void* a(void* unused) { n = 1; return 0; }
int main() {
  pthread_t t;
  pthread_create(&t, 0, a, 0);
  n = 2;
  pthread_join(t, 0);
}
"""

THROWS = """
#include <atomic>
#include <cassert>
#include <stdexcept>
#include <thread>
std::atomic<int> n;
int main() {
  std::thread t([] { n = 1; });
  if (n == 1) throw std::runtime_error("too early");
  assert(n.exchange(2) < 2);
  t.join();
}
"""

SECTIONS = """
#include <fenceline.h>
#include <pthread.h>
int n;
void* a(void* unused) {
  fl_atomic(n = n + 1;);
  return 0;
}
int main() {
  pthread_t s, t;
  pthread_create(&s, 0, a, 0);
  pthread_create(&t, 0, a, 0);
#ifdef OUTSIDE
  n = 7;
#endif
  pthread_join(s, 0);
  pthread_join(t, 0);
#ifndef OUTSIDE
  fl_assert(n == 2);
#endif
}
"""

HOLDS = "#include <assert.h>\nint main(void) { assert(%s); }\n"


class Flags(ProgramCase):

    def check(self, *words, expect, model="sc"):
        result = self.run_it("check", "--timeout", NEVER, "--model", model, *words, expect=expect)
        return result.stdout + result.stderr

    # --- flags of the compiler ------------------------------------------------------------------------------------

    def test_exceptions(self):
        path = self.file("throws.cpp", THROWS)
        for model in ("sc", "rc11"):
            printed = " ".join(self.check(path, model=model, expect=VIOLATED).split())
            self.assertIn("an exception is thrown and not caught: std::runtime_error", printed)
            self.check(path, "--exceptions", "error", model=model, expect=VIOLATED)
            self.check(path, "--exceptions", "assume", model=model, expect=VERIFIED)
        self.check(path, "--exceptions", "ignore", expect=USAGE)

    def test_a_definition_keeps_its_commas(self):
        path = self.file("d.c", HOLDS % "F(1, 2) == 3 && G == 7")
        self.check(path, "-D", "F(a,b)=((a)+(b))", "-DG=F(3,4)", expect=VERIFIED)
        self.check(path, "-D", "F(a,b)=((a)*(b))", "-DG=F(3,4)", expect=VIOLATED)
        self.check(path, "-D", "", expect=USAGE)

    def test_undefine(self):
        path = self.file("u.c", "#ifdef N\n#error defined\n#endif\n#ifdef __GNUC__\n#error GNU\n#endif\nint main(void) {}\n")
        self.check(path, "-DN=1", "-U", "N", "-U__GNUC__", expect=VERIFIED)
        self.assertIn("defined", self.check(path, "-DN=1", expect=INPUT))

    def test_include(self):
        self.file("first.h", "enum { N = 5 };\n")
        path = self.file("i.c", HOLDS % "N == 5")
        self.check(path, "-include", "first.h", expect=VERIFIED)
        self.check(path, "--include", "first.h", expect=VERIFIED)
        self.check(path, "-include", "no_such.h", expect=INPUT)

    def test_standard(self):
        path = self.file("s.c", HOLDS % "__STDC_VERSION__ == 201112L")
        self.check(path, expect=VIOLATED)
        self.check(path, "--std", "c11", expect=VERIFIED)
        self.check(path, "-std=c11", expect=VERIFIED)
        self.assertIn("c+11", self.check(path, "-std=c+11", expect=INPUT))

    def test_flags(self):
        path = self.file("f.c", "enum e { A };\n" + HOLDS % "sizeof(enum e) == 1 && (char)-1 > 0")
        self.check(path, expect=VIOLATED)
        self.check(path, "-fshort-enums", "-funsigned-char", "-Wall", "-Werror", "-fPIC", expect=VERIFIED)
        self.check(path, "--flag", "-fshort-enums", "--flag=-funsigned-char", expect=VERIFIED)
        for flag in ("-fsanitize=thread", "-fplugin=x.so", "-fprofile-generate", "-Wp,-DN", "-mllvm"):
            self.assertIn(flag, self.check(path, flag, expect=USAGE))
        self.check(path, "--flag", "-lpthread", expect=USAGE)

    def test_flags_of_builds(self):
        path = self.file("p.c", "#ifndef _REENTRANT\n#error without -pthread\n#endif\n" + HOLDS % "1")
        self.assertIn("without -pthread", self.check(path, "-O2", "-g", "-ggdb3", "-Os", "-pipe", expect=INPUT))
        self.check(path, "-O2", "-g", "-pthread", expect=VERIFIED)
        self.check(path, "--flag", "-O3", "--flag=-pthread", expect=VERIFIED)

    def test_a_flag_does_not_change_what_is_checked(self):
        """Without -fwrapv Clang would know that x + 1 > x."""
        path = self.file("w.c", "#include <assert.h>\n#include <limits.h>\n"
                         "int main(void) {\n  volatile int x = INT_MAX;\n  int y = x;\n  assert(y + 1 > y);\n}\n")
        self.check(path, "-fno-wrapv", "-fstrict-overflow", expect=VIOLATED)

    # --- volatile accesses and races --------------------------------------------------------------------------------

    def test_volatile(self):
        path = self.file("v.c", HANDOFF)
        self.assertIn("'race'", self.check(path, "-D", ACQUIRE, model="rc11", expect=VIOLATED))
        self.check(path, "-D", ACQUIRE, "--volatile", "plain", model="rc11", expect=VIOLATED)
        self.check(path, "-D", ACQUIRE, "--volatile", "atomic", model="rc11", expect=VERIFIED)
        said = self.check(path, "-DFENCE=", "--volatile", "atomic", model="rc11", expect=VIOLATED)
        self.assertNotIn("'race'", said)
        self.assertIn("data == 1", said)
        self.check(path, "-D", ACQUIRE, "--volatile", "atomic", model="armv8", expect=VERIFIED)

    def test_races(self):
        path = self.file("r.c", RACE)
        self.check(path, model="rc11", expect=VIOLATED)
        self.check(path, "--races", "error", model="rc11", expect=VIOLATED)
        self.check(path, "--races", "ignore", model="rc11,sc,armv8", expect=VERIFIED)
        self.check(path, "--races", "maybe", model="rc11", expect=USAGE)
        # What else is wrong is still found.
        self.check(self.file("h.c", HANDOFF), "-DFENCE=", "--races", "ignore", model="rc11", expect=VIOLATED)

    def test_sections_do_not_race(self):
        path = self.file("s.c", SECTIONS)
        for engine in ("sat", "executions", "enumeration"):
            self.check(path, "--engine", engine, model="rc11", expect=VERIFIED)
            self.assertIn("'race'", self.check(path, "-DOUTSIDE", "--engine", engine, model="rc11", expect=VIOLATED))


if __name__ == "__main__":
    main(__doc__)
