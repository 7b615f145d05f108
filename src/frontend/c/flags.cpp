// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/flags.h"

#include <algorithm>
#include <array>

namespace fenceline::frontend::c {
namespace {

// By how they begin.
constexpr std::array<std::string_view, 28> kRejected = {"-fplugin",
                                                        "-fpass-plugin",
                                                        "-fsanitize",
                                                        "-fprofile",
                                                        "-fcoverage",
                                                        "-fcs-profile",
                                                        "-ftest-coverage",
                                                        "-finstrument",
                                                        "-fxray",
                                                        "-fopenmp",
                                                        "-fembed",
                                                        "-fmodule",
                                                        "-fsyntax-only",
                                                        "-fdepfile",
                                                        "-ftime-trace",
                                                        "-fsave-optimization-record",
                                                        "-fdump",
                                                        "-fcrash",
                                                        "-fbuild-session",
                                                        "-fintegrated",
                                                        "-fno-integrated",
                                                        "-foffload",
                                                        "-fcolor",
                                                        "-mllvm",
                                                        "-m32",
                                                        "-mx32",
                                                        "-Wp,",
                                                        "-Wa,"};

// Those that are about code generation, and GCC's own that Clang does not know.
constexpr std::array<std::string_view, 31> kIgnored = {
    "-W",       "-O",       "-g",        "-pipe",     "-flto",        "-fno-lto",
    "-fPI",     "-fpi",     "-fno-pi",   "-fno-PI",   "-fno-plt",     "-fstack",
    "-fno-st",  "-fomit",   "-fno-om",   "-fdata-s",  "-ffunction-s", "-funroll",
    "-fuse-ld", "-fdiag",   "-fno-diag", "-fasync",   "-fno-async",   "-fcf-protection",
    "-fipa",    "-fno-ipa", "-ftree",    "-fno-tree", "-finline",     "-fno-inline",
    "-mtune"};

}  // namespace

bool is_flag(std::string_view word) {
  const auto begins = [&](std::string_view with) { return word.size() > 2 && word.starts_with(with); };
  return begins("-f") || begins("-m") || begins("-W") || word.starts_with("-O") || word.starts_with("-g") ||
         word == "-pthread" || word == "-pipe";
}

FlagUse use_of_flag(std::string_view flag) {
  const auto begins = [&](std::string_view with) { return flag.starts_with(with); };
  if (std::ranges::any_of(kRejected, begins)) return FlagUse::kRejected;
  return std::ranges::any_of(kIgnored, begins) ? FlagUse::kIgnored : FlagUse::kPassed;
}

}  // namespace fenceline::frontend::c
