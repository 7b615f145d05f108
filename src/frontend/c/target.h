// SPDX-License-Identifier: GPL-3.0-or-later
//
// What C and C++ are compiled for: the processor that a model is about, the one that --target names, or the machine that
// Fenceline runs on. Another processor than that needs headers of its own C library, which are packages of their own:
// those of this machine would be wrong in details. A program that does not compile for a processor which only the model
// has chosen, because headers are missing or it is written for this machine, is compiled for this machine, with a note.
// If the user has chosen it, that is an error.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "env/errors.h"
#include "frontend/c/compiler.h"
#include "frontend/c/options.h"
#include "model/processor.h"

namespace fenceline::frontend {

// What a file is compiled for on a model of this processor. kAny: for this machine.
Processor target_for(Target option, Processor of_model);

// "aarch64", as --target has it; of kAny: this machine's.
std::string target_name(Processor target);

// The program does not compile for a processor, which the user has not asked for.
class NotForTarget : public std::runtime_error {
 public:
  NotForTarget(Processor target,
               const std::string& why);  // what(): "compiled for x86_64 and not for aarch64: ..."
};

// An error in a text that was compiled for the processor of a model, with a remark that says so.
class ErrorForModel : public InputError {
 public:
  ErrorForModel(const InputError& error, Processor target);
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

namespace c {

// The compiler's options for this target.
std::vector<std::string> target_words(Processor target, Language language);

// The Debian package with the headers for this target that are not installed; empty: they are, or it is this machine.
// `root`: where packages are installed, "/usr" but for tests.
std::string missing_package(Processor target, Language language, const std::string& root = "/usr");

}  // namespace c
}  // namespace fenceline::frontend
