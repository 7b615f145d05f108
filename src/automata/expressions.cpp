// SPDX-License-Identifier: GPL-3.0-or-later
#include "automata/expressions.h"

#include <algorithm>
#include <limits>

namespace fenceline::automata {

RegularExpressions::RegularExpressions(const Alphabet& alphabet)
    : alphabet_(alphabet), nothing_(add(kNothing, {})), empty_word_(add(kEmptyWord, {})) {}

RegularExpressions::Id RegularExpressions::add(Kind kind, const std::vector<Id>& children) {
  std::vector<uint32_t> node = {kind};
  node.insert(node.end(), children.begin(), children.end());
  const Id id = nodes_.add(node);
  if (id == facts_.size()) facts_.push_back(facts_of(kind, children));
  return id;
}

RegularExpressions::Facts RegularExpressions::facts_of(Kind kind, const std::vector<Id>& children) const {
  if (kind == kNothing) return {1, 0, false};
  if (kind == kEmptyWord) return {1, 0, true};
  if (kind == kLetter) return {1, alphabet_.rank(children[0]), false};
  // Shared parts are printed repeatedly, so sizes may grow exponentially.
  constexpr uint64_t kHuge = std::numeric_limits<uint64_t>::max() / 4;
  Facts facts{1, facts_[children[0]].first_rank, kind == kSequence};
  for (const Id id : children) {
    facts.size = std::min(kHuge, facts.size + facts_[id].size);
    if (kind == kSequence) facts.nullable &= facts_[id].nullable;
    if (kind == kChoice) facts.nullable |= facts_[id].nullable;
  }
  if (kind == kOption || kind == kStar) facts.nullable = true;
  return facts;
}

std::vector<RegularExpressions::Id> RegularExpressions::children(Id id) const {
  const auto node = nodes_[id];
  return {node.begin() + 1, node.end()};
}

std::vector<RegularExpressions::Id> RegularExpressions::factors(Id id) const {
  if (kind(id) == kSequence) return children(id);
  if (kind(id) == kEmptyWord) return {};
  return {id};
}

std::vector<RegularExpressions::Id> RegularExpressions::alternatives(Id id) const {
  if (kind(id) == kChoice) return children(id);
  return {id};
}

bool RegularExpressions::is_once_or_more(Id id) const {
  std::vector<Id> parts = factors(id);
  if (parts.size() < 2 || kind(parts.back()) != kStar) return false;
  const Id repeated = child(parts.back());
  parts.pop_back();
  return factors(repeated) == parts;
}

RegularExpressions::Id RegularExpressions::without_repetition(Id id) const {
  if (kind(id) == kStar || kind(id) == kOption) return child(id);
  if (is_once_or_more(id)) return child(children(id).back());
  return id;
}

RegularExpressions::Id RegularExpressions::sequence(const std::vector<Id>& factors) {
  std::vector<Id> flat;
  for (const Id factor : factors) {
    if (factor == nothing_) return nothing_;
    for (const Id part : this->factors(factor)) push_factor(flat, part);
  }
  if (flat.empty()) return empty_word_;
  return flat.size() == 1 ? flat.front() : add(kSequence, flat);
}

void RegularExpressions::push_factor(std::vector<Id>& factors, Id factor) {
  if (!factors.empty()) {
    const Id last = factors.back();
    const bool last_repeats = kind(last) == kStar;
    const bool repeats = kind(factor) == kStar;
    if (last_repeats && (factor == last || (kind(factor) == kOption && child(factor) == child(last))))
      return;                                                                // x*x* = x*, x*x? = x*
    if (repeats && kind(last) == kOption && child(last) == child(factor)) {  // x?x* = x*
      factors.back() = factor;
      return;
    }
    if (kind(factor) == kOption && child(factor) == last) {  // xx? = x?x: choices share ends more often
      factors.pop_back();
      push_factor(factors, factor);
      factors.push_back(last);
      return;
    }
    if (last_repeats) {
      std::vector<Id> turned = this->factors(child(last));
      if (turned.front() == factor) {  // (xy)*x = x(yx)*: the word that is always there comes first
        std::rotate(turned.begin(), turned.begin() + 1, turned.end());
        factors.pop_back();
        push_factor(factors, factor);
        push_factor(factors, star(sequence(turned)));
        return;
      }
    }
  }
  factors.push_back(factor);
}

RegularExpressions::Id RegularExpressions::choice(const std::vector<Id>& alternatives) {
  std::vector<Id> flat;
  bool or_empty = false;
  const auto add_flat = [&](Id id) {
    for (const Id alternative : this->alternatives(id)) {
      or_empty |= alternative == empty_word_;
      if (alternative == nothing_ || alternative == empty_word_) continue;
      if (std::ranges::find(flat, alternative) == flat.end()) flat.push_back(alternative);
    }
  };
  for (const Id alternative : alternatives) {
    const bool option = kind(alternative) == kOption;
    or_empty |= option;
    add_flat(option ? child(alternative) : alternative);
  }
  absorb(flat, or_empty);
  if (factor_out(flat, true) || factor_out(flat, false)) {
    if (or_empty) flat.push_back(empty_word_);
    return choice(flat);
  }
  if (flat.empty()) return or_empty ? empty_word_ : nothing_;
  std::ranges::stable_sort(flat, {}, [this](Id id) { return facts_[id].first_rank; });
  const Id all = flat.size() == 1 ? flat.front() : add(kChoice, flat);
  return or_empty && !facts_[all].nullable ? add(kOption, {all}) : all;
}

// ε|xx* = x*; x*|x = x*|xx* = x*; (x|y)*|x = (x|y)*.
void RegularExpressions::absorb(std::vector<Id>& alternatives, bool& or_empty) {
  for (Id& alternative : alternatives) {
    if (!or_empty || !is_once_or_more(alternative)) continue;
    alternative = children(alternative).back();
    or_empty = false;
  }
  for (size_t i = 0; i < alternatives.size(); ++i) {
    const Id whole = alternatives[i];
    if (kind(whole) != kStar) continue;
    const std::vector<Id> repeated = this->alternatives(child(whole));
    std::erase_if(alternatives, [&](Id part) {
      if (part == whole) return false;
      return without_repetition(part) == child(whole) ||
             std::ranges::find(repeated, without_repetition(part)) != repeated.end();
    });
    i = static_cast<size_t>(std::ranges::find(alternatives, whole) - alternatives.begin());
  }
}

// xy|xz = x(y|z) or, at the other end, yx|zx = (y|z)x. Returns whether there was something to do.
bool RegularExpressions::factor_out(std::vector<Id>& alternatives, bool in_front) {
  const auto end_of = [&](Id id) {
    const std::vector<Id> parts = factors(id);
    return in_front ? parts.front() : parts.back();
  };
  for (size_t i = 0; i < alternatives.size(); ++i) {
    const Id shared = end_of(alternatives[i]);
    std::vector<Id> remainders;
    std::vector<Id> others;
    for (const Id alternative : alternatives) {
      if (end_of(alternative) != shared) {
        others.push_back(alternative);
        continue;
      }
      std::vector<Id> parts = factors(alternative);
      parts.erase(in_front ? parts.begin() : parts.end() - 1);
      remainders.push_back(sequence(parts));
    }
    if (remainders.size() < 2) continue;
    const Id remainder = choice(remainders);
    others.push_back(in_front ? sequence({shared, remainder}) : sequence({remainder, shared}));
    alternatives = std::move(others);
    return true;
  }
  return false;
}

RegularExpressions::Id RegularExpressions::star(Id body) {
  if (body == nothing_ || body == empty_word_) return empty_word_;
  if (kind(body) == kStar) return body;
  if (const Id once = without_repetition(body); once != body) return star(once);
  // (x*|y)* = (x|y)*, and (x*y?)* = (x|y)* since one of the two may be left out.
  const bool all_optional = kind(body) == kSequence && facts_[body].nullable;
  const std::vector<Id> parts = all_optional ? children(body) : alternatives(body);
  std::vector<Id> single;
  single.reserve(parts.size());
  for (const Id part : parts) single.push_back(without_repetition(part));
  if (single != parts) return star(choice(single));
  return add(kStar, {body});
}

std::string RegularExpressions::text(Id id, const std::function<std::string(const Letter&)>& name) const {
  const auto bracketed = [&](Id inner, bool needed) {
    return needed ? "(" + text(inner, name) + ")" : text(inner, name);
  };
  const auto repeated = [&](const char* sign) {
    return bracketed(child(id), kind(child(id)) == kSequence || kind(child(id)) == kChoice) + sign;
  };
  std::string result;
  switch (kind(id)) {
    case kNothing:
      return "∅";
    case kEmptyWord:
      return "ε";
    case kLetter:
      return name(alphabet_.letter(child(id)));
    case kSequence:
      for (const Id factor : children(id)) result += bracketed(factor, kind(factor) == kChoice);
      return result;
    case kChoice:
      for (const Id alternative : children(id))
        result += (result.empty() ? "" : "|") + text(alternative, name);
      return result;
    case kOption:
      return repeated("?");
    case kStar:
      return repeated("*");
  }
  return result;
}

}  // namespace fenceline::automata
