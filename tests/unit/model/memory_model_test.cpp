// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/memory_model.h"

#include <gtest/gtest.h>

#include "env/errors.h"

namespace fenceline {
namespace {

TEST(MemoryModel, KnownByName) {
  EXPECT_EQ(memory_model("sc").buffering, Buffering::kUnbuffered);
  EXPECT_EQ(memory_model("tso").buffering, Buffering::kPerThread);
  EXPECT_EQ(memory_model("pso").buffering, Buffering::kPerCell);
  EXPECT_EQ(memory_model("rmo").buffering, Buffering::kNoMachine);
}

TEST(MemoryModel, UnknownNamesListWhatThereIs) {
  try {
    memory_model("x86");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("sc, tso, pso"), std::string::npos);
  }
  EXPECT_THROW(memory_model("mine.cat"), UsageError);
}

// Power is the one whose annotations do not show how C is compiled for it.
TEST(MemoryModels, TheirSchemesAreThoseOfTheirAnnotations) {
  for (const MemoryModel& model : memory_models()) {
    if (model.name == "power")
      EXPECT_EQ(model.scheme, CompilationScheme::kLeadingFences);
    else
      EXPECT_EQ(model.scheme, scheme_for(axioms_of(model))) << model.name;
  }
}

}  // namespace
}  // namespace fenceline
