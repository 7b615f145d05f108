// SPDX-License-Identifier: GPL-3.0-or-later
//
// The second half of the oracle: which combinations of traces are executions?
//
// Pick a trace for every thread (dropping picks that read a value that no thread writes). For each cell, list
// all alternatives to order its writes (co) and to give each read a source with the right value (rf) that
// pass uniproc; uniproc speaks about one cell at a time, so this is exact. Then look for one alternative per
// cell such that all of them together pass the global axiom. The final state depends only on the traces and
// on the last write of each cell, so the search is for one witness per final state, and stops when every
// model has its witness: a state that SC allows is usually found at once. Orders are kept transitively closed
// as bit sets, which makes adding an edge and noticing a cycle a few machine words of work.
#include "oracle.h"

#include <algorithm>
#include <utility>

#include "trace.h"

namespace fenceline::fuzz {
namespace {

constexpr uint64_t kMaxOrders = 20'000'000;  // of writes, begun: some seconds

// A strict order under construction.
struct Order {
  std::array<uint32_t, kMaxEvents> after{};  // transitively closed
  size_t size = 0;

  // False if this closes a cycle; the order is then useless.
  bool add(size_t first, size_t second) {
    const uint32_t first_bit = uint32_t{1} << first, second_bit = uint32_t{1} << second;
    if (first == second || (after[second] & first_bit)) return false;
    if (after[first] & second_bit) return true;
    const uint32_t gained = after[second] | second_bit;
    after[first] |= gained;
    for (size_t i = 0; i < size; ++i)
      if (after[i] & first_bit) after[i] |= gained;
    return true;
  }
};

struct Edge {
  size_t first, second;
};

// One order of the accesses of one cell that passes uniproc.
struct CellOrder {
  Value final = 0;
  std::vector<Edge> global;  // rfe, co and fr, enough of them that the closure has them all
};

struct Node {
  Event event;
  size_t thread = 0;
};

// All orders of the accesses to one cell that pass uniproc.
class CellOrders {
 public:
  // Stops when the budget is used up.
  CellOrders(const std::vector<Node>& nodes, int cell, Value initial, uint64_t& budget)
      : nodes_(nodes), initial_(initial), budget_(budget) {
    po_loc_.size = nodes.size();
    std::vector<size_t> mine;
    for (size_t i = 0; i < nodes.size(); ++i)
      if (nodes[i].event.cell == cell) mine.push_back(i);
    bool fine = true;
    for (size_t k = 0; k < mine.size(); ++k) {
      const size_t i = mine[k];
      if (nodes[i].event.reads) reads_.push_back(i);
      if (nodes[i].event.writes) writes_.push_back(i);
      // Nodes of one thread are consecutive and in program order.
      if (k > 0 && nodes[mine[k - 1]].thread == nodes[i].thread) fine &= po_loc_.add(mine[k - 1], i);
    }
    if (fine) order_writes(po_loc_);
  }

  std::vector<CellOrder> take() { return std::move(out_); }

 private:
  void order_writes(const Order& order) {
    if (budget_ == 0) return;
    --budget_;
    if (co_.size() == writes_.size()) return choose_sources(order, 0, {});
    for (const size_t write : writes_) {
      if (std::find(co_.begin(), co_.end(), write) != co_.end()) continue;
      Order longer = order;
      bool fine = true;
      for (const size_t earlier : co_) fine = fine && longer.add(earlier, write);
      if (!fine) continue;
      co_.push_back(write);
      order_writes(longer);
      co_.pop_back();
    }
  }

  // Position of the source in co_, from 1; 0 is the initial value.
  void choose_sources(const Order& order, size_t which, std::vector<Edge> global) {
    if (which == reads_.size()) {
      for (size_t i = 1; i < co_.size(); ++i) global.push_back({co_[i - 1], co_[i]});
      out_.push_back(
          {.final = co_.empty() ? initial_ : nodes_[co_.back()].event.written, .global = std::move(global)});
      return;
    }
    const size_t read = reads_[which];
    for (size_t source = 0; source <= co_.size(); ++source) {
      const Value value = source == 0 ? initial_ : nodes_[co_[source - 1]].event.written;
      if (value != nodes_[read].event.read) continue;
      Order longer = order;
      std::vector<Edge> more = global;
      if (source > 0) {
        const size_t write = co_[source - 1];
        if (!longer.add(write, read)) continue;
        if (nodes_[write].thread != nodes_[read].thread) more.push_back({write, read});
      }
      // From-read to the next write; an rmw is its own next write, and co speaks of what follows it.
      if (source < co_.size() && co_[source] != read) {
        if (!longer.add(read, co_[source])) continue;
        more.push_back({read, co_[source]});
      }
      choose_sources(longer, which + 1, std::move(more));
    }
  }

  const std::vector<Node>& nodes_;
  const Value initial_;
  uint64_t& budget_;
  Order po_loc_;
  std::vector<size_t> reads_, writes_, co_;
  std::vector<CellOrder> out_;
};

class Oracle {
 public:
  Oracle(const FlatProgram& program, unsigned models) : program_(program), models_(models) {}

