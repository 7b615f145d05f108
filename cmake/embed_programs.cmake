# SPDX-License-Identifier: GPL-3.0-or-later
#
# Puts programs of the corpus into a C++ file, so that `fenceline bench` needs no source tree where it runs.
#
#   cmake -DCORPUS=DIR -DNAMES=a/b.fl|c/d.fl -DOUTPUT=FILE -P embed_programs.cmake
string(REPLACE "|" ";" names "${NAMES}")
set(code "// Made by cmake/embed_programs.cmake from the corpus. Do not edit.\n")
string(APPEND code "#include <array>\n\n#include \"app/bench/programs.h\"\n\n")
string(APPEND code "namespace fenceline {\nnamespace {\n\nconstexpr std::array kPrograms = {\n")
foreach(name IN LISTS names)
  file(READ ${CORPUS}/${name} text)
  string(REGEX REPLACE "\\.fl$" "" short ${name})
  string(APPEND code "    BenchProgram{\"${short}\", R\"__program__(${text})__program__\"},\n")
endforeach()
string(APPEND code "};\n\n}  // namespace\n\n")
string(APPEND code "std::span<const BenchProgram> bench_programs() { return kPrograms; }\n\n}  // namespace fenceline\n")
file(WRITE ${OUTPUT} "${code}")
