// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/memory_model.h"

#include <gtest/gtest.h>

#include "env/errors.h"

namespace fenceline {
namespace {

TEST(MemoryModel, KnownByName) {
  EXPECT_EQ(memory_model("sc").buffering, Buffering::kNone);
  EXPECT_EQ(memory_model("tso").buffering, Buffering::kPerThread);
  EXPECT_EQ(memory_model("pso").buffering, Buffering::kPerCell);
  EXPECT_EQ(memory_model("rmo").buffering, Buffering::kNotBuffered);
}

TEST(MemoryModel, UnknownNamesSayWhatThereIs) {
  try {
    memory_model("x86");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("sc, tso, pso"), std::string::npos);
  }
  EXPECT_THROW(memory_model("mine.cat"), UsageError);
}

}  // namespace
}  // namespace fenceline
