// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/target.h"

#include <fmt/format.h>

#include <filesystem>

namespace fenceline::frontend {
namespace {

#if defined(__x86_64__)
constexpr Processor kHere = Processor::kX86;
#elif defined(__aarch64__)
constexpr Processor kHere = Processor::kArm;
#elif defined(__riscv) && __riscv_xlen == 64
constexpr Processor kHere = Processor::kRiscv;
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
constexpr Processor kHere = Processor::kPower;
#else
constexpr Processor kHere = Processor::kAny;
#endif

struct Names {
  const char* target;
  const char* triple;  // also the folder of its headers
  const char* debian;  // in names of packages
};

Names names_of(Processor processor) {
  switch (processor) {
    case Processor::kAny:
      return {"host", "", ""};
    case Processor::kX86:
      return {"x86_64", "x86_64-linux-gnu", "amd64"};
    case Processor::kArm:
      return {"aarch64", "aarch64-linux-gnu", "arm64"};
    case Processor::kRiscv:
      return {"riscv64", "riscv64-linux-gnu", "riscv64"};
    case Processor::kPower:
      return {"ppc64le", "powerpc64le-linux-gnu", "ppc64el"};
  }
  throw Bug("a processor without a name");
}

Processor asked_for(Target option, Processor of_model) {
  switch (option) {
    case Target::kModel:
      return of_model;
    case Target::kHost:
      return Processor::kAny;
    case Target::kX86:
      return Processor::kX86;
    case Target::kArm:
      return Processor::kArm;
    case Target::kRiscv:
      return Processor::kRiscv;
    case Target::kPower:
      return Processor::kPower;
  }
  throw Bug("a target that is not known");
}

bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

}  // namespace

Processor target_for(Target option, Processor of_model) {
  const Processor processor = asked_for(option, of_model);
  return processor == kHere ? Processor::kAny : processor;
}

std::string target_name(Processor target) {
  return names_of(target == Processor::kAny ? kHere : target).target;
}

NotForTarget::NotForTarget(Processor target, const std::string& why)
    : std::runtime_error(fmt::format("compiled for {} and not for {}: {}", target_name(Processor::kAny),
                                     target_name(target), why)) {}

ErrorForModel::ErrorForModel(const InputError& error, Processor target)
    : InputError(error),
      text_(
          fmt::format("{}      = it was compiled for {}, the processor of the model (--target host: for this "
                      "machine)\n",
                      error.what(), target_name(target))) {}

namespace c {

std::vector<std::string> target_words(Processor target, Language language) {
  std::vector<std::string> words;
  if ((target == Processor::kAny ? kHere : target) == Processor::kX86) words.emplace_back("-mcx16");
  if (target == Processor::kAny) return words;
  const std::string triple = names_of(target).triple;
  words.push_back("--target=" + triple);
  // Clang finds this folder only with a GCC for the target beside it. In C++ it must come behind those of the library,
  // whose headers include the ones of C with the same name; the library's package brings a GCC.
  const std::string folder = "/usr/" + triple + "/include";
  if (language == Language::kC && exists(folder)) words.insert(words.end(), {"-isystem", folder});
  return words;
}

std::string missing_package(Processor target, Language language, const std::string& root) {
  if (target == Processor::kAny) return "";
  const Names names = names_of(target);
  const std::string folder = fmt::format("{}/{}/include", root, names.triple);
  if (language == Language::kCpp && !exists(folder + "/c++"))
    return fmt::format("libstdc++-12-dev-{}-cross", names.debian);
  return exists(folder) ? "" : fmt::format("libc6-dev-{}-cross", names.debian);
}

}  // namespace c
}  // namespace fenceline::frontend
