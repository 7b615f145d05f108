#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Bad input must be rejected with status 65 and messages that have the position and the error.
#
#   bad_input.sh PROGRAM FILE.fl     FILE starts with lines "// expect LINE:COLUMN: error: MESSAGE"; the program
#                                    must print each of them after the file's name, and no other "error:".
#   bad_input.sh PROGRAM FILE.litmus the same with "(* expect ... *)"; `check` and `litmus` must agree.
#   bad_input.sh PROGRAM FILE.table  the same with "# expect ..."; the table is the model of a good program.
#   bad_input.sh PROGRAM made KIND   a file that is better made than kept: too large, or not a text.
set -u
program=$1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

fail() {
  echo "$1" >&2
  head -c 4000 "$scratch/err" >&2
  exit 1
}

# check FILE: runs the program on it, or on a good program if it is a table; sets `status`.
check() {
  case $1 in
    *.table)
      printf 'shared int x;\nthread P { x = 1; }\nproperty p: finally (x == 1);\n' >"$scratch/good.fl"
      set -- "$scratch/good.fl" --model "$1"
      ;;
  esac
  "$program" check "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
  status=$?
}

# reject FILE: checks what holds for every bad input.
reject() {
  check "$1"
  [ "$status" -eq 65 ] || fail "exit status $status instead of 65"
  [ ! -s "$scratch/out" ] || fail "something on the standard output"
  grep -q "^$1:[0-9][0-9]*:[0-9][0-9]*: error: " "$scratch/err" || fail "no complaint with file, line and column"
  [ "$(grep -c ': error: ' "$scratch/err")" -le 20 ] || fail "more than 20 complaints"
}

# absent FILE: there is nothing to be read.
absent() {
  check "$1"
  [ "$status" -eq 66 ] || fail "exit status $status instead of 66"
  [ ! -s "$scratch/out" ] || fail "something on the standard output"
}

# says TEXT: the program has printed it.
says() {
  grep -qF -e "$1" "$scratch/err" || fail "expected: $1"
}

# repeat TEXT COUNT
repeat() {
  yes "$1" | head -n "$2" | tr -d '\n'
}

if [ "$2" != made ]; then
  file=$2
  reject "$file"
  sed -n -e 's,^// expect ,,p' -e 's,^(\* expect \(.*\) \*)$,\1,p' -e 's,^# expect ,,p' "$file" | tr -d '\r' >"$scratch/expected"
  [ -s "$scratch/expected" ] || fail "$file expects nothing"
  while IFS= read -r line; do
    says "$file:$line"
  done <"$scratch/expected"
  [ "$(grep -c ': error: ' "$scratch/err")" -eq "$(wc -l <"$scratch/expected")" ] || fail "other complaints too"
  case $file in
    *.litmus)
      mv "$scratch/err" "$scratch/check_err"
      "$program" litmus --model tso "$file" >"$scratch/out" 2>"$scratch/err" </dev/null
      status=$?
      [ "$status" -eq 65 ] || fail "litmus: exit status $status instead of 65"
      [ ! -s "$scratch/out" ] || fail "litmus: something on the standard output"
      cmp -s "$scratch/err" "$scratch/check_err" || fail "litmus prints something else than check"
      ;;
  esac
  exit 0
fi

made="$scratch/made.fl"
case $3 in
  litmus_*)
    made="$scratch/made.litmus"
    ;;
  table_*)
    made="$scratch/made.table"
    ;;
