// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which processor a C program is compiled for, and what its compiler is told.
#include "frontend/c/target.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "frontend/c/process.h"
#include "model/memory_model.h"

namespace fenceline::frontend {
namespace {

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Of these, one is this machine's.
constexpr std::array kAll = {Processor::kX86, Processor::kArm, Processor::kRiscv, Processor::kPower};

TEST(Target, ModelsOfProcessors) {
  EXPECT_EQ(processor_of(memory_model("armv8")), Processor::kArm);
  EXPECT_EQ(processor_of(memory_model("riscv")), Processor::kRiscv);
  EXPECT_EQ(processor_of(memory_model("power")), Processor::kPower);
  EXPECT_EQ(processor_of(memory_model("tso")), Processor::kX86);
  EXPECT_EQ(processor_of(memory_model("x86tso")), Processor::kX86);
  for (const char* name : {"sc", "pso", "rmo", "relaxed", "rc11", "rc20", "serial"})
    EXPECT_EQ(processor_of(memory_model(name)), Processor::kAny) << name;
}

TEST(Target, TheModelsOneUnlessTheUserNamesAnother) {
  EXPECT_EQ(target_for(Target::kModel, Processor::kAny), Processor::kAny);
  EXPECT_EQ(target_for(Target::kHost, Processor::kArm), Processor::kAny);
  size_t here = 0;
  for (const Processor processor : kAll) {
    const Processor target = target_for(Target::kModel, processor);
    if (target == Processor::kAny)
      ++here;
    else
      EXPECT_EQ(target, processor);
  }
  EXPECT_LE(here, 1U);
  EXPECT_EQ(target_for(Target::kRiscv, Processor::kArm), target_for(Target::kModel, Processor::kRiscv));
  EXPECT_EQ(target_for(Target::kPower, Processor::kAny), target_for(Target::kModel, Processor::kPower));
}

TEST(Target, Names) {
  EXPECT_EQ(target_name(Processor::kArm), "aarch64");
  EXPECT_EQ(target_name(Processor::kPower), "ppc64le");
  EXPECT_FALSE(target_name(Processor::kAny).empty());
}

TEST(Target, WordsForTheCompiler) {
  const auto arm = c::target_words(Processor::kArm, c::Language::kC);
  EXPECT_TRUE(contains(arm, "--target=aarch64-linux-gnu"));
  EXPECT_FALSE(contains(arm, "-mcx16"));
  EXPECT_TRUE(contains(c::target_words(Processor::kX86, c::Language::kC), "-mcx16"));
  // The folder of C's headers must not come before those of C++.
  EXPECT_FALSE(contains(c::target_words(Processor::kPower, c::Language::kCpp), "-isystem"));
  for (const std::string& word : c::target_words(Processor::kAny, c::Language::kCpp))
    EXPECT_FALSE(word.starts_with("--target")) << word;
}

TEST(Target, PackagesThatAreMissing) {
  const c::TemporaryFolder root;
  const auto missing = [&](Processor target, c::Language language) {
    return c::missing_package(target, language, root.path());
  };
  EXPECT_EQ(missing(Processor::kAny, c::Language::kCpp), "");
  EXPECT_EQ(missing(Processor::kArm, c::Language::kC), "libc6-dev-arm64-cross");
  EXPECT_EQ(missing(Processor::kArm, c::Language::kCpp), "libstdc++-12-dev-arm64-cross");
  EXPECT_EQ(missing(Processor::kPower, c::Language::kC), "libc6-dev-ppc64el-cross");
  EXPECT_EQ(missing(Processor::kRiscv, c::Language::kC), "libc6-dev-riscv64-cross");
  std::filesystem::create_directories(root.path() + "/aarch64-linux-gnu/include");
  EXPECT_EQ(missing(Processor::kArm, c::Language::kC), "");
  EXPECT_EQ(missing(Processor::kArm, c::Language::kCpp), "libstdc++-12-dev-arm64-cross");
  std::filesystem::create_directories(root.path() + "/aarch64-linux-gnu/include/c++/12");
  EXPECT_EQ(missing(Processor::kArm, c::Language::kCpp), "");
}

TEST(Target, NotesNameBoth) {
  const std::string note = NotForTarget(Processor::kRiscv, "'a.h' file not found").what();
  EXPECT_TRUE(note.starts_with("compiled for " + target_name(Processor::kAny)));
  EXPECT_TRUE(note.ends_with(" and not for riscv64: 'a.h' file not found"));
}

}  // namespace
}  // namespace fenceline::frontend
