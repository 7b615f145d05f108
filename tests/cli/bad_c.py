#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Bad C, C++ and .tests files must be rejected with a message that has the position and the error.
#
#   bad_c.py PROGRAM FOLDER   the files of the folder say in their first lines what is expected:
#                             tests/bad/c/README.md
#   bad_c.py PROGRAM made     what is better made than kept: folders, odd names, a machine without a compiler
#
# Exit status: 65 for an error in a file, 64 for a usage error.
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SECONDS = 3600  # however slow the machine is; what does not terminate gets a limit


def run(program, *words, **more):
    return subprocess.run([program, "check", *words], capture_output=True, text=True, errors="replace",
                          stdin=subprocess.DEVNULL, timeout=SECONDS, **more)


def complaint(result, status, *texts):
    """The problem with the answer; None if there is none."""
    if result.returncode != status:
        return f"exit status {result.returncode} instead of {status}"
    if result.stdout:
        return "something on the standard output"
    for text in texts:
        if text not in result.stderr:
            return f"expected: {text}"
    return None


def expectations(path):
    found = {}
    for line in path.read_text().splitlines()[:4]:
        if match := re.fullmatch(r"(?://|#) (error|line|options): (.*)", line):
            found[match[1]] = match[2]
    return found


def check_file(program, path):
    expected = expectations(path)
    if "error" not in expected:
        return path, f"{path} expects nothing", ""
    result = run(program, *expected.get("options", "").split(), str(path))
    texts = [expected["error"]]
    if "line" in expected:
        # One complaint has both; more may follow.
        texts = [f"{path}:{expected['line']}:"]
        lines = [line for line in result.stderr.splitlines() if expected["error"] in line]
        if not any(line.startswith(texts[0]) for line in lines):
            texts.append(f"{texts[0]} ... {expected['error']}")
    return path, complaint(result, 64 if "options" in expected else 65, *texts), result.stdout + result.stderr


def check_folder(program, folder):
    files = sorted(path for path in pathlib.Path(folder).iterdir() if path.suffix in (".c", ".cpp", ".tests"))
    assert sum(path.suffix != ".tests" for path in files) >= 30, "there are fewer than 30 programs"
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count() or 2) as workers:
        for path, problem, printed in workers.map(lambda path: check_file(program, path), files):
            if problem:
                failures += 1
                print(f"{path.name}: {problem}\n    " + "\n    ".join(printed[:1500].splitlines()))
    print(f"{len(files)} files, {failures} failures")
    return failures


def check_made(program):
    good = "int x;\nint main(void) { x = 1; return 0; }\n"
    counter = ('void init(void) {}\nint n;\nint up(void) { return ++n; }\n')
    suite = 'implementation "{}"\ninit init();\noperation u = int up();\ntest T0 = ( u )\n'
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        base = pathlib.Path(folder)

        def write(name, text):
            path = base / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(text, bytes):
                path.write_bytes(text)
            else:
                path.write_text(text)
            return str(path)

        def expect(what, result, status, *texts):
            nonlocal failures
            if problem := complaint(result, status, *texts):
                failures += 1
                print(f"{what}: {problem}\n    {result.stdout[:800]}{result.stderr[:800]}")

        def expect_unknown(what, result, *texts):
            """An answer like any other, that is; or it was ended from outside before it could say why."""
            nonlocal failures
            if result.returncode != 2 or not any(text in result.stdout for text in texts):
                failures += 1
                print(f"{what}: exit status {result.returncode}\n    {result.stdout[:800]}{result.stderr[:800]}")

        def expect_good(what, result):
            nonlocal failures
            if result.returncode != 0:
                failures += 1
                print(f"{what}: exit status {result.returncode}\n    {result.stderr[:800]}")

        (base / "folder.c").mkdir()
        (base / "folder.tests").mkdir()
        expect("folder", run(program, str(base / "folder.c")), 66, "folder.c: is a directory")
        expect("folder of tests", run(program, str(base / "folder.tests")), 66, "folder.tests: is a directory")
        expect("no file", run(program, str(base / "none.c")), 66, "none.c: No such file")
        if os.geteuid() != 0:  # root reads everything
            closed = write("closed.c", good)
            os.chmod(closed, 0)
            expect("unreadable", run(program, closed), 66, "closed.c: Permission denied")
        expect("empty", run(program, write("empty.c", "")), 65, "no function 'main'")
        expect("no tests", run(program, write("empty.tests", "")), 65, "there is no implementation")
        expect("binary", run(program, write("binary.c", pathlib.Path(program).read_bytes()[:100000])), 65, "error: ")
        expect("binary tests", run(program, write("binary.tests", pathlib.Path(program).read_bytes()[:100000])), 65,
               "error: ")
        expect_good("quotation marks", run(program, write("a\"b.c", good)))
        write("up.c", counter)
        expect("quotation marks of tests", run(program, write('a"b.tests', suite.format("up.c"))), 64,
               "quotation marks")
        expect_good("blanks", run(program, write("a folder/a file.c", good)))
        write("a folder/an up.c", counter)
        expect_good("blanks of tests", run(program, write("a folder/the tests.tests", suite.format("an up.c"))))
        expect("itself", run(program, write("itself.tests", suite.format("itself.tests"))), 65,
               "itself.tests:1:", "not a C or C++ file")
        expect("folder as implementation", run(program, write("folders.tests", suite.format("folder.c"))), 65,
               "folders.tests:1:", "folder.c")
        expect("includes itself", run(program, write("loop.c", '#include "loop.c"\n')), 65,
               "loop.c:1:", "#include nested too deeply")
        expect("deep templates", run(program, write(
            "deep.cpp", "template <int n> struct S { static constexpr int v = S<n + 1>::v; };\n"
                        "int main() { return S<0>::v; }\n")), 65, "deep.cpp:1:", "template")
        # 2^40 instances: the compiler would never end.
        expect_unknown("templates without end", run(program, "--timeout", "1", write(
            "wide.cpp", "template <int n, int m> struct S { static constexpr long v = S<n - 1, 2 * m>::v + S<n - 1, 2 * m + 1>::v; };\n"
                        "template <int m> struct S<0, m> { static constexpr long v = m; };\n"
                        "int main() { return S<30, 0>::v; }\n")), "the compiler did not", "the time limit")
        empty = base / "nothing"
        empty.mkdir()
        here = dict(os.environ, PATH=str(empty))
        expect("no compiler", run(program, str(base / "up.c"), env=here), 69, "up.c", "clang-19")
        nowhere = dict(os.environ, TMPDIR=str(base / "nowhere"))
        expect_good("no folder for temporary files", run(program, write("good.c", good), env=nowhere))
    print(f"{failures} failures")
    return failures


def main():
    program, what = sys.argv[1:]
    failures = check_made(program) if what == "made" else check_folder(program, what)
    sys.exit(1 if failures else 0)


main()
