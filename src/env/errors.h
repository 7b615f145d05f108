// SPDX-License-Identifier: GPL-3.0-or-later
//
// Three kinds of failure, by who has to act:
//   InputError   the user's text has an error: position, what was expected, exit status 65;
//   Unsupported  the text is valid but Fenceline does not support it: the verdict is `unknown`, with the reason;
//   Bug          Fenceline contradicts itself: stop at once, exit status 70, never a verdict.
// UsageError (64) and NoSuchFile (66) belong to the command line, Unavailable (69) to the machine.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "env/source.h"

namespace fenceline {

// One error in the input. `hint` may be empty; it says how to repair it.
struct Diagnostic {
  SourcePos pos;
  std::string message;
  std::string hint;
};

// "file:line:col: error: message", the line, a caret under the column, and the hint.
std::string render_diagnostic(const SourceFile& file, const Diagnostic& diagnostic);

// One or more errors in one file. what() is the full rendered text.
class InputError : public std::runtime_error {
 public:
  InputError(const SourceFile& file, std::vector<Diagnostic> diagnostics);
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

class Unsupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class NoSuchFile : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A program that Fenceline needs, the compiler, is missing or has crashed: exit status 69.
class Unavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Bug : public std::logic_error {
 public:
  // The defaults are the caller's position. (std::source_location would say it better, but Clang 14 lacks it.)
  explicit Bug(const std::string& what, const char* file = __builtin_FILE(), int line = __builtin_LINE());
};

// A check that protects a verdict: on in every build.
inline void require(bool condition, const char* what, const char* file = __builtin_FILE(),
                    int line = __builtin_LINE()) {
  if (!condition) [[unlikely]]
    throw Bug(what, file, line);
}

}  // namespace fenceline
