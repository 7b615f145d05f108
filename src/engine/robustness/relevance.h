// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a view says can matter only if it reaches a thread that will access the cell. It passes from one thread to another
// through cells that both will access. States are the same if they differ in nothing that matters: without this, what a
// thread knew when it ended, say, would be distinguished until it is joined.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "base/bit_set.h"
#include "engine/robustness/shared_cells.h"

namespace fenceline::robustness {

// Sets of shared cells, and of clocks.
struct Relevant {
  BitSet cells, clocks;
  void add(const Relevant& other) {
    cells |= other.cells;
    clocks |= other.clocks;
  }
};

class Relevance {
 public:
  // `futures` are numbers of SharedCells::Future, by thread.
  Relevance(const SharedCells& cells, const std::vector<size_t>& futures);

  // What matters of a thread's views of knowledge, and of those of what has passed.
  const Relevant& knowledge(size_t thread) const { return knowledge_[thread]; }
  const Relevant& passed(size_t thread) const { return passed_[thread]; }

  // The threads that will read the cell, that will write it, and that will do either.
  const std::vector<size_t>& readers(size_t cell) const { return readers_[cell]; }
  const std::vector<size_t>& writers(size_t cell) const { return writers_[cell]; }
  const std::vector<size_t>& accessing(size_t cell) const { return accessing_[cell]; }

 private:
  void close(std::vector<Relevant>& relevant, bool by_messages_only) const;
  bool flows(size_t from, size_t to, bool by_messages_only) const;

  const SharedCells& cells_;
  std::vector<const SharedCells::Future*> futures_;
  std::vector<std::vector<size_t>> readers_, writers_, accessing_;
  std::vector<Relevant> knowledge_, passed_;
};

}  // namespace fenceline::robustness
