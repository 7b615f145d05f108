# SPDX-License-Identifier: GPL-3.0-or-later
"""For tests of the scripts that look at the source tree: such a script, run on a small tree of its own."""

import pathlib
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parent.parent


def run_on_tree(script, files):
    """Runs tests/SCRIPT on a folder with these files, {path: text}."""
    with tempfile.TemporaryDirectory(prefix="small tree ") as folder:
        for name, text in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return subprocess.run([sys.executable, str(TESTS / script), folder], capture_output=True, text=True, check=False)