esac
case $3 in
  litmus_empty)
    : >"$made"
    reject "$made"
    says "1:1: error: expected the name of an architecture"
    ;;
  litmus_binary)
    cp "$program" "$made"
    reject "$made"
    ;;
  litmus_nul_byte)
    printf 'X86 T\n{ x=\0; }\n' >"$made"
    reject "$made"
    says "2:5: error: this character has no meaning here"
    ;;
  litmus_large_line)
    { printf 'X86 T\n{}\nP0;\n'; repeat 'MOV [x],$1;' 100000; printf 'FROB;\n'; } >"$made"
    reject "$made"
    says "'FROB' is not supported"
    ;;
  litmus_deep_condition)
    { printf 'X86 T\n{}\nP0;\nMOV [x],$1;\nexists '; repeat '(' 1000000; } >"$made"
    reject "$made"
    says "nested more than 200 deep"
    ;;
  litmus_deep_code)
    { printf 'C T\n{}\nP0(int* x) '; repeat '{' 1000000; } >"$made"
    reject "$made"
    says "nested more than 200 deep"
    ;;
  litmus_deep_expression)
    { printf 'C T\n{}\nP0(int* x) { *x = '; repeat '(-' 1000000; } >"$made"
    reject "$made"
    says "nested more than 200 deep"
    ;;
  table_empty)
    : >"$made"
    reject "$made"
    says "1:1: error: expected a table, found no rule"
    ;;
  table_binary)
    cp "$program" "$made"
    reject "$made"
    says "1:1: error: expected a word of a table, found byte 0x7f"
    ;;
  table_nul_byte)
    printf '# fine\nstore load swap\0 forward\n' >"$made"
    reject "$made"
    says "2:16: error: expected a word of a table, found byte 0x00"
    ;;
  table_control_in_title)
    printf '"red \033[31m"\nstore load swap forward\n' >"$made"
    reject "$made"
    says "1:6: error: expected a word of a table, found byte 0x1b"
    ;;
  table_large_line)
    { printf 'store load swap forward '; repeat 'keep ' 1000000; } >"$made"
    reject "$made"
    says "1:25: error: expected the end of the line, found 'keep'"
    ;;
  table_large_word)
    repeat 'x' 1000000 >"$made"
    reject "$made"
    [ "$(wc -c <"$scratch/err")" -lt 1000 ] || fail "it is quoted whole"
    ;;
  table_directory)
    mkdir "$made"
    absent "$made"
    says "$made: is a directory"
    ;;
  table_missing)
    absent "$made"
    says "$made: No such file or directory"
    ;;
  table_good)  # so that it is the table that is rejected above, and not the program
    printf '"Number #1, \303\244"\r\nstore load swap forward#\r\n' >"$made"
    check "$made"
    [ "$status" -eq 0 ] || fail "exit status $status instead of 0"
    ;;
  empty)
    : >"$made"
    reject "$made"
    says "1:1: error: the file has no thread"
    ;;
  binary)
    cp "$program" "$made"
    reject "$made"
    says "this is not a program text"
    ;;
  nul_byte)
    printf 'shared int x;\nthread P { x = \0; }\n' >"$made"
    reject "$made"
    says "2:16: error: byte 0x00"
    ;;
  not_utf8)
    printf 'shared int x;\n\377\376\n' >"$made"
    reject "$made"
    says "2:1: error: byte 0xff"
    ;;
  no_line_end)
    printf 'shared int x;\nthread P { x = 1 }' >"$made"
    reject "$made"
    says "2:17: error: expected ';' after the assignment"
    ;;
  large_junk)
    repeat '?=;:)(+-' 1300000 >"$made"
    reject "$made"
    ;;
  large_line)
    { printf 'thread P { '; repeat 'x = 1;' 1700000; } >"$made"
    reject "$made"
    ;;
  many_errors)
    { echo 'thread P {'; yes 'x = ;' | head -n 100000; echo '}'; } >"$made"
    reject "$made"
    [ "$(grep -c ': error: ' "$scratch/err")" -eq 20 ] || fail "not exactly 20 complaints"
    ;;
  deep_expression)
    { printf 'thread P { x = '; repeat '(' 1000000; } >"$made"
    reject "$made"
    says "nested more than 200 deep"
    ;;
  deep_statement)
    { printf 'thread P '; repeat '{' 1000000; } >"$made"
    reject "$made"
    says "nested more than 200 deep"
    ;;
  *)
    fail "unknown kind: $3"
    ;;
esac
