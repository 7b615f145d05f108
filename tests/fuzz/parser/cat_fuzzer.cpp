// SPDX-License-Identifier: GPL-3.0-or-later
//
// Whatever the text is, the reader of memory models must answer with a well-formed model or with a complaint
// that has a position. Built as fl_parser_fuzzer.cpp is.
#include <cstddef>
#include <cstdint>
#include <string>

#include "check_complaints.h"
#include "env/errors.h"
#include "model/cat/cat.h"

namespace {

using namespace fenceline;
using fenceline::check;

void check(const CatModel& model) {
  for (size_t i = 0; i < model.terms.size(); ++i) {
    const Term& term = model.terms[i];
    for (const TermId operand : {term.a, term.b}) check(!operand.valid() || operand.index() < i);
    switch (term.op) {
      case TermOp::kBase:
        check(base_sort(term.name) == (term.is_set ? BaseSort::kSet : BaseSort::kRelation));
        break;
      case TermOp::kEmpty:
        break;
      case TermOp::kRecursive:
        check(term.index < model.recursive.size());
        check(model.term(model.recursive[term.index]).is_set == term.is_set);
        break;
      case TermOp::kUnion:
      case TermOp::kIntersect:
      case TermOp::kMinus:
        check(model.term(term.a).is_set == term.is_set && model.term(term.b).is_set == term.is_set);
        break;
      case TermOp::kComplement:
        check(model.term(term.a).is_set == term.is_set);
        break;
      case TermOp::kProduct:
        check(!term.is_set && model.term(term.a).is_set && model.term(term.b).is_set);
        break;
      case TermOp::kIdentity:
        check(!term.is_set && model.term(term.a).is_set);
        break;
      case TermOp::kDomain:
      case TermOp::kRange:
        check(term.is_set && !model.term(term.a).is_set);
        break;
      case TermOp::kSequence:
        check(!model.term(term.b).is_set);
        [[fallthrough]];
      case TermOp::kInverse:
      case TermOp::kTransitive:
      case TermOp::kReflexive:
      case TermOp::kClosure:
        check(!term.is_set && !model.term(term.a).is_set);
        break;
    }
  }
  for (const Constraint& constraint : model.constraints) {
    check(constraint.pos.known() && !constraint.name.empty() && constraint.term.valid());
    check(constraint.kind == ConstraintKind::kEmpty || !model.term(constraint.term).is_set);
    check(!model.text(constraint.term).empty());
  }
  check(!model.uses("no such name"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // There is nothing beside a file in a directory that does not exist.
  const SourceFile source{"nowhere/fuzz.cat", std::string(reinterpret_cast<const char*>(data), size)};
  try {
    check(load_cat(source));
  } catch (const InputError& error) {
    check_complaints(error, 1);
  }
  return 0;
}
