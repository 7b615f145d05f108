#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""arrows.py must complain: each test builds a small tree with one error and expects that one complaint."""

import unittest

from small_tree import TESTS, run_on_tree


def run(files):
    return run_on_tree("arrows.py", files)


class Arrows(unittest.TestCase):
    def rejects(self, files, complaint, complaints=1):
        result = run(files)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn(complaint, result.stderr)
        self.assertEqual(result.stderr.count("\n"), complaints, result.stderr)

    def test_a_good_tree_passes(self):
        result = run(
            {
                "src/base/ids.h": "#include <cstdint>\n",
                "src/env/env.h": '#include "base/ids.h"\n#include <vector>\n',
                "src/engine/engine.h": '#include "env/env.h"\n',
                "src/engine/explicit/run.cpp": '#include "engine/engine.h"\n#include "engine/explicit/run.h"\n',
                "src/engine/explicit/run.h": "\n",
                "src/task/result.h": "\n",
                "src/report/report.h": '#include "task/result.h"\n',
                "tests/unit/base/ids_test.cpp": '#include "base/ids.h"\n#include "unit/help.h"\n#include "near.h"\n',
                "tests/unit/base/near.h": "\n",
                "tests/unit/help.h": "\n",
            }
        )
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_upwards(self):
        self.rejects(
            {"src/base/a.h": '#include "env/b.h"\n', "src/env/b.h": "\n"}, "src/base/a.h:1: base/ may not include env/b.h"
        )

    def test_a_folder_that_is_not_in_its_row(self):
        self.rejects(
            {"src/report/a.cpp": '\n#include "engine/other.h"\n', "src/engine/other.h": "\n"},
            "src/report/a.cpp:2: report/ may not include engine/other.h",
        )

    def test_engines_do_not_know_each_other(self):
        self.rejects(
            {"src/engine/sat/a.cpp": '#include "engine/explicit/b.h"\n', "src/engine/explicit/b.h": "\n"},
            "src/engine/sat/a.cpp:1: engine/sat/ may not include engine/explicit/b.h",
        )

    def test_the_replay_does_not_reach_the_machine(self):
        result = run(
            {
                "src/check/replay/replay.cpp": '#include "task/p.h"\n',
                "src/task/p.h": '#include "machine/store_buffer/machine.h"\n',
                "src/machine/store_buffer/machine.h": "\n",
            }
        )
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("src/task/p.h:1: task/ may not include machine/store_buffer/machine.h", result.stderr)
        self.assertIn("src/check/replay/replay.cpp: reaches machine/store_buffer/machine.h through", result.stderr)

    def with_the_tree(self, name, old, new):
        """What is said about the real CMakeLists.txt and architecture.md, with one change in the file `name`."""
        root = TESTS.parent
        files = {"src/base/a.h": "\n"}
        for file in ("src/CMakeLists.txt", "docs/architecture.md"):
            files[file] = (root / file).read_text(encoding="utf-8")
        self.assertIn(old, files[name])
        files[name] = files[name].replace(old, new)
        return files

    def test_the_libraries_link_what_the_table_says(self):
        self.rejects(
            self.with_the_tree("src/CMakeLists.txt", "part(sat sat fenceline_model ", "part(sat sat fenceline_ir "),
            "fenceline_sat links fenceline_ir, which it may not include",
            2,
        )

    def test_the_map_says_what_the_table_says(self):
        self.rejects(
            self.with_the_tree("docs/architecture.md", "| base, env, model |", "| base, env, ir, model |"),
            "docs/architecture.md: src/sat/ may include base, env, model",
        )

    def test_the_map_has_the_namespaces(self):
        self.rejects(
            self.with_the_tree("docs/architecture.md", "| `sat` | base, env, model |", "| `fenceline` | base, env, model |"),
            "docs/architecture.md: the namespace of src/sat/ is `sat`",
        )

    def test_a_namespace_of_another_folder(self):
        self.rejects(
            {"src/engine/sat/a.h": "\nnamespace fenceline::numeric {\n}\n"},
            "src/engine/sat/a.h:2: the namespace of this folder is `sat`",
        )

    def test_the_vocabulary_is_for_the_lowest_folders(self):
        self.rejects({"src/machine/a.h": "namespace fenceline {\n}\n"}, "src/machine/a.h:1: the namespace of this folder is")

    def test_namespaces_of_folders(self):
        result = run(
            {
                "src/task/a.h": "namespace fenceline {\n}\n",
                "src/model/cat/a.h": "namespace fenceline::cat {\n}\n",
                "src/check/replay/a.h": "namespace fenceline::check {\nnamespace {\n}\n}\n",
            }
        )
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_missing_header(self):
        self.rejects({"src/base/a.h": '#include "base/gone.h"\n'}, '"base/gone.h" does not exist')

    def test_relative_path(self):
        self.rejects({"src/base/x/a.h": '#include "../b.h"\n', "src/base/b.h": "\n"}, "write the path from src/")

    def test_angle_brackets(self):
        self.rejects({"src/base/a.h": "#  include <base/b.h>\n", "src/base/b.h": "\n"}, "write it in quotes")

    def test_unknown_folder(self):
        self.rejects({"src/utils/a.h": "\n"}, "the folder utils/ is not in the table")

    def test_missing_header_in_tests(self):
        self.rejects({"src/base/a.h": "\n", "tests/unit/t.cpp": '#include "gone.h"\n'}, '"gone.h" does not exist')

    def test_empty_tree(self):
        self.rejects({"src/README": "\n"}, "no C++ files there")


if __name__ == "__main__":
    unittest.main()
