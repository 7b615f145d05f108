// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which properties are checked, and what each of them can see.
#include "property/properties.h"

#include <gtest/gtest.h>

#include "env/errors.h"
#include "frontend/fl/fl.h"

namespace fenceline::property {
namespace {

std::vector<std::string> names(const std::string& text, const Options& options = {}) {
  std::vector<std::string> found;
  for (const Property& property : properties_to_check(frontend::parse_fl({"test.fl", text}), options))
    found.push_back(property.name);
  return found;
}

using Names = std::vector<std::string>;

TEST(Properties, ErrorsAreCheckedWhereTheyCanHappen) {
  EXPECT_EQ(names("shared int x; thread P { x = 1; } property a: never (x == 2);"), (Names{"a"}));
  EXPECT_EQ(names("shared int x; thread P { assert(x == 0); } property a: never (x == 2);"),
            (Names{"a", "errors"}));
  EXPECT_EQ(names("shared int x; thread P { assert(1); }"), (Names{"errors"}));
  EXPECT_EQ(names("shared int 0..1 x; thread P { x = 1; } property a: never (x == 2);"), (Names{"a"}));
}

TEST(Properties, SelectionByNameKeepsTheErrorCheck) {
  const char* text =
      "shared int x; thread P { assert(x == 0); } property a: never (x == 2); property b: no deadlock;";
  Options options;
  options.properties = {"b"};
  EXPECT_EQ(names(text, options), (Names{"b", "errors"}));
  options.properties = {"c"};
  EXPECT_THROW(names(text, options), UsageError);
}

TEST(Properties, DeadlockOnRequestOnce) {
  Options options;
  options.deadlock = true;
  EXPECT_EQ(names("shared int x; thread P { x = 1; } property a: never (x == 2);", options),
            (Names{"a", "deadlock"}));
  EXPECT_EQ(names("shared int x; thread P { x = 1; } property d: no deadlock;", options), (Names{"d"}));
}

machine::Visibility visibility(const std::string& formula) {
  const Program program = frontend::parse_fl({"test.fl", R"(
    shared int x, a[2];
    thread P { local int r; l: x = r; m: a[0] = 1; }
    thread Q { k: a[1] = x; }
    property p: )" + formula + ";"});
  return visible_to(program, program.properties[0]);
}

size_t count(const std::vector<std::vector<bool>>& table) {
  size_t n = 0;
  for (const auto& row : table) n += static_cast<size_t>(std::count(row.begin(), row.end(), true));
  return n;
}

TEST(Visibility, LabelsThatCanOnlyMakeThingsWorseMayBeReachedEarly) {
  const machine::Visibility mutex = visibility("never (P@l && Q@k)");
  EXPECT_EQ(count(mutex.arriving), 0U);
  EXPECT_EQ(count(mutex.leaving), 2U);
  const machine::Visibility counted = visibility("always (P@l + P@m + Q@k <= 1)");
  EXPECT_EQ(count(counted.arriving), 0U);
  EXPECT_EQ(count(counted.leaving), 3U);
  const machine::Visibility negated = visibility("never (!P@l && Q@k)");
  EXPECT_EQ(count(negated.arriving), 1U);
  EXPECT_EQ(count(negated.leaving), 1U);
  const machine::Visibility either = visibility("never (P@l == Q@k)");
  EXPECT_EQ(count(either.arriving), 2U);
  EXPECT_EQ(count(either.leaving), 2U);
  // A number used for its truth can have both polarities.
  EXPECT_EQ(count(visibility("never (P@l - 1)").arriving), 1U);
}

TEST(Visibility, CellsAndRegisters) {
  const machine::Visibility seen = visibility("never (a[0] == 1 && P.r == 2)");
  EXPECT_EQ(seen.cells, (std::vector<bool>{false, true, true}));
  EXPECT_EQ(std::count(seen.registers.begin(), seen.registers.end(), true), 1);
  const machine::Visibility ends = visibility("finally (a[0] == 1 && P.r == 2)");
  EXPECT_TRUE(ends.cells.empty());
}

}  // namespace
}  // namespace fenceline::property