  std::array<Answer, kModels> run() {
    traces_ = enumerate_traces(program_);
    size_t events = 0;
    for (const std::vector<Trace>& traces : traces_.of_thread) {
      size_t most = 0;
      uint64_t writes = 0;
      for (const Trace& trace : traces) {
        most = std::max(most, trace.events.size());
        writes |= trace.writes;
      }
      events += most;
      possible_writes_.push_back(writes);
    }
    if (events > kMaxEvents) traces_.too_large = "oracle: too many events";
    if (!traces_.too_large.empty()) {
      answers_.fill(Answer::skipped(traces_.too_large));
      return answers_;
    }
    pick(0, 0, traces_.initial);
    if (budget_ == 0) {
      answers_.fill(Answer::skipped("oracle: too many orders of writes"));
      return answers_;
    }
    for (Answer& answer : answers_) answer.complete = true;
    return std::move(answers_);
  }

 private:
  // Chooses traces for threads t, t+1, ...; `read` and `written` are those of the threads before.
  void pick(size_t t, uint64_t read, uint64_t written) {
    uint64_t later = 0;
    for (size_t i = t; i < traces_.of_thread.size(); ++i) later |= possible_writes_[i];
    if (read & ~(written | later)) return;
    if (budget_ == 0) return;
    if (t == traces_.of_thread.size()) return combine();
    for (const Trace& trace : traces_.of_thread[t]) {
      picked_.push_back(&trace);
      pick(t + 1, read | trace.reads, written | trace.writes);
      picked_.pop_back();
    }
  }

  void combine() {
    bool ended = true, error = false;
    for (const Trace* trace : picked_) {
      ended &= trace->end == TraceEnd::kEnded;
      error |= trace->end == TraceEnd::kError;
    }
    if (!ended && (!error || models_without_error() == 0)) return;

    nodes_.clear();
    std::array<Order, kModels> orders;
    for (size_t t = 0; t < picked_.size(); ++t) {
      const size_t base = nodes_.size();
      for (const Event& event : picked_[t]->events) nodes_.push_back({.event = event, .thread = t});
      for (size_t model = 0; model < kModels; ++model)
        for (size_t i = 0; i < picked_[t]->events.size(); ++i)
          orders[model].after[base + i] = picked_[t]->preserved[model][i] << base;
    }
    for (Order& order : orders) order.size = nodes_.size();

    cells_.clear();
    for (size_t cell = 0; cell < program_.initial_memory.size(); ++cell) {
      cells_.push_back(
          CellOrders(nodes_, static_cast<int>(cell), program_.initial_memory[cell], budget_).take());
      if (cells_.back().empty()) return;
    }
    if (ended) {
      std::vector<Value> final;
      each_final_memory(final, orders);
    } else {
      const unsigned found = search(0, orders, models_without_error(), nullptr);
      for (size_t model = 0; model < kModels; ++model)
        if (found >> model & 1) answers_[model].error_reachable = true;
    }
  }

  unsigned models_without_error() const {
    unsigned mask = 0;
    for (unsigned model = 0; model < kModels; ++model)
      if ((models_ >> model & 1) && !answers_[model].error_reachable) mask |= 1u << model;
    return mask;
  }

  void each_final_memory(std::vector<Value>& final, const std::array<Order, kModels>& orders) {
    const size_t cell = final.size();
    if (cell < cells_.size()) {
      std::vector<Value> values;
      for (const CellOrder& order : cells_[cell]) values.push_back(order.final);
      std::sort(values.begin(), values.end());
      values.erase(std::unique(values.begin(), values.end()), values.end());
      for (const Value value : values) {
        final.push_back(value);
        each_final_memory(final, orders);
        final.pop_back();
      }
      return;
    }
    std::vector<Value> outcome = final;
    for (const Trace* trace : picked_) outcome.insert(outcome.end(), trace->regs.begin(), trace->regs.end());
    unsigned wanted = 0;
    for (unsigned model = 0; model < kModels; ++model)
      if ((models_ >> model & 1) && !answers_[model].finals.contains(outcome)) wanted |= 1u << model;
    const unsigned found = wanted == 0 ? 0 : search(0, orders, wanted, &final);
    for (size_t model = 0; model < kModels; ++model)
      if (found >> model & 1) answers_[model].finals.insert(outcome);
  }

  // The wanted models under which the cells from `cell` on can be ordered on top of `orders`, each ending
  // with the value of `final` (if there is one).
  unsigned search(size_t cell, const std::array<Order, kModels>& orders, unsigned wanted,
                  const std::vector<Value>* final) {
    if (cell == cells_.size()) return wanted;
    unsigned found = 0;
    for (const CellOrder& candidate : cells_[cell]) {
      if (final && candidate.final != (*final)[cell]) continue;
      std::array<Order, kModels> longer;
      unsigned alive = 0;
      for (size_t model = 0; model < kModels; ++model) {
        if (!((wanted & ~found) >> model & 1)) continue;
        longer[model] = orders[model];
        bool fine = true;
        for (const Edge& edge : candidate.global) fine = fine && longer[model].add(edge.first, edge.second);
        if (fine) alive |= 1u << model;
      }
      if (alive != 0) found |= search(cell + 1, longer, alive, final);
      if (found == wanted) break;
    }
    return found;
  }

  const FlatProgram& program_;
  const unsigned models_;
  uint64_t budget_ = kMaxOrders;
  Traces traces_;
  std::vector<uint64_t> possible_writes_;
  std::vector<const Trace*> picked_;
  std::vector<Node> nodes_;
  std::vector<std::vector<CellOrder>> cells_;
  std::array<Answer, kModels> answers_;
};

}  // namespace

std::array<Answer, kModels> axiomatic_answers(const FlatProgram& program, unsigned models) {
  return Oracle(program, models).run();
}

}  // namespace fenceline::fuzz
