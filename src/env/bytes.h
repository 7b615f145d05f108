// SPDX-License-Identifier: GPL-3.0-or-later
//
// Serialises values, to send them from one process to another on the same machine. Both directions can be one
// function: it passes each field to a writer or to a reader, in the same order.
#pragma once

#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "env/errors.h"

namespace fenceline {

class ByteWriter {
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

// Throws Bug where bytes are missing.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : left_(bytes) {}

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
    if (size > left_.size()) throw Bug("a message from another process is not complete");
    const std::string_view taken = left_.substr(0, size);
    left_.remove_prefix(size);
    return taken;
  }

  std::string_view left_;
};

}  // namespace fenceline
