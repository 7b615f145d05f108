#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of shapes and models in docs/models.md, cell by cell: the program's verdict must be the same.

    test_shapes.py PROGRAM [unittest options]
"""

import json
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = None  # set from the command line


def table():
    """(models, {file of the corpus: [allowed, by model]}) of the table behind its heading."""
    text = (ROOT / "docs/models.md").read_text(encoding="utf-8").split("\n## Shapes and models\n")[1]
    lines = [line for line in text.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    rows = {}
    for first, *allowed in cells[2:]:
        rows[re.search(r"\]\(\.\./(corpus/[^)]*)\)", first).group(1)] = [cell == "yes" for cell in allowed]
        assert all(cell in ("yes", "–") for cell in allowed), first
    return cells[0][1:], rows


class Shapes(unittest.TestCase):
    def test_every_shipped_model_has_a_column(self):
        listed = subprocess.run([PROGRAM, "models"], capture_output=True, text=True, check=True).stdout
        names = [line.split()[0] for line in listed.splitlines() if line.strip()]
        for model in table()[0]:
            self.assertIn(model, names)
        self.assertEqual(len(table()[0]), len(list((ROOT / "models").glob("*.cat"))))

    def test_cells(self):
        models, rows = table()
        self.assertGreater(len(rows), 25)
        for file, expected in rows.items():
            words = [PROGRAM, "check", str(ROOT / file), "--engine", "sat", "--model", ",".join(models), "--json", "-"]
            answer = json.loads(subprocess.run(words, capture_output=True, text=True).stdout)
            found = {}
            for result in answer["results"]:
                if result["property"] != "errors":
                    self.assertNotIn(result["model"], found, f"{file} has more than one property")
                    found[result["model"]] = result["verdict"]
            for model, allowed in zip(models, expected):
                with self.subTest(file=file, model=model):
                    self.assertEqual(found[model], "violated" if allowed else "verified")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    PROGRAM = sys.argv.pop(1)
    unittest.main()
