// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which models the exploration accepts. A model that it must not accept loses executions, and a wrong `verified` is the
// result; so every way to break a requirement has a small model here.
#include "engine/executions/requirements.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

#include "engine/sat/preserved_order.h"
#include "model/cat/cat.h"

namespace fenceline::executions {
namespace {

std::string unsuitable(const std::string& text) {
  return unsuitable_constraint(load_cat({"test.cat", text + " as c\n"}));
}
constexpr const char* kNotPrefixClosed = "removing an event may violate 'c'";
constexpr const char* kNotExtensible = "an event at the end of a thread may violate 'c'";

TEST(ExecutionsRequirements, ShippedModels) {
  for (const std::string_view name : shipped_cat_names())
    EXPECT_EQ(unsuitable_constraint(shipped_cat(name)).empty(), name != "serial") << name;
}

TEST(ExecutionsRequirements, LoadBufferingOfShippedModels) {
  const std::set<std::string_view> without = {"sc", "tso", "pso", "x86tso", "rc11", "rc20", "serial"};
  for (const std::string_view name : shipped_cat_names())
    EXPECT_EQ(sat::forbids_load_buffering(shipped_cat(name)), without.contains(name)) << name;
}

TEST(ExecutionsRequirements, SuitableModels) {
  EXPECT_EQ(unsuitable("acyclic po | rmw | rf | co | fr"), "");
  EXPECT_EQ(unsuitable("acyclic po-loc | rmw | rf | co | fr"), "");
  EXPECT_EQ(unsuitable("irreflexive (po | rf)+"), "");
  EXPECT_EQ(unsuitable("empty rmw & (fr; co)"), "");
  EXPECT_EQ(unsuitable("acyclic rf | co | (po \\ (W * R))"), "");
  // Two old reads of one write stay what they are, whatever is added.
  EXPECT_EQ(unsuitable("acyclic (po \\ (rf^-1; rf)) | rf | co"), "");
  EXPECT_EQ(unsuitable("let rec p = po | (p; p) acyclic p | rf"), "");
  // No event becomes an initial write.
  EXPECT_EQ(unsuitable("acyclic po | rf | co | fr | (IW * (M \\ IW))"), "");
}

TEST(ExecutionsRequirements, RemovingAnEventMustNotViolateAnAxiom) {
  // What is subtracted grows between events that were there.
  EXPECT_EQ(unsuitable("acyclic po \\ (rf; rf^-1)"), kNotPrefixClosed);
  EXPECT_EQ(unsuitable("acyclic po \\ (po; po^-1)"), kNotPrefixClosed);
  EXPECT_EQ(unsuitable("acyclic po \\ ((po | rf | co | fr)+)"), kNotPrefixClosed);
  EXPECT_EQ(unsuitable("acyclic (rf; [~range(po^-1)]; po)"), kNotPrefixClosed);
  EXPECT_EQ(unsuitable("acyclic po & ~(fr; co)"), kNotPrefixClosed);
  EXPECT_EQ(unsuitable("acyclic [R \\ domain(po)]; po"), kNotPrefixClosed);
  // Without the write of a read-modify-write, its read is still there.
  EXPECT_EQ(unsuitable("acyclic (po \\ (po; atomic)) | rf | co | fr"), kNotPrefixClosed);
  EXPECT_EQ(unsuitable("acyclic (po \\ (po; rmw; rmw^-1)) | rf | co | fr"), kNotPrefixClosed);
  EXPECT_EQ(unsuitable("acyclic (po; [R \\ domain(rmw)]) | rf | co | fr"), kNotPrefixClosed);
  EXPECT_EQ(unsuitable("~acyclic po | rf"), kNotPrefixClosed);
  EXPECT_EQ(unsuitable("~empty rf"), kNotPrefixClosed);
  // Which write is the last one changes.
  EXPECT_EQ(unsuitable("irreflexive co; [FW]; fr"), kNotPrefixClosed);
  EXPECT_EQ(unsuitable("acyclic po | ([FW]; co^-1)"), kNotPrefixClosed);
}

TEST(ExecutionsRequirements, AddingAnEventMaximallyMustNotViolateAnAxiom) {
  EXPECT_EQ(unsuitable("acyclic po | rf | co | fr | (co; po^-1)"), kNotExtensible);
  EXPECT_EQ(unsuitable("acyclic po | rf | co^-1"), kNotExtensible);
  EXPECT_EQ(unsuitable("acyclic po | rf | fr^-1"), kNotExtensible);
  EXPECT_EQ(unsuitable("empty co"), kNotExtensible);
  EXPECT_EQ(unsuitable("empty rf & ext"), kNotExtensible);
  EXPECT_EQ(unsuitable("empty [F]"), kNotExtensible);
  EXPECT_EQ(unsuitable("empty rmw"), kNotExtensible);
  EXPECT_EQ(unsuitable("irreflexive loc"), kNotExtensible);
  EXPECT_EQ(unsuitable("irreflexive id & (R * R)"), kNotExtensible);
  // The pair of a read-modify-write: both directions at once.
  EXPECT_EQ(unsuitable("acyclic rmw | rmw^-1"), kNotExtensible);
  EXPECT_EQ(unsuitable("acyclic atomic"), kNotExtensible);
  // The initial write of a cell comes with the first access to it.
  EXPECT_EQ(unsuitable("empty [IW]"), kNotExtensible);
  EXPECT_EQ(unsuitable("irreflexive [IW]; loc"), kNotExtensible);
  EXPECT_EQ(unsuitable("acyclic po | ext"), kNotExtensible);
  // A new event that old ones are behind.
  EXPECT_EQ(unsuitable("acyclic po | (ext & (W * W))"), kNotExtensible);
  EXPECT_EQ(unsuitable("let rec p = po^-1 | (p; p) acyclic p | po"), kNotExtensible);
}

TEST(ExecutionsRequirements, FlagsAreNoRequirement) {
  EXPECT_EQ(unsuitable("acyclic po | rf\nflag ~empty (po \\ (rf; rf^-1))"), "");
}

TEST(ExecutionsRequirements, ThePartOfAModelIsNamed) {
  const CatModel model = load_cat({"test.cat", "acyclic po | rf as good\nempty co as bad\n"});
  EXPECT_NE(unsuitable_constraint(model).find("'bad'"), std::string::npos) << unsuitable_constraint(model);
}

}  // namespace
}  // namespace fenceline::executions
