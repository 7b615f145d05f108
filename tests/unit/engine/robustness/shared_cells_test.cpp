// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/robustness/shared_cells.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "frontend/fl/fl.h"

namespace fenceline::robustness {
namespace {

class Cells {
 public:
  // Accesses get the tags in the order of the text; the rest gets the last one. None: no tags.
  explicit Cells(const std::string& text, const std::vector<std::string>& tags = {})
      : program_(frontend::parse_fl({"test.fl", text + "property p: finally (true);\n"})) {
    size_t n = 0;
    for (Thread& thread : program_.threads)
      for (Instruction& i : thread.code)
        if (i.is_memory_access() && !tags.empty()) {
          i.tags = {tags[std::min(n++, tags.size() - 1)]};
          i.write_tags = i.tags;
        }
    overlay_.emplace(program_, no_fences_);
    cells_.emplace(*overlay_);
  }
  const SharedCells& operator*() const { return *cells_; }
  const SharedCells* operator->() const { return &*cells_; }

 private:
  Program program_;
  const FenceSet no_fences_;
  std::optional<Overlay> overlay_;
  std::optional<SharedCells> cells_;
};

TEST(SharedCells, OnlyWhatSeveralThreadsAccessAndOneWrites) {
  const Cells cells(
      "shared int a, b, c;\nthread P { int r; a = 1; r = b; c = 1; }\nthread Q { int r; r = b; r = c; }\n");
  ASSERT_EQ(cells->size(), 1);
  EXPECT_EQ(cells->cell(0), CellId(2));
  EXPECT_FALSE(cells->number(CellId(0)));
  EXPECT_FALSE(cells->number(CellId(1)));
}

TEST(SharedCells, WithoutOrdersEverythingIsAtomic) {
  const Cells cells("shared int x;\nthread P { x = 1; }\nthread Q { int r; r = x; }\n");
  EXPECT_FALSE(cells->only_plain(0));
  EXPECT_TRUE(cells->column(0));
  EXPECT_TRUE(cells->message(0));
  EXPECT_TRUE(cells->clocks().empty());
}

TEST(SharedCells, OnlyPlainCellsHaveClocksAndNoColumns) {
  const Cells cells(
      "shared int d, f;\nthread P { d = 1; f = 1; }\nthread Q { int r; r = f; r = d; d = 2; }\n",
      {"NA", "REL", "ACQ", "NA"});
  EXPECT_TRUE(cells->only_plain(0));
  EXPECT_FALSE(cells->column(0));
  EXPECT_FALSE(cells->message(0));
  EXPECT_TRUE(cells->column(1));
  // One for the writes of all threads, one for the reads of Q.
  ASSERT_EQ(cells->clocks_of(0).size(), 2);
  const SharedCells::Clock& writes = cells->clocks()[cells->clocks_of(0)[0]];
  const SharedCells::Clock& reads = cells->clocks()[cells->clocks_of(0)[1]];
  EXPECT_FALSE(writes.thread);
  EXPECT_EQ(writes.kind, AccessKind::kPlainWrite);
  EXPECT_EQ(reads.thread, 1);
  EXPECT_EQ(reads.kind, AccessKind::kPlainRead);
}

TEST(SharedCells, MixedCellsHaveBoth) {
  const Cells cells("shared int x;\nthread P { x = 1; }\nthread Q { int r; r = x; }\n", {"NA", "RLX"});
  EXPECT_FALSE(cells->only_plain(0));
  EXPECT_TRUE(cells->column(0));
  EXPECT_FALSE(cells->message(0));  // no atomic write
  EXPECT_EQ(cells->clocks_of(0).size(), 2);
}

TEST(SharedCells, ProgramsWithNothingButSequentialAccessesNeedNoColumns) {
  const std::string text =
      "shared int x, y;\nthread P { int r; x = 1; r = y; }\nthread Q { int r; y = 1; r = x; }\n";
  EXPECT_EQ(Cells(text, {"SC"})->columns(), 0);
  EXPECT_EQ(Cells(text, {"SC", "SC", "SC", "ACQ"})->columns(), 2);
}

const std::string kStart = "shared int s, x;\nthread P { x = 1; s = 1; x = 2; }\n";

TEST(SharedCells, Signals) {
  const Cells cells(kStart + "thread Q { int r; r = s; assume(r != 0); x = 3; }\n",
                    {"SC", "REL", "SC", "ACQ", "SC"});
  EXPECT_TRUE(cells->is_signal(0));
  EXPECT_FALSE(cells->is_signal(1));
  EXPECT_EQ(cells->columns(), 0);  // it does not count as an access that is not seq_cst
}

TEST(SharedCells, NoSignals) {
  const auto is_signal = [](const std::string& text, const std::vector<std::string>& tags) {
    return Cells(text, tags)->is_signal(0);
  };
  const std::vector<std::string> tags{"SC", "REL", "SC", "ACQ", "SC"};
  // The initial value does for the other.
  EXPECT_FALSE(is_signal(kStart + "thread Q { int r; r = s; assume(r != 1); x = 3; }\n", tags));
  // It does not wait, or for something else.
  EXPECT_FALSE(is_signal(kStart + "thread Q { int r; r = s; x = 3; }\n", tags));
  EXPECT_FALSE(is_signal(kStart + "thread Q { int r, q; r = s; assume(q != 0); x = 3; }\n", tags));
  // It does not acquire, or the other does not release.
  EXPECT_FALSE(is_signal(kStart + "thread Q { int r; r = s; assume(r != 0); x = 3; }\n",
                         {"SC", "REL", "SC", "RLX", "SC"}));
  EXPECT_FALSE(is_signal(kStart + "thread Q { int r; r = s; assume(r != 0); x = 3; }\n",
                         {"SC", "RLX", "SC", "ACQ", "SC"}));
  // It is written twice, in one way or another.
  EXPECT_FALSE(is_signal(kStart + "thread Q { int r; r = s; assume(r != 0); s = 2; }\n",
                         {"SC", "REL", "SC", "ACQ", "REL"}));
  EXPECT_FALSE(
      is_signal("shared int s, x;\nthread P { int i; while (i < 2) { s = 1; i = i + 1; } }\n"
                "thread Q { int r; r = s; assume(r != 0); }\n",
                {"REL", "ACQ"}));
  EXPECT_FALSE(is_signal(kStart + "thread Q { int r; r = xchg(s, 2); assume(r != 0); }\n",
                         {"SC", "REL", "SC", "ACQ_REL"}));
}

TEST(SharedCells, Futures) {
  const Cells cells(
      "shared int x, y;\nthread P { int r; r = x; y = 1; }\nthread Q { int r; r = y; x = 1; }\n");
  const SharedCells::Future& first = cells->future(cells->future_number(0, 0));
  EXPECT_TRUE(first.reads.has(0));
  EXPECT_FALSE(first.reads.has(1));
  EXPECT_TRUE(first.writes.has(1));
  EXPECT_FALSE(first.writes.has(0));
}

}  // namespace
}  // namespace fenceline::robustness
