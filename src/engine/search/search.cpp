// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/search/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <thread>

#include "engine/search/path_finder.h"
#include "env/errors.h"

namespace fenceline::engine {
namespace {

constexpr uint32_t kChunkStates = 128;
constexpr uint32_t kPollInterval = 256;  // expansions between polls of the limits

}  // namespace

class Search::Worker final : public machine::StateSink {
 public:
  Worker(Search& search, unsigned number)
      : search_(search), number_(number), system_(search.system_.worker()) {
    if (search.property_ != nullptr) monitor_.emplace(search.program_, *search.property_);
  }

  void begin() {
    system_->initial(*this);
    drain_pipeline();
  }

  // The loop of one worker, until the search is over.
  void run() {
    for (;;) {
      expand_share_of_level();
      search_.meeting_.arrive_and_wait();
      if (search_.phase_ == Phase::kDone) return;
      if (search_.phase_ == Phase::kGrow) {
        search_.store_.reinsert(number_);
        search_.meeting_.arrive_and_wait();
      }
    }
  }

  // Runs while all workers wait. Levels too narrow to share are expanded right here: waking all workers for a
  // handful of states costs more than it brings, and long thin state spaces have many such levels.
  void decide_and_expand_narrow_levels() {
    search_.decide_next_phase();
    while (search_.phase_ == Phase::kExpand && search_.frontier_.size() < search_.limits_.jobs) {
      expand_share_of_level();
      search_.decide_next_phase();
    }
  }

  // The property is evaluated here and not when a state is found: that is once per state, not once per
  // transition, and the shortest violation is still the first.
  void expanding(const machine::StateView& view) override {
    final_ = view.final_state;
    if (monitor_) {
      const property::Monitor::Finding finding = monitor_->look(view);
      if (finding == property::Monitor::Finding::kViolated) search_.report_found(parent_, false);
      if (finding == property::Monitor::Finding::kUndefined) findings_.undefined_formula = true;
    }
    if (search_.wait_analysis != nullptr) look_for_waits(view);
    if (view.final_state && search_.on_final) {
      const std::lock_guard lock(search_.report_mutex_);
      search_.on_final(view);
    }
  }

  void buffer_full() override { findings_.buffer_full = true; }

  void state(machine::PackedState packed) override {
    ++findings_.transitions;
    moved_ = true;
    const uint64_t hash = StateStore::hash(packed);
    if (packed.size() > kPendingBytes) return insert(packed, hash, parent_);
    search_.store_.prefetch_slot(hash);
    if (pushed_ - done_ == kPipeline) resolve_oldest();
    Pending& pending = pipeline_[pushed_++ % kPipeline];
    pending.hash = hash;
    pending.parent = parent_;
    pending.size = packed.size();
    std::memcpy(pending.bytes.data(), packed.data(), packed.size());
    if (pushed_ - done_ > kPipeline / 2)
      search_.store_.prefetch_record(pipeline_[(pushed_ - kPipeline / 2) % kPipeline].hash);
  }

  void error() override {
    moved_ = true;
    findings_.error_reachable = true;
    if (search_.looks_for_errors()) search_.report_found(parent_, true);
  }

  void overflow() override {
    moved_ = true;
    findings_.overflow = true;
  }

  void rejected() override {
    moved_ = true;
    if (search_.looks_at_histories()) search_.report_found(parent_, true);
  }

  std::vector<Chunk> take_next_level() { return std::exchange(next_level_, {}); }
  bool in_the_middle() const { return current_.count > 0; }
  const Findings& findings() const { return findings_; }

 private:
  // Successors wait here for their cache lines (see StateStore::prefetch_slot) before they are inserted.
  static constexpr size_t kPipeline = 32;
  static constexpr size_t kPendingBytes = 64;
  struct Pending {
    uint64_t hash = 0;
    StateStore::Ref parent = StateStore::kNone;
    size_t size = 0;
    std::array<uint8_t, kPendingBytes> bytes;
  };

