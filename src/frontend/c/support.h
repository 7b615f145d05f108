// SPDX-License-Identifier: GPL-3.0-or-later
//
// Functions of the C library that are written in C (support/): condition variables, read-write locks, semaphores,
// futexes and their like, in terms of atomics, atomic sections and waiting. So they mean the same on all models. A
// file of them is compiled and linked if the program calls one of its functions and does not define it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "env/embedded_text.h"

namespace fenceline::frontend {

// The files of support/, by name ("condition.c").
std::span<const EmbeddedText> support_texts();

namespace c {

struct SupportFile {
  std::string_view name;
  // The functions that bring the file in. It may define more, which replace what library.h knows by name.
  std::vector<std::string_view> functions;
  // Link all of it: also what the program itself does not call.
  bool whole = false;
  // Functions that bring the file in if the program sets the kind of a mutex (mutex_kinds.h).
  std::vector<std::string_view> with_kinds = {};
};

// In the order in which they are linked.
std::span<const SupportFile> support_files();

// The C text of such a file.
std::string support_text(std::string_view name);

// What calls of syscall() become: their arguments are numbers, and missing ones are 0. The other one is for programs that
// look at how many threads a call has woken.
inline constexpr const char* kSystemCall = "fl_syscall";
inline constexpr const char* kCountedSystemCall = "fl_counted_syscall";
inline constexpr unsigned kSystemCallArguments = 7;

}  // namespace c
}  // namespace fenceline::frontend
