#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""rc20 beside rc11: every final state of a C litmus test on rc11 is one on rc20, and the tests that tell them apart do.

    test_rc20.py PROGRAM [unittest options]
"""

import json

from program_case import ROOT, ProgramCase, main

# A release, a relaxed store (or read-modify-write) of the same thread, and an acquire that reads the latter.
SEQUENCE = """C %s
{ x = 0; y = 0; }
P0 (atomic_int* x, atomic_int* y) {
  atomic_store_explicit(x, 1, memory_order_relaxed);
  atomic_store_explicit(y, 1, memory_order_release);
  %s
}
P1 (atomic_int* x, atomic_int* y) {
  int r0 = atomic_load_explicit(y, memory_order_acquire);
  int r1 = atomic_load_explicit(x, memory_order_relaxed);
}
exists (1:r0=2 /\\ 1:r1=0)
"""
STORE = "atomic_store_explicit(y, 2, memory_order_relaxed);"
ADD = "int r2 = atomic_fetch_add_explicit(y, 1, memory_order_relaxed);"


class ReleaseSequences(ProgramCase):

    def states(self, path, model):
        """The final states of the test, as sets of pairs."""
        result = self.run_program("litmus", path, "--model", model, "--json", "-")
        (test,) = json.loads(result.stdout)["litmus"]
        return {frozenset(state["values"].items()) for state in test["states"]}

    def test_rc20_is_weaker(self):
        paths = sorted((ROOT / "corpus/litmus-tests/c").glob("*.litmus"))
        self.assertGreater(len(paths), 20)
        for path in paths:
            self.assertLessEqual(self.states(path, "rc11"), self.states(path, "rc20"), path.name)

    def test_what_tells_them_apart(self):
        stale = frozenset({("1:r0", "2"), ("1:r1", "0")})
        store = self.file("store.litmus", SEQUENCE % ("store", STORE))
        self.assertNotIn(stale, self.states(store, "rc11"))
        self.assertIn(stale, self.states(store, "rc20"))
        add = self.file("add.litmus", SEQUENCE % ("add", ADD))
        for model in ("rc11", "rc20"):
            self.assertNotIn(stale, self.states(add, model))


if __name__ == "__main__":
    main(__doc__)