  void look_for_waits(const machine::StateView& view) {
    if (!waits_) waits_.emplace(*search_.wait_analysis);
    const auto pending = [this](size_t thread, std::vector<machine::PendingStore>& stores) {
      system_->pending_stores(thread, stores);
    };
    const property::SoloWaits::Finding finding = waits_->look(view, pending);
    if (finding == property::SoloWaits::Finding::kViolated) search_.report_found(parent_, false);
    if (finding == property::SoloWaits::Finding::kUndecided) findings_.undecided_wait = true;
  }

  void insert(machine::PackedState packed, uint64_t hash, StateStore::Ref parent) {
    if (search_.limits_.jobs == 1 && search_.store_.crowded()) grow_alone();
    const auto [ref, fresh] = search_.store_.insert(number_, packed, hash, parent);
    if (fresh) remember(ref);
  }

  void resolve_oldest() {
    const Pending& oldest = pipeline_[done_++ % kPipeline];
    insert({oldest.bytes.data(), oldest.size}, oldest.hash, oldest.parent);
  }

  void drain_pipeline() {
    while (done_ != pushed_) resolve_oldest();
  }

  void expand_share_of_level() try {
    expand_chunks();
    drain_pipeline();
  } catch (...) {
    search_.fail(std::current_exception());
  }

  void expand_chunks() {
    for (;;) {
      if (current_.count == 0) {
        const size_t mine = search_.next_chunk_.fetch_add(1);
        if (mine >= search_.frontier_.size()) return;
        current_ = search_.frontier_[mine];
      }
      while (current_.count > 0) {
        if (search_.stop_.load(std::memory_order_relaxed)) return;
        if (search_.limits_.jobs > 1) {
          if (search_.store_.crowded()) search_.growth_wanted_ = true;
          if (search_.growth_wanted_.load(std::memory_order_relaxed)) return;
        }
        if (++since_poll_ >= kPollInterval) poll();
        expand(current_.ref);
        if (--current_.count > 0) current_.ref = search_.store_.following(current_.ref);
      }
    }
  }

  void expand(StateStore::Ref ref) {
    parent_ = ref;
    moved_ = false;
    const machine::PackedState packed = search_.store_.state(ref);
    system_->successors(packed, *this);
    if (moved_) return;
    ++findings_.terminal_states;
    findings_.terminal_digest += StateStore::hash(packed);
    if (final_ || system_->excused(packed)) return;
    findings_.deadlock_reachable = true;
    if (search_.looks_for_deadlocks()) search_.report_found(ref, false);
  }

  void remember(StateStore::Ref ref) {
    if (!next_level_.empty() && next_level_.back().count < kChunkStates &&
        StateStore::same_block(next_level_.back().ref, ref))
      ++next_level_.back().count;
    else
      next_level_.push_back({ref, 1});
  }

  void grow_alone() {
    search_.store_.begin_growth();
    search_.store_.reinsert(number_);
    search_.store_.end_growth();
  }

  void poll() {
    since_poll_ = 0;
    const LimitReached reached = search_.resources_.poll(search_.store_.bytes_in_use());
    if (reached != LimitReached::kNone) {
      search_.limit_ = reached;
      search_.stop_ = true;
    }
    const uint64_t budget = search_.limits_.states;
    if (budget != 0 && search_.store_.size() > budget) {
      search_.out_of_states_ = true;
      search_.stop_ = true;
    }
    if (number_ == 0 && search_.progress_.due())
      search_.progress_.show(fmt::format("{} states, level {}, {} in the queue, {} MB", search_.store_.size(),
                                         search_.level_, search_.frontier_.size() * kChunkStates,
                                         search_.store_.bytes_in_use() >> 20));
  }

