// SPDX-License-Identifier: GPL-3.0-or-later
//
// Short forms for what a `.cat` text means.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "env/errors.h"
#include "model/cat/cat.h"

namespace fenceline {

inline CatModel cat_of(const std::string& text) { return load_cat({"test.cat", text}); }

// The term of the only constraint, or of the last one.
inline std::string term_of(const std::string& text) {
  const CatModel model = cat_of(text);
  return model.constraints.empty() ? "none" : model.text(model.constraints.back().term);
}

// Are these two expressions the same term?
inline bool same_relation(const std::string& a, const std::string& b) {
  const CatModel model = cat_of("acyclic " + a + "\nacyclic " + b);
  return model.constraints[0].term == model.constraints[1].term;
}

// The complaint about the text: "line:column: message (hint)"; "none" if there is none.
inline std::string complaint_about(const std::string& text, const CatSearchPath& path = {},
                                   const std::string& name = "test.cat") {
  try {
    load_cat({name, text}, path);
    return "none";
  } catch (const InputError& error) {
    EXPECT_EQ(error.diagnostics().size(), 1u);
    const Diagnostic& first = error.diagnostics()[0];
    std::string result =
        std::to_string(first.pos.line) + ":" + std::to_string(first.pos.column) + ": " + first.message;
    if (!first.hint.empty()) result += " (" + first.hint + ")";
    return result;
  }
}

}  // namespace fenceline
