// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the checker of certificates requires of the store buffers of a thread, whatever form their contents
// have. Contents represent a set of buffers. Every operation is exact or over-approximates: for each
// represented buffer, and each step that docs/semantics.md allows it, one of the results represents the buffer
// after the step. `keep_...` restricts contents to the buffers in which something is possible, and returns
// whether there are any; if not, what is left of the contents has no meaning.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/numbers.h"
#include "ir/instruction.h"

namespace fenceline::check {

// A limit was reached.
struct OutOfLimits {};

// One alternative of a flush.
template <class Contents>
struct Flush {
  uint32_t cell;
  Value value;
  Contents after;
};

// What a load can find in the buffer of its thread, and the buffers in which it does.
template <class Contents>
struct Reading {
  std::optional<Value> own;  // none: no store to the cell is pending, and memory is read
  Contents when;
};

template <class B>
concept BufferAlgebra = std::equality_comparable<typename B::Contents> &&
    requires(B& buffers, typename B::Contents& contents, const typename B::Contents& given, uint32_t cell,
             Value value, FenceKinds kinds) {
  // Why it is malformed; none if it may be given to the functions below.
  { buffers.malformed(given, size_t{}) } -> std::same_as<std::optional<std::string>>;
  { buffers.represents_nothing(given) } -> std::same_as<bool>;
  // Represents the empty buffer and nothing else.
  { buffers.nothing_pending() } -> std::convertible_to<typename B::Contents>;

  { buffers.keep_empty(contents) } -> std::same_as<bool>;
  // What a load or rmw needs, whatever its cell.
  { buffers.keep_readable(contents) } -> std::same_as<bool>;
  { buffers.readings(given, cell) } -> std::same_as<std::vector<Reading<typename B::Contents>>>;
  // What a write that bypasses the buffer needs, whatever its cell; and for a write to this cell.
  { buffers.keep_drained_for_write(contents) } -> std::same_as<bool>;
  { buffers.keep_drained_for_write(contents, cell) } -> std::same_as<bool>;
  // Precondition: the model has store buffers.
  { buffers.store(contents, cell, value) } -> std::same_as<void>;
  // No results: the fence has to wait.
  { buffers.after_fence(given, kinds) } -> std::same_as<std::vector<typename B::Contents>>;
  { buffers.flushes(given) } -> std::same_as<std::vector<Flush<typename B::Contents>>>;

  // Does the first represent everything that the second represents?
  { buffers.subsumes(given, given) } -> std::same_as<bool>;
  // The same for contents of which one subsumes the other.
  { buffers.hash(given) } -> std::same_as<uint64_t>;
  { buffers.bytes() } -> std::same_as<uint64_t>;  // about what it holds itself
};

}  // namespace fenceline::check
