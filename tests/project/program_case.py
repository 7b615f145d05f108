# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of the program as its users meet it have in common: a folder of their own, running it, its results.

    class Something(ProgramCase): ...
    if __name__ == "__main__":
        main(__doc__)
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCHEMA = ROOT / "docs/result.schema.json"
VALIDATE = ROOT / "tests/cli/validate_json.py"

VERIFIED, VIOLATED, UNKNOWN, USAGE, INPUT, NO_FILE, UNAVAILABLE, INTERRUPTED = 0, 1, 2, 64, 65, 66, 69, 130

# No answer depends on how fast the machine is: this is when a test gives up waiting for one, and NEVER is a limit for
# tasks that must be decided. What has no end gets a limit that what ends beside it cannot miss.
PATIENCE, NEVER = 3600, "3000"


class ProgramCase(unittest.TestCase):
    maxDiff = None
    program = None  # set by main()

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="fenceline test ")  # a path with spaces, everywhere
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return str(path)

    def run_program(self, *words, **more):
        return subprocess.run(
            [self.program, *map(str, words)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.folder,
            timeout=PATIENCE,
            check=False,
            **more,
        )

    def run_it(self, *words, expect, **more):
        result = self.run_program(*words, **more)
        self.assertEqual(result.returncode, expect, f"{words}\n{result.stdout}\n{result.stderr}")
        return result

    def follows_schema(self, text):
        check = subprocess.run(
            [sys.executable, str(VALIDATE), str(SCHEMA), "-"], input=text, stderr=subprocess.PIPE, text=True, check=False
        )
        self.assertEqual(check.returncode, 0, check.stderr)


def main(usage):
    if len(sys.argv) < 2:
        sys.exit(usage)
    ProgramCase.program = os.path.abspath(sys.argv.pop(1))
    unittest.main()
