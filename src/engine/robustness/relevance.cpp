// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/robustness/relevance.h"

#include <algorithm>

namespace fenceline::robustness {

Relevance::Relevance(const SharedCells& cells, const std::vector<size_t>& futures)
    : cells_(cells), readers_(cells.size()), writers_(cells.size()), accessing_(cells.size()) {
  for (size_t t = 0; t < futures.size(); ++t) {
    const SharedCells::Future& future = *futures_.emplace_back(&cells.future(futures[t]));
    const BitSet all = future.reads | future.writes;
    future.reads.for_each([&](size_t cell) { readers_[cell].push_back(t); });
    future.writes.for_each([&](size_t cell) { writers_[cell].push_back(t); });
    all.for_each([&](size_t cell) { accessing_[cell].push_back(t); });
    Relevant& own = knowledge_.emplace_back();
    own.cells = all;
    for (size_t c = 0; c < cells.clocks().size(); ++c) {
      const SharedCells::Clock& clock = cells.clocks()[c];
      if (clock.thread != t && (is_write(clock.kind) ? all : future.writes).has(clock.cell))
        own.clocks.add(c);
    }
  }
  passed_ = knowledge_;
  close(knowledge_, !cells.sequential_fences());
  close(passed_, false);
}

void Relevance::close(std::vector<Relevant>& relevant, bool by_messages_only) const {
  const size_t threads = relevant.size();
  std::vector<std::vector<bool>> reaches(threads, std::vector<bool>(threads));
  for (size_t t = 0; t < threads; ++t)
    for (size_t u = 0; u < threads; ++u) reaches[t][u] = t == u || flows(t, u, by_messages_only);
  for (size_t k = 0; k < threads; ++k)
    for (size_t t = 0; t < threads; ++t)
      for (size_t u = 0; u < threads; ++u)
        if (reaches[t][k] && reaches[k][u]) reaches[t][u] = true;
  const std::vector<Relevant> own = relevant;
  for (size_t t = 0; t < threads; ++t)
    for (size_t u = 0; u < threads; ++u)
      if (reaches[t][u]) relevant[t].add(own[u]);
}

// Through a message: one writes, the other reads. Otherwise also the other way round: what was read is then overwritten;
// but no thread reads a signal before it is written.
bool Relevance::flows(size_t from, size_t to, bool by_messages_only) const {
  bool found = false;
  futures_[from]->writes.for_each([&](size_t cell) {
    if (by_messages_only)
      found = found || (cells_.message(cell) && futures_[to]->reads.has(cell));
    else
      found = found ||
              (!cells_.only_plain(cell) && (futures_[to]->reads.has(cell) || futures_[to]->writes.has(cell)));
  });
  if (found || by_messages_only) return found;
  futures_[from]->reads.for_each([&](size_t cell) {
    found = found || (!cells_.only_plain(cell) && !cells_.is_signal(cell) && futures_[to]->writes.has(cell));
  });
  return found;
}

}  // namespace fenceline::robustness
