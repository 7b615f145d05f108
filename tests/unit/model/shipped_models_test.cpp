// SPDX-License-Identifier: GPL-3.0-or-later
//
// Every model that comes with the program can be read, and is in the table of models.
#include <gtest/gtest.h>

#include "model/cat/cat.h"
#include "model/memory_model.h"

namespace fenceline {
namespace {

TEST(ShippedModels, AllLoad) {
  for (const std::string_view name : shipped_cat_names()) {
    SCOPED_TRACE(name);
    const CatModel model = shipped_cat(name);
    EXPECT_FALSE(model.name.empty());
    EXPECT_FALSE(model.constraints.empty());
    EXPECT_TRUE(model.uses("co"));
    EXPECT_TRUE(model.uses("atomic"));
  }
}

TEST(ShippedModels, AreTheModelsOfTheTable) {
  ASSERT_EQ(memory_models().size(), shipped_cat_names().size());
  for (const std::string_view name : shipped_cat_names())
    EXPECT_EQ(axioms_of(memory_model(name)).name, shipped_cat(name).name);
}

TEST(ShippedModels, TextsByFileName) {
  EXPECT_NE(shipped_cat_text("tso.cat").find("first-in-first-out"), std::string_view::npos);
  EXPECT_FALSE(shipped_cat_text("stdlib.cat").empty());
  EXPECT_TRUE(shipped_cat_text("tso").empty());
  EXPECT_TRUE(shipped_cat_text("nothing.cat").empty());
}

TEST(ShippedModels, SequentialConsistency) {
  const CatModel sc = shipped_cat("sc");
  ASSERT_EQ(sc.constraints.size(), 2u);
  EXPECT_EQ(sc.constraints[0].name, "section");
  EXPECT_EQ(sc.constraints[1].kind, ConstraintKind::kAcyclic);
  EXPECT_EQ(sc.constraints[1].name, "sc");
  EXPECT_EQ(sc.text(sc.constraints[1].term),
            "atomic?; (po | rmw | rf | co | fr | observed) \\ atomic; atomic?");
}

}  // namespace
}  // namespace fenceline
