// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/sat/events.h"

#include <algorithm>

#include "base/bit_set.h"
#include "env/errors.h"

namespace fenceline::sat {
namespace {

constexpr uint32_t kLookSection = Unfolding::kNone - 1;

uint64_t pair_of(size_t x, size_t y) { return static_cast<uint64_t>(x) << 32 | y; }

}  // namespace

EventRelations::EventRelations(const Overlay& overlay, const Unfolding& unfolding,
                               const EncodedThreads& threads, const std::vector<CellId>& looks,
                               const std::vector<ValueSet>& cells, Arithmetic& arithmetic)
    : arithmetic_(arithmetic), circuit_(arithmetic.circuit()), calls_(has_operations(overlay.program())) {
  add_events(overlay.program(), threads, looks, cells);
  order_program(unfolding);
  find_implied(unfolding, threads);
  find_candidates();
  choose_waited();
}

void EventRelations::choose(const BitMatrix& no_reads_from, const BitMatrix& no_coherence) {
  may_read_.subtract(no_reads_from);
  may_precede_.subtract(no_coherence);
  choose_sources();
  choose_coherence();
}

void EventRelations::add_events(const Program& program, const EncodedThreads& threads,
                                const std::vector<CellId>& looks, const std::vector<ValueSet>& cells) {
  const std::vector<Value> initial = program.initial_memory();
  std::vector<bool> touched(initial.size(), false);
  for (const SymbolicEvent& event : threads.events)
    for (const auto& [cell, here] : event.cells) touched[cell.index()] = true;
  for (const CellId cell : looks) touched[cell.index()] = true;
  for (size_t cell = 0; cell < initial.size(); ++cell) {
    initial_.push_back({Arithmetic::constant(initial[cell]), ValueSet::single(initial[cell]), {}});
    if (!touched[cell]) continue;
    SymbolicEvent write;
    write.kind = EventKind::kWrite;
    write.cells = {{CellId(cell), kTrue}};
    write.value = initial_.back();
    events_.push_back(std::move(write));
  }
  first_of_threads_ = events_.size();
  events_.insert(events_.end(), threads.events.begin(), threads.events.end());
  const auto shift = static_cast<uint32_t>(first_of_threads_);
  for (size_t i = first_of_threads_; i < events_.size(); ++i) {
    SymbolicEvent& event = events_[i];
    if (event.read_part != Unfolding::kNone) event.read_part += shift;
    for (Dependencies* depends : {&event.address, &event.data, &event.control})
      for (Dependency& dependency : *depends) dependency.read += shift;
  }
  first_look_ = events_.size();
  for (const CellId cell : looks) {
    SymbolicEvent read;
    read.kind = EventKind::kRead;
    read.thread = ThreadId(program.threads.size());
    read.cells = {{cell, kTrue}};
    read.section = kLookSection;
    read.value = {arithmetic_.fresh(cells[cell.index()]), cells[cell.index()], {}};
    events_.push_back(std::move(read));
  }
  n_ = events_.size();
}

void EventRelations::order_program(const Unfolding& unfolding) {
  po_ = BitMatrix(n_);
  // Which events can come at a node or behind it? Backwards over the nodes, whose order agrees with all
  // edges.
  std::vector<std::vector<uint32_t>> events_at(unfolding.nodes().size());
  for (size_t i = first_of_threads_; i < first_look_; ++i)
    events_at[events_[i].node].push_back(static_cast<uint32_t>(i));
  std::vector<BitSet> behind(unfolding.nodes().size());
  for (size_t node = unfolding.nodes().size(); node-- > 0;) {
    BitSet& mine = behind[node];
    for (const uint32_t to : unfolding.nodes()[node].out) {
      mine |= behind[to];
      for (const uint32_t event : events_at[to]) mine.add(event);
    }
    for (const uint32_t event : events_at[node]) mine.for_each([&](size_t later) { po_.set(event, later); });
  }
}

// A thread that has come to a node has passed all nodes that lie on every path there, and their events.
void EventRelations::find_implied(const Unfolding& unfolding, const EncodedThreads& threads) {
  implied_ = BitMatrix(n_);
  std::vector<std::vector<uint32_t>> events_at(unfolding.nodes().size());
  for (size_t i = first_of_threads_; i < first_look_; ++i)
    events_at[events_[i].node].push_back(static_cast<uint32_t>(i));
  std::vector<BitSet> passed(unfolding.nodes().size());  // behind the node
  for (size_t node = 0; node < unfolding.nodes().size(); ++node) {
    if (threads.reached[node] == kFalse) continue;
    BitSet& mine = passed[node];
    bool first = true;
    for (const Unfolding::Edge& edge : unfolding.nodes()[node].in) {
      if (threads.taken[edge.from][edge.slot] == kFalse) continue;
      if (first)
        mine = passed[edge.from];
      else
        mine &= passed[edge.from];
      first = false;
    }
    for (const uint32_t event : events_at[node]) {
      mine.for_each([&](size_t earlier) { implied_.set(event, earlier); });
      // Not every rmw writes.
      if (events_[event].read_part == Unfolding::kNone) mine.add(event);
    }
  }
}

Lit EventRelations::at(size_t event, CellId cell) const {
  for (const auto& [other, here] : events_[event].cells)
    if (other == cell) return here;
  return kFalse;
}

bool EventRelations::may_alias(size_t x, size_t y) const {
  for (const auto& [cell, here] : events_[x].cells)
    if (at(y, cell) != kFalse) return true;
  return false;
}

bool EventRelations::must_alias(size_t x, size_t y) const {
  const auto& a = events_[x].cells;
  const auto& b = events_[y].cells;
  return a.size() == 1 && b.size() == 1 && a[0] == b[0] && a[0].second == kTrue;
}

Lit EventRelations::same_cell(size_t x, size_t y) {
  if (x > y) std::swap(x, y);
  const auto [entry, is_new] = same_cell_.emplace(pair_of(x, y), kFalse);
  if (!is_new) return entry->second;
  std::vector<Lit> alternatives;
  for (const auto& [cell, here] : events_[x].cells) alternatives.push_back(circuit_.both(here, at(y, cell)));
  const Lit result =
      circuit_.both(circuit_.both(executed(x), executed(y)), circuit_.any(std::move(alternatives)));
  return same_cell_[pair_of(x, y)] = result;
}

void EventRelations::find_candidates() {
  may_read_ = may_precede_ = BitMatrix(n_);
  for (size_t write = 0; write < n_; ++write) {
    if (events_[write].kind != EventKind::kWrite || events_[write].executed == kFalse) continue;
    for (size_t other = 0; other < n_; ++other) {
      if (other == write || !may_alias(write, other)) continue;
      if (events_[other].kind == EventKind::kRead) {
        if (events_[write].read_part != other &&
            events_[write].value.values.meets(events_[other].value.values))
          may_read_.set(write, other);
      } else if (other >= first_of_threads_ && events_[other].executed != kFalse) {
        may_precede_.set(write, other);  // initial writes come first
      }
    }
  }
}

void EventRelations::choose_sources() {
  rf_.assign(n_ * n_, kFalse);
  std::vector<std::vector<size_t>> sources(n_);
  may_read_.for_all([&](size_t write, size_t read) { sources[read].push_back(write); });
  for (size_t read = 0; read < n_; ++read) {
    if (events_[read].kind != EventKind::kRead) continue;
    std::vector<Lit> choices;
    for (const size_t write : sources[read]) {
      const Lit chosen = sources[read].size() == 1 ? executed(read) : circuit_.fresh();
      rf_[write * n_ + read] = chosen;
      choices.push_back(chosen);
      circuit_.implies(chosen, same_cell(write, read));
      arithmetic_.require_equal(chosen, events_[write].value.bits, events_[read].value.bits);
    }
    circuit_.at_most_one(choices);
    choices.push_back(!executed(read));
    circuit_.require(choices);
  }
}

void EventRelations::choose_coherence() {
  co_.assign(n_ * n_, kFalse);
  std::vector<size_t> writes;
  for (size_t x = 0; x < n_; ++x) {
    if (events_[x].kind != EventKind::kWrite || events_[x].executed == kFalse) continue;
    if (x >= first_of_threads_) writes.push_back(x);
    for (size_t y = std::max(x + 1, first_of_threads_); y < first_look_; ++y) {
      const bool forward = may_precede_.at(x, y), backward = may_precede_.at(y, x);
      if (events_[y].kind != EventKind::kWrite || events_[y].executed == kFalse || !may_alias(x, y)) continue;
      const Lit together = same_cell(x, y);
      if (!forward && !backward) circuit_.require({!together});
      const Lit in_front = !backward ? kTrue : !forward ? kFalse : circuit_.fresh();
      if (forward) co_[x * n_ + y] = circuit_.both(together, in_front);
      if (backward) co_[y * n_ + x] = circuit_.both(together, !in_front);
    }
  }
  // No three of them form a cycle. Two at the same cell are ordered, so this makes it an order. (Initial
  // writes have nothing before them.)
  for (size_t i = 0; i < writes.size(); ++i)
    for (size_t k = i + 1; k < writes.size(); ++k) {
      const size_t x = writes[i], y = writes[k];
      if (!may_alias(x, y)) continue;
      for (size_t l = k + 1; l < writes.size(); ++l) {
        const size_t z = writes[l];
        circuit_.require({!coherence(x, y), !coherence(y, z), !coherence(z, x)});
        circuit_.require({!coherence(x, z), !coherence(z, y), !coherence(y, x)});
      }
    }
}

void EventRelations::choose_waited() {
  for (size_t fence = first_of_threads_; fence < first_look_; ++fence) {
    if (!has("MEMBARRIER", fence)) continue;
    for (size_t write = first_of_threads_; write < first_look_; ++write)
      if (events_[write].kind == EventKind::kWrite && events_[write].thread != events_[fence].thread)
        waited_[{write, fence}] =
            circuit_.both(circuit_.both(executed(write), executed(fence)), circuit_.fresh());
  }
}

Lit EventRelations::from_read(size_t read, size_t write) {
  const auto [entry, is_new] = from_read_.emplace(pair_of(read, write), kFalse);
  if (!is_new) return entry->second;
  std::vector<Lit> alternatives;
  for (size_t source = 0; source < n_; ++source)
    if (source != write && reads_from(source, read) != kFalse && coherence(source, write) != kFalse)
      alternatives.push_back(circuit_.both(reads_from(source, read), coherence(source, write)));
  const Lit result = circuit_.any(std::move(alternatives));
  return from_read_[pair_of(read, write)] = result;
}

// The same, but only one direction: no gates for the alternatives.
Lit EventRelations::at_least_from_read(size_t read, size_t write) {
  const auto [entry, is_new] = at_least_from_read_.emplace(pair_of(read, write), kFalse);
  if (!is_new) return entry->second;
  std::vector<std::pair<Lit, Lit>> alternatives{{reads_before(read, write), executed(write)}};
  for (size_t source = 0; source < n_; ++source)
    if (source != write && reads_from(source, read) != kFalse && coherence(source, write) != kFalse &&
        !surely_precedes(source, write))
      alternatives.emplace_back(reads_from(source, read), coherence(source, write));
  std::erase_if(alternatives, [](const auto& pair) { return pair.first == kFalse; });
  if (alternatives.empty()) return kFalse;
  Lit result = alternatives.front().first;
  if (alternatives.size() > 1 || alternatives.front().second != kTrue) {
    result = circuit_.fresh();
    for (const auto& [reads, before] : alternatives) circuit_.implies(reads, before, result);
  }
  return at_least_from_read_[pair_of(read, write)] = result;
}

bool EventRelations::surely_precedes(size_t first, size_t second) const {
  return may_precede_.at(first, second) && !may_precede_.at(second, first) && must_alias(first, second);
}

// At least whether the read reads from a write that precedes this one whenever both are executed. What
// precedes the last of these (all writes of one thread to one cell, and the initial one) precedes this one,
// too, so it follows from what holds for that one. It says nothing about this write.
Lit EventRelations::reads_before(size_t read, size_t write) {
  const auto [entry, is_new] = reads_before_.emplace(pair_of(read, write), kFalse);
  if (!is_new) return entry->second;
  std::vector<size_t> earlier;
  for (size_t source = 0; source < n_; ++source)
    if (surely_precedes(source, write)) earlier.push_back(source);
  // One that all others precede, if there is one.
  const auto last = std::find_if(earlier.begin(), earlier.end(), [&](size_t candidate) {
    return std::all_of(earlier.begin(), earlier.end(),
                       [&](size_t other) { return other == candidate || surely_precedes(other, candidate); });
  });
  std::vector<Lit> alternatives;
  if (last != earlier.end()) {
    alternatives = {reads_from(*last, read), reads_before(read, *last)};
  } else {
    for (const size_t source : earlier) alternatives.push_back(reads_from(source, read));
  }
  std::erase(alternatives, kFalse);
  if (alternatives.empty()) return kFalse;
  Lit result = alternatives.front();
  if (alternatives.size() > 1) {
    result = circuit_.fresh();
    for (const Lit alternative : alternatives) circuit_.implies(alternative, result);
  }
  return reads_before_[pair_of(read, write)] = result;
}

Lit EventRelations::last(size_t write, CellId cell) {
  std::vector<Lit> all{executed(write), at(write, cell)};
  for (size_t later = 0; later < n_; ++later) all.push_back(!coherence(write, later));
  return circuit_.all(std::move(all));
}

const Number& EventRelations::seen(CellId cell) const {
  for (size_t look = first_look_; look < n_; ++look)
    if (events_[look].cells.front().first == cell) return events_[look].value;
  throw Bug("a cell that the observer does not read");
}

Number EventRelations::final_value(CellId cell) {
  Number result = initial_[cell.index()];
  for (size_t write = first_of_threads_; write < first_look_; ++write) {
    if (events_[write].kind != EventKind::kWrite) continue;
    const Lit holds = last(write, cell);
    if (holds == kFalse) continue;
    const Number& value = events_[write].value;
    result = {arithmetic_.choose(holds, value.bits, result.bits), result.values.join(value.values), {}};
  }
  return result;
}

// ---- Base sets and relations ----

bool EventRelations::has(std::string_view set, size_t index) const {
  const SymbolicEvent& event = events_[index];
  const bool read = event.kind == EventKind::kRead, write = event.kind == EventKind::kWrite;
  if (set == "_") return true;
  if (set == "R") return read;
  if (set == "W" || set == "FW") return write;
  if (set == "M") return read || write;
  if (set == "F") return event.kind == EventKind::kFence;
  if (set == "IW") return index < first_of_threads_;
  if (set == "RMW") return event.of_rmw;
  // The observer is one, too. The parts of a load or a store are none: nothing but the access is atomic.
  if (set == "ATOMIC")
    return event.section != Unfolding::kNone &&
           (event.in_section || event.of_rmw || event.instruction == nullptr);
  if (set == "SECTION") return event.in_section;
  if (event.instruction == nullptr) return false;
  if (event.kind == EventKind::kFence) {
    const FenceKinds kinds = event.instruction->fence;
    if (set == "SL") return kinds.has_store_load();
    if (set == "SS") return kinds.has_store_store();
    if (set == "LL") return kinds.has_load_load();
    if (set == "LS") return kinds.has_load_store();
    if (set == "MEMBARRIER") return kinds.has_process_wide();
  }
  const std::vector<std::string>& tags = write && event.instruction->kind == InstrKind::kRmw
                                             ? event.instruction->write_tags
                                             : event.instruction->tags;
  return std::find(tags.begin(), tags.end(), set) != tags.end();
}

namespace {

// Each read of a read-modify-write with each of its writes.
bool are_read_and_write_of_rmw(const SymbolicEvent& read, const SymbolicEvent& write) {
  return read.of_rmw && write.of_rmw && !read.in_section && read.section == write.section &&
         read.kind == EventKind::kRead && write.kind == EventKind::kWrite;
}

}  // namespace

// Precondition: both are of one thread.
bool EventRelations::same_operation(const SymbolicEvent& x, const SymbolicEvent& y) const {
  if (!calls_) return true;
  if (x.instruction == nullptr || y.instruction == nullptr) return false;  // the observer calls nothing
  return x.instruction->operation != 0 && x.instruction->operation == y.instruction->operation;
}

BaseRelations::SetBounds EventRelations::set_bounds(std::string_view name) const {
  SetBounds bounds{std::vector<bool>(n_), std::vector<bool>(n_)};
  for (size_t event = 0; event < n_; ++event) {
    bounds.upper[event] = has(name, event);
    bounds.lower[event] = bounds.upper[event] && name != "FW";
  }
  return bounds;
}

Lit EventRelations::in_set(std::string_view name, size_t event) {
  if (name != "FW") return kTrue;
  std::vector<Lit> all{executed(event)};
  for (size_t later = 0; later < n_; ++later) all.push_back(!coherence(event, later));
  return circuit_.all(std::move(all));
}

const Dependencies* EventRelations::dependencies(std::string_view name, size_t event) const {
  if (name == "addr") return &events_[event].address;
  if (name == "data") return &events_[event].data;
  if (name == "ctrl") return &events_[event].control;
  return nullptr;
}

BaseRelations::RelationBounds EventRelations::relation_bounds(std::string_view name) const {
  RelationBounds bounds{BitMatrix(n_), BitMatrix(n_)};
  BitMatrix& upper = bounds.upper;
  BitMatrix& lower = bounds.lower;
  if (name == "po") {
    upper = lower = po_;
    return bounds;
  }
  if (name == "waited")
    for (const auto& [pair, waited] : waited_) upper.set(pair.first, pair.second);
  for (size_t y = 0; y < n_; ++y)
    if (const Dependencies* depends = dependencies(name, y))
      for (const Dependency& dependency : *depends) {
        upper.set(dependency.read, y);
        if (dependency.holds == kTrue) lower.set(dependency.read, y);
      }
  const auto sure = [&](size_t x, size_t y) { upper.set(x, y), lower.set(x, y); };
  for (size_t x = 0; x < n_; ++x)
    for (size_t y = 0; y < n_; ++y) {
      const SymbolicEvent& a = events_[x];
      const SymbolicEvent& b = events_[y];
      const bool same_thread = a.thread.valid() && a.thread == b.thread;
      if (name == "id"          ? x == y
          : name == "int"       ? same_thread
          : name == "ext"       ? !same_thread
          : name == "atomic"    ? x != y && a.section != Unfolding::kNone && a.section == b.section
          : name == "operation" ? x != y && same_thread && same_operation(a, b)
          : name == "rmw"       ? b.read_part == x || are_read_and_write_of_rmw(a, b)
          : name == "observed"  ? x >= first_of_threads_ && x < first_look_ && y >= first_look_
                                : false)
        sure(x, y);
      if (name == "loc" && may_alias(x, y)) {
        upper.set(x, y);
        if (must_alias(x, y)) lower.set(x, y);
      }
      if (name == "rf" && may_read_.at(x, y)) upper.set(x, y);
      if (name == "co" && may_precede_.at(x, y)) {
        upper.set(x, y);
        if (surely_precedes(x, y)) lower.set(x, y);
      }
      if (name == "fr" && a.kind == EventKind::kRead && b.kind == EventKind::kWrite &&
          y >= first_of_threads_ && may_alias(x, y) && b.executed != kFalse)
        upper.set(x, y);
    }
  return bounds;
}

Lit EventRelations::at_least_in_relation(std::string_view name, size_t x, size_t y) {
  return name == "fr" ? at_least_from_read(x, y) : in_relation(name, x, y);
}

Lit EventRelations::in_relation(std::string_view name, size_t x, size_t y) {
  if (name == "rf") return reads_from(x, y);
  if (name == "co") return coherence(x, y);
  if (name == "fr") return from_read(x, y);
  if (name == "loc") return same_cell(x, y);
  if (name == "waited") return waited_.at({x, y});
  if (const Dependencies* depends = dependencies(name, y))
    for (const Dependency& dependency : *depends)
      if (dependency.read == x) return circuit_.both(executed(y), dependency.holds);
  return circuit_.both(executed(x), executed(y));
}

}  // namespace fenceline::sat