  Search& search_;
  unsigned number_;
  std::unique_ptr<machine::TransitionSystem> system_;
  std::optional<property::Monitor> monitor_;
  std::optional<property::SoloWaits> waits_;
  Findings findings_;
  Chunk current_;
  std::vector<Chunk> next_level_;
  StateStore::Ref parent_ = StateStore::kNone;
  bool moved_ = false;  // has the state being expanded a successor?
  bool final_ = false;  // is it a final state?
  uint32_t since_poll_ = 0;
  std::array<Pending, kPipeline> pipeline_;
  size_t pushed_ = 0, done_ = 0;
};

Search::Search(const machine::SystemSource& system, const Program& program, const Property* property,
               const SearchLimits& limits, Limits& resources, Progress& progress)
    : system_(system),
      program_(program),
      property_(property),
      limits_(limits),
      resources_(resources),
      progress_(progress),
      store_(limits.jobs),
      meeting_(limits.jobs, MeetingEnd{*this}) {
  for (unsigned w = 0; w < limits.jobs; ++w) workers_.push_back(std::make_unique<Worker>(*this, w));
}

Search::~Search() = default;

Findings Search::run() {
  workers_[0]->begin();
  frontier_ = workers_[0]->take_next_level();
  std::vector<std::jthread> threads;
  for (unsigned w = 1; w < limits_.jobs; ++w) threads.emplace_back([this, w] { workers_[w]->run(); });
  workers_[0]->run();
  threads.clear();  // joins
  progress_.clear();
  if (error_) std::rethrow_exception(error_);
  return collect();
}

void Search::end_meeting() noexcept {
  try {
    if (phase_ == Phase::kGrow) {
      store_.end_growth();
      phase_ = Phase::kExpand;
    } else {
      workers_[0]->decide_and_expand_narrow_levels();
    }
  } catch (...) {  // out of memory while growing: all workers must still be released
    fail(std::current_exception());
    phase_ = Phase::kDone;
  }
}

// Runs while all workers wait.
void Search::decide_next_phase() {
  phase_ = Phase::kExpand;
  if (stop_) {
    phase_ = Phase::kDone;
  } else if (growth_wanted_) {
    growth_wanted_ = false;
    store_.begin_growth();
    phase_ = Phase::kGrow;
  } else {
    frontier_.clear();
    for (const auto& worker : workers_) {
      require(!worker->in_the_middle(), "a level ended before all of it was expanded");
      const std::vector<Chunk> chunks = worker->take_next_level();
      frontier_.insert(frontier_.end(), chunks.begin(), chunks.end());
    }
    next_chunk_ = 0;
    if (frontier_.empty())
      phase_ = Phase::kDone;
    else
      ++level_;
    predict_runtime();
  }
}

// Levels grow to the middle of most state spaces and shrink from there on.
void Search::predict_runtime() {
  uint64_t width = 0;
  for (const Chunk& chunk : frontier_) width += chunk.count;
  if (prediction != nullptr && 10 * width < 9 * widest_level_)
    prediction->store(RuntimePrediction::kShort, std::memory_order_relaxed);
  widest_level_ = std::max(widest_level_, width);
}

void Search::report_found(StateStore::Ref at, bool failing_step) {
  const std::lock_guard lock(report_mutex_);
  if (!found_) {
    found_ = at;
    found_failing_step_ = failing_step;
  }
  stop_ = true;
}

void Search::fail(std::exception_ptr error) {
  const std::lock_guard lock(report_mutex_);
  if (!error_) error_ = std::move(error);
  stop_ = true;
}

Findings Search::collect() const {
  Findings all;
  for (const auto& worker : workers_) {
    const Findings& one = worker->findings();
    all.buffer_full |= one.buffer_full;
    all.overflow |= one.overflow;
    all.undefined_formula |= one.undefined_formula;
    all.error_reachable |= one.error_reachable;
    all.deadlock_reachable |= one.deadlock_reachable;
    all.undecided_wait |= one.undecided_wait;
    all.transitions += one.transitions;
    all.terminal_states += one.terminal_states;
    all.terminal_digest += one.terminal_digest;
  }
  all.found = found_.has_value();
  all.limit = limit_;
  all.out_of_states = out_of_states_;
  all.states = store_.size();
  all.levels = level_ + 1;
  all.bytes = store_.bytes_in_use();
  require(all.states > 0, "a search explored nothing");
  return all;
}

Trace Search::trace() const {
  require(found_.has_value(), "there is no trace without a violation");
  return find_path(system_, store_, *found_, found_failing_step_);
}

}  // namespace fenceline::engine
