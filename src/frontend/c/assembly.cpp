// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/assembly.h"

#include <algorithm>
#include <map>
#include <vector>

namespace fenceline::frontend::c {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\n'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find_first_of(separators);
    parts.push_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// Small letters, and one blank where there are several.
std::string plain(std::string_view text) {
  std::string result;
  for (char c : trimmed(text)) {
    if (c == '\t' || c == '\n') c = ' ';
    if (c == ' ' && (result.empty() || result.back() == ' ')) continue;
    result += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  return result;
}

std::optional<FenceKinds> one_instruction(const std::string& text) {
  const FenceKinds loads = FenceKinds::load_load() | FenceKinds::load_store();
  static const std::map<std::string, FenceKinds> kFences = {
      {"", {}},
      {"nop", {}},
      {"pause", {}},
      {"rep", {}},
      {"yield", {}},
      {"mfence", FenceKinds::full()},
      {"lfence", loads},
      {"sfence", FenceKinds::store_store()},
      {"dmb", FenceKinds::full()},
      {"sync", FenceKinds::full()},
      {"hwsync", FenceKinds::full()},
      {"lwsync", loads | FenceKinds::store_store()},
      {"eieio", FenceKinds::store_store()},
      {"mb", FenceKinds::full()},
      {"wmb", FenceKinds::store_store()},
  };
  if (const auto found = kFences.find(text); found != kFences.end()) return found->second;
  if (text.starts_with("dmb ") || text.starts_with("dsb ")) {
    const std::string_view rest = std::string_view(text).substr(4);
    if (rest.ends_with("st")) return FenceKinds::store_store();
    if (rest.ends_with("ld")) return loads;
    if (rest == "ish" || rest == "sy" || rest == "osh" || rest == "nsh") return FenceKinds::full();
    return std::nullopt;
  }
  if (text.starts_with("fence")) {  // RISC-V
    if (text == "fence" || text == "fence rw,rw" || text == "fence rw, rw" || text == "fence iorw,iorw")
      return FenceKinds::full();
    if (text == "fence r,rw" || text == "fence r, rw") return loads;
    if (text == "fence rw,w" || text == "fence rw, w")
      return FenceKinds::load_store() | FenceKinds::store_store();
    if (text == "fence w,w" || text == "fence w, w") return FenceKinds::store_store();
    if (text == "fence r,r" || text == "fence r, r") return FenceKinds::load_load();
    return std::nullopt;
  }
  if (text.starts_with("membar ")) {  // SPARC: #LoadLoad|#StoreStore
    FenceKinds kinds;
    static const std::map<std::string_view, FenceKinds> kKinds = {{"#loadload", FenceKinds::load_load()},
                                                                  {"#loadstore", FenceKinds::load_store()},
                                                                  {"#storeload", FenceKinds::store_load()},
                                                                  {"#storestore", FenceKinds::store_store()}};
    for (const std::string_view part : split(std::string_view(text).substr(7), "|")) {
      const auto found = kKinds.find(part);
      if (found == kKinds.end()) return std::nullopt;
      kinds = kinds | found->second;
    }
    return kinds;
  }
  return std::nullopt;
}

// `lock; addl $0,0(%rsp)` and its like: a locked instruction on the thread's own stack is a full fence.
bool is_locked_stack_access(std::string_view text) {
  const auto accept = [&](std::string_view word) {
    text = trimmed(text);
    if (!text.starts_with(word)) return false;
    text.remove_prefix(word.size());
    return true;
  };
  if (!accept("lock")) return false;
  accept(";");
  if (!accept("add") && !accept("or")) return false;
  if (!text.starts_with(" ")) text.remove_prefix(std::min<size_t>(1, text.size()));  // addl, addq
  if (!accept("$$0") && !accept("$0")) return false;
  if (!accept(",")) return false;
  while (!text.empty() &&
         (text.front() == '-' || text.front() == ' ' || (text.front() >= '0' && text.front() <= '9')))
    text.remove_prefix(1);
  for (const std::string_view stack : {"(%rsp)", "(%esp)", "(%%rsp)", "(%%esp)"})
    if (text == stack) return true;
  return false;
}

}  // namespace

std::optional<FenceKinds> assembly_fence(std::string_view text) {
  const std::string code = plain(text);
  if (is_locked_stack_access(code)) return FenceKinds::full();
  FenceKinds kinds;
  for (const std::string_view part : split(code, ";")) {
    if (part == "#" || part.starts_with("# ")) continue;
    const auto one = one_instruction(std::string(part));
    if (!one) return std::nullopt;
    kinds = kinds | *one;
  }
  return kinds;
}

std::optional<FenceKinds> fence_kinds_of(std::string_view text) {
  static const std::map<std::string_view, FenceKinds> kKinds = {
      {"load-load", FenceKinds::load_load()},
      {"load-store", FenceKinds::load_store()},
      {"store-load", FenceKinds::store_load()},
      {"store-store", FenceKinds::store_store()},
      {"full", FenceKinds::full()},
  };
  FenceKinds kinds;
  for (const std::string_view part : split(text, ",")) {
    const auto found = kKinds.find(part);
    if (found == kKinds.end()) return std::nullopt;
    kinds = kinds | found->second;
  }
  return kinds;
}

}  // namespace fenceline::frontend::c
