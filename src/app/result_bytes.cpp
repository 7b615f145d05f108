// SPDX-License-Identifier: GPL-3.0-or-later
//
// Both directions are one function: each field is handed to a writer, or to a reader, in the same order.
#include "app/result_bytes.h"

#include <cstring>
#include <type_traits>

#include "env/errors.h"
#include "witness/queue_replay.h"
#include "witness/replay.h"

namespace fenceline {
namespace {

class Writer {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void operator()(const T& value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void operator()(const std::string& text) {
    (*this)(text.size());
    bytes += text;
  }
  template <class T, class F>
  void each(const std::vector<T>& all, const F& f) {
    (*this)(all.size());
    for (const T& one : all) f(one);
  }
  template <class T, class F>
  void if_there(const std::optional<T>& some, const F& f) {
    (*this)(some.has_value());
    if (some) f(*some);
  }

  std::string bytes;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : left_(bytes) {}

  template <class T>
  requires std::is_trivially_copyable_v<T>
  void operator()(T& value) { std::memcpy(&value, take(sizeof value).data(), sizeof value); }
  void operator()(std::string& text) {
    size_t size = 0;
    (*this)(size);
    text = take(size);
  }
  template <class T, class F>
  void each(std::vector<T>& all, const F& f) {
    size_t size = 0;
    (*this)(size);
    for (size_t i = 0; i < size; ++i) f(all.emplace_back());
  }
  template <class T, class F>
  void if_there(std::optional<T>& some, const F& f) {
    bool there = false;
    (*this)(there);
    if (there) f(some.emplace());
  }
  bool at_end() const { return left_.empty(); }

 private:
  std::string_view take(size_t size) {
    if (size > left_.size()) throw Bug("a result from another process is not complete");
    const std::string_view taken = left_.substr(0, size);
    left_.remove_prefix(size);
    return taken;
  }

  std::string_view left_;
};

template <class Carrier, class AResult>
void carry(AResult& result, bool& queues, Carrier& carrier) {
  const auto as_is = [&](auto& value) { carrier(value); };
  carrier(result.verdict);
  carrier(result.reason);
  carrier.if_there(result.bound, [&](auto& bound) {
    carrier(bound.what);
    carrier(bound.limit);
  });
  carrier.if_there(result.trace, [&](auto& trace) { carrier.each(trace.steps, as_is); });
  carrier(queues);
  carrier(result.shortest);
  carrier.if_there(result.certificate, [&](auto& certificate) {
    carrier(certificate.kind);
    carrier(certificate.size);
    carrier(certificate.checked);
    carrier(certificate.unit);
  });
  carrier(result.abstraction);
  carrier(result.spurious);
  carrier.each(result.crossed, [&](auto& place) {
    carrier(place.first);
    carrier(place.second);
  });
  carrier(result.states);
  carrier(result.transitions);
  carrier(result.seconds);
  carrier.each(result.statistics, [&](auto& figure) {
    carrier(figure.first);
    carrier(figure.second);
  });
}

}  // namespace

std::string to_bytes(const Result& result) {
  Writer writer;
  bool queues = result.replay && result.replay->queues;
  carry(result, queues, writer);
  return std::move(writer.bytes);
}

Result from_bytes(std::string_view bytes, const Problem& problem) {
  Reader reader(bytes);
  Result result;
  bool queues = false;
  carry(result, queues, reader);
  if (!reader.at_end()) throw Bug("a result from another process is too long");
  if (result.verdict == Verdict::kViolated && result.trace) {
    result.replay = queues ? replay_queues(problem, *result.trace) : replay(problem, *result.trace);
    if (!result.replay->ok) throw Bug("a trace does not replay: " + result.replay->why_not);
  }
  return result;
}

}  // namespace fenceline
