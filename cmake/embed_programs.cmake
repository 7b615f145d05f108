# SPDX-License-Identifier: GPL-3.0-or-later
#
# Puts texts into a C++ file, so that the program needs no source tree where it runs: those of the corpus for
# `fenceline bench` (the defaults below), and the memory models.
#
#   cmake -DCORPUS=DIR -DNAMES=a/b.fl|c/d.fl -DOUTPUT=FILE [-DHEADER=H -DFUNCTION=F -DSUFFIX=.x]
#         -P embed_programs.cmake
#
# The file defines F, with its namespaces, which is declared in the header H of src/ and returns a span of EmbeddedText;
# names lose SUFFIX.
if(NOT DEFINED HEADER)
  set(HEADER tables/programs.h)
  set(FUNCTION fenceline::tables::bench_programs)
  set(SUFFIX .fl)
endif()
string(REPLACE "|" ";" names "${NAMES}")
set(code "// Made by cmake/embed_programs.cmake. Do not edit.\n")
string(APPEND code "#include <array>\n\n#include \"${HEADER}\"\n\n")
string(APPEND code "namespace {\n\nconstexpr std::array kTexts = {\n")
foreach(name IN LISTS names)
  file(READ ${CORPUS}/${name} text)
  string(REGEX REPLACE "\\${SUFFIX}$" "" short ${name})
  string(APPEND code "    fenceline::EmbeddedText{\"${short}\", R\"__text__(${text})__text__\"},\n")
endforeach()
string(APPEND code "};\n\n}  // namespace\n\n")
string(APPEND code "std::span<const fenceline::EmbeddedText> ${FUNCTION}() { return kTexts; }\n")
file(WRITE ${OUTPUT} "${code}")
