// SPDX-License-Identifier: GPL-3.0-or-later
//
// Hashes of the C++ library, whose code is not in its headers.
#include <gtest/gtest.h>

#include <string>

#include "unit/frontend/c_testing.h"

namespace fenceline::testing {
namespace {

std::string error_in(const std::string& body) {
  return run_c("#include <cassert>\n#include <string_view>\n#include <thread>\nint main() {" + body + "}",
               "test.cpp")
      .error;
}

TEST(CxxHash, EqualBytesHaveEqualHashes) {
  EXPECT_EQ(error_in(R"(
    std::hash<std::string_view> hash;
    assert(hash("a word and more") == hash("a word and more"));
    assert(hash("a word and more") != hash("a word and mope"));
    assert(hash("") == hash(std::string_view()));
    assert(hash("ab") != hash("ba"));)"),
            "");
}

TEST(CxxHash, ThreadsAreTheirNumbers) {
  EXPECT_EQ(error_in(R"(
    std::hash<std::thread::id> hash;
    std::thread other([] {});
    assert(hash(std::this_thread::get_id()) == hash(std::this_thread::get_id()));
    assert(hash(std::this_thread::get_id()) != hash(other.get_id()));
    other.join();)"),
            "");
}

}  // namespace
}  // namespace fenceline::testing
