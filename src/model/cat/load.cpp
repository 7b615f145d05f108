// SPDX-License-Identifier: GPL-3.0-or-later
//
// The entry points of the reader of `.cat` files, and the models that are part of the library.
#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include "env/errors.h"
#include "model/cat/cat.h"
#include "model/cat/elaborator.h"
#include "model/cat/shipped.h"

namespace fenceline {
namespace {

constexpr std::array<std::string_view, 13> kShipped = {
    "sc", "tso", "pso", "rmo", "rmo-ctrl", "relaxed", "serial", "x86tso", "armv8", "riscv", "power", "rc11", "rc20"};

std::string base_name(std::string_view path) {
  const size_t slash = path.rfind('/');
  if (slash != std::string_view::npos) path.remove_prefix(slash + 1);
  if (path.ends_with(".cat")) path.remove_suffix(4);
  return std::string(path);
}

// The standard library first, then the model that `open` opens.
template <class Open>
CatModel elaborate(cat::Files& files, std::string_view name, Open open) {
  cat::Elaborator elaborator(files);
  elaborator.run(files.add_shipped("stdlib.cat"));
  const cat::ParsedFile& model = open();
  if (model.tree.architecture == "C" || model.tree.title.starts_with("C++"))
    elaborator.run(files.add_shipped("c.cat"));
  elaborator.run(model);
  return elaborator.model(model.tree.title.empty() ? base_name(name) : model.tree.title);
}

}  // namespace

CatModel load_cat(const SourceFile& file, const CatSearchPath& path) {
  cat::Files files(path);
  return elaborate(files, file.name, [&]() -> const cat::ParsedFile& { return files.add(file); });
}

CatModel shipped_cat(std::string_view name) {
  // They never change, and a user of thousands of small tests would spend a fifth of the time here.
  static std::mutex mutex;
  static std::map<std::string, CatModel, std::less<>> read;
  const std::lock_guard lock(mutex);
  if (const auto found = read.find(name); found != read.end()) return found->second;
  cat::Files files({});
  const std::string file = std::string(name) + ".cat";
  CatModel model =
      elaborate(files, file, [&]() -> const cat::ParsedFile& { return files.add_shipped(file); });
  model.shipped = true;
  return read.emplace(name, std::move(model)).first->second;
}

std::span<const std::string_view> shipped_cat_names() { return kShipped; }

std::string_view shipped_cat_text(std::string_view file_name) {
  if (!file_name.ends_with(".cat")) return {};
  const std::string name(file_name.substr(0, file_name.size() - 4));
  for (const EmbeddedText& shipped : shipped_texts())
    if (shipped.name == name || shipped.name == "lib/" + name) return shipped.text;
  return {};
}

bool CatModel::uses(std::string_view base) const {
  std::vector<bool> seen(terms.size(), false);
  std::vector<TermId> open;
  const auto visit = [&](TermId id) {
    if (!id.valid() || seen[id.index()]) return;
    seen[id.index()] = true;
    open.push_back(id);
  };
  for (const Constraint& constraint : constraints) visit(constraint.term);
  while (!open.empty()) {
    const Term& next = term(open.back());
    open.pop_back();
    if (next.op == TermOp::kBase && next.name == base) return true;
    visit(next.a);
    visit(next.b);
    if (next.op == TermOp::kRecursive) visit(recursive[next.index]);
  }
  return false;
}

}  // namespace fenceline
