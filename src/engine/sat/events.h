// SPDX-License-Identifier: GPL-3.0-or-later
//
// The events of all threads and what happens between them: where reads get their values (rf), in which order
// writes reach memory (co), and all the other base relations that memory models speak about.
//
// rf and co are the only ones that are chosen; everything else follows from them and from what the threads
// do. There are variables only for pairs that can be at the same cell.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/sat/threads.h"
#include "sat/relation_encoder.h"

namespace fenceline::sat {

class EventRelations : public BaseRelations {
 public:
  // Adds to the events of the threads one write per cell that they can access, which gives it its initial
  // value, and one read of each cell of `looks`: an observer that reads all of them at once, at the end of a
  // partial execution.
  EventRelations(const Overlay& overlay, const Unfolding& unfolding, const EncodedThreads& threads,
                 const std::vector<CellId>& looks, const std::vector<ValueSet>& cells,
                 Arithmetic& arithmetic);

  // The constructor leaves rf and co open; now these pairs are known to be impossible, and the others get
  // their literals.
  void choose(const BitMatrix& no_reads_from, const BitMatrix& no_coherence);

  // Initial writes by cell, then the threads' events, then the observer's reads.
  const std::vector<SymbolicEvent>& all() const { return events_; }
  size_t first_of_threads() const { return first_of_threads_; }
  size_t first_look() const { return first_look_; }

  Lit reads_from(size_t write, size_t read) const { return rf_[write * n_ + read]; }
  Lit coherence(size_t first, size_t second) const { return co_[first * n_ + second]; }
  // Writes and the `sync`s of other threads: did the sync wait for it (else it was stored later)?
  const std::map<std::pair<size_t, size_t>, Lit>& waited() const { return waited_; }
  // The write is the last one of the cell.
  Lit last(size_t write, CellId cell);
  // What the observer reads. Precondition: the cell is among `looks`.
  const Number& seen(CellId cell) const;
  // What is in the cell when all has happened.
  Number final_value(CellId cell);

  size_t events() const override { return n_; }
  Lit executed(size_t event) const override { return events_[event].executed; }
  bool implies(size_t event, size_t other) const override {
    return event == other || events_[other].executed == kTrue || implied_.at(event, other);
  }
  bool coherent() const override { return true; }
  SetBounds set_bounds(std::string_view name) const override;
  RelationBounds relation_bounds(std::string_view name) const override;
  Lit in_set(std::string_view name, size_t event) override;
  Lit in_relation(std::string_view name, size_t x, size_t y) override;
  Lit at_least_in_relation(std::string_view name, size_t x, size_t y) override;

 private:
  void add_events(const Program& program, const EncodedThreads& threads, const std::vector<CellId>& looks,
                  const std::vector<ValueSet>& cells);
  void order_program(const Unfolding& unfolding);
  void find_implied(const Unfolding& unfolding, const EncodedThreads& threads);
  void find_candidates();
  void choose_sources();
  void choose_coherence();
  void choose_waited();
  Lit at(size_t event, CellId cell) const;
  Lit same_cell(size_t x, size_t y);  // both are executed and at the same cell
  bool may_alias(size_t x, size_t y) const;
  bool must_alias(size_t x, size_t y) const;
  Lit from_read(size_t read, size_t write);
  bool same_operation(const SymbolicEvent& x, const SymbolicEvent& y) const;
  Lit at_least_from_read(size_t read, size_t write);
  bool surely_precedes(size_t first, size_t second) const;  // in co, if both are executed
  Lit reads_before(size_t read, size_t write);
  bool has(std::string_view set, size_t event) const;
  const Dependencies* dependencies(std::string_view name, size_t event) const;

  Arithmetic& arithmetic_;
  Circuit& circuit_;
  std::vector<SymbolicEvent> events_;
  std::vector<Number> initial_;  // by cell
  size_t first_of_threads_ = 0, first_look_ = 0, n_ = 0;
  bool calls_ = false;                // some instruction of the program is part of a call of an operation
  BitMatrix po_;                      // if both are executed
  BitMatrix implied_;                 // whenever the first is executed, so is the second
  BitMatrix may_read_, may_precede_;  // the pairs that rf and co can have
  std::vector<Lit> rf_, co_;          // n * n
  std::map<std::pair<size_t, size_t>, Lit> waited_;
  std::unordered_map<uint64_t, Lit> same_cell_, from_read_, at_least_from_read_, reads_before_;
};

}  // namespace fenceline::sat
