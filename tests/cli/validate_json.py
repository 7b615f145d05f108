#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks a JSON file against a JSON schema, and what no schema can say: steps are numbered from 1 and read only
from earlier ones.

    validate_json.py SCHEMA FILE        FILE may be "-"

The interpreter is Debian's, since that is the one that python3-jsonschema is installed for. Exit status: 0 valid,
1 invalid, 2 the check itself could not be made.
"""

import json
import sys

try:
    import jsonschema
except ImportError:
    print("validate_json.py: the package python3-jsonschema is missing", file=sys.stderr)
    sys.exit(2)


def read(path):
    if path == "-":
        return json.load(sys.stdin)
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def schema_complaints(schema, document):
    validator = jsonschema.validators.validator_for(schema)
    validator.check_schema(schema)
    for error in sorted(validator(schema).iter_errors(document), key=lambda e: list(map(str, e.path))):
        place = "/".join(str(part) for part in error.absolute_path)
        yield f"{place or 'the document'}: {error.message}"


def numbering_complaints(document):
    for number, result in enumerate(document["results"]):
        for expected, step in enumerate(result["trace"], start=1):
            place = f"results/{number}/trace/{expected - 1}"
            if step["step"] != expected:
                yield f"{place}: step {step['step']} where {expected} was expected"
            source = step["reads_from"]
            if isinstance(source, int) and source >= expected:
                yield f"{place}: reads from step {source}, which comes later"


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        schema, document = read(sys.argv[1]), read(sys.argv[2])
    except (OSError, ValueError) as error:
        print(f"validate_json.py: {error}", file=sys.stderr)
        return 1 if isinstance(error, ValueError) else 2
    complaints = list(schema_complaints(schema, document))
    if not complaints:
        complaints = list(numbering_complaints(document))
    for complaint in complaints[:20]:
        print(f"{sys.argv[2]}: {complaint}", file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
