// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which cells objects have. A *cell* is the largest piece of an object that no access splits. It is found from
// the accesses of the whole program (points_to.h): where one begins or ends, no cell goes on. So a union whose
// members have different sizes, a word whose halves are also used by themselves and a buffer that holds objects
// of any type need no care: an access covers one cell or several of them.
//
// An access has the same pieces wherever its pointer points: if one of its targets is cut, so are all others.
// An access that no processor need make at once (Intel SDM vol. 3, 9.1.1; Arm ARM, B2.2.1) is *torn*: its pieces do not
// belong together, and are accessed from either end. It has more than 8 bytes, or may not be aligned; then its pieces
// are its bytes. The alignment of atomic operations is checked where they execute.
//
// What a pointer that could not be tracked accesses has no influence; where that fits no cell, the execution
// reaches a limitation. The same holds for an index that is not known, where it could reach a *firm* word outside of
// the array that it begins in: one that atomic operations access by its own address, and that no other known address
// cuts. So the halves of nodes in a pool do not cut the word beside the pool that says which one is free.
#pragma once

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Function.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frontend/c/points_to.h"
#include "ir/program.h"

namespace fenceline::frontend::c {

inline constexpr uint64_t kMostBytes = 1 << 20;  // of all objects together

// A piece of an object, or of an access.
struct Leaf {
  uint64_t offset;
  uint8_t bytes;
  std::string name = {};  // ".next", "[2]": what name_cells() decides
  CellContent content = CellContent::kAnything;
  bool accessed = false;  // by the program, and not only as a part of a whole that is copied
};

// Are the pieces of an access accesses of their own?
enum class Tearing : uint8_t { kNever, kUnlessAligned, kAlways };

class Cells {
 public:
  // `functions` as for PointsTo. `tears`: accesses may be torn. Of what they do, `ignored` is left out.
  Cells(const std::vector<const llvm::Function*>& functions, const PointsTo& points_to,
        const llvm::DataLayout& layout, bool tears, const std::set<const llvm::Instruction*>& ignored = {});

  // What a load, a store or an atomic operation covers, by the distance from its address. No piece has more
  // than 8 bytes.
  std::vector<Leaf> pieces(const llvm::Instruction& access) const;

  Tearing tearing(const llvm::Instruction& access) const;
  // The alignment that the access needs to fit a cell and not to be torn, if nothing says that it has that: its type
  // does not demand it, and its address could not be tracked, so no bytes were cut for it.
  struct Alignment {
    uint64_t bytes;
    bool is_declared;  // by all objects; if not, what is aligned here may not be so on a machine
  };
  std::optional<Alignment> unproved_alignment(const llvm::Instruction& access) const;

  // Does an access cover so many bytes from each of the targets on, and does none cut them?
  bool is_one_cell(const Targets& targets, uint64_t bytes) const;

  // The cells of the object. Bytes that no access covers have those of `declared`, the scalars of its type.
  std::vector<Leaf> fitted(const llvm::Value& origin, uint64_t size, const std::vector<Leaf>& declared) const;

 private:
  struct Object {
    uint64_t size = 0;
    std::set<uint64_t> cuts;            // no cell goes on across these
    std::vector<bool> is_covered;       // by byte: some access other than a copy covers it
    std::map<uint64_t, uint64_t> firm;  // where such words begin and end
  };
  struct Span {
    uint64_t begin, end;
    bool contains(uint64_t first, uint64_t last) const { return begin <= first && last <= end; }
  };
  struct Reach {
    Target target;
    Span array;  // which an unknown index should not leave
  };
  struct Access {
    uint64_t bytes;
    bool is_copy;  // of any number of cells
    bool is_atomic;
    std::vector<Reach> targets;
    std::set<uint64_t> cuts;  // by the distance from its address
  };

  void add(const llvm::Instruction& instruction, const llvm::DataLayout& layout, const PointsTo& points_to);
  void add_access(const llvm::Instruction& by, const llvm::Value& pointer, uint64_t bytes, bool is_copy,
                  const PointsTo& points_to);
  void tear(const llvm::Instruction& by, const llvm::Value& pointer, Access& access,
            const PointsTo& points_to);
  void find_firm_words();
  static bool meets_firm_word(const Object& object, uint64_t begin, uint64_t end);
  static Span array_around(const PointsTo::Object& object, const Target& target, uint64_t bytes,
                           const llvm::DataLayout& layout);
  // Calls `visit` with the object and the offset of all that the access may be about, but for firm words that only an
  // index outside of its array could reach.
  template <class Visit>
  void for_each_place(const Access& access, const Visit& visit);
  bool spread(Access& access);

  std::map<uint32_t, Object> objects_;  // by their numbers in PointsTo
  std::map<const llvm::Value*, uint32_t> numbers_;
  std::vector<Access> accesses_;
  std::map<const llvm::Instruction*, size_t> by_instruction_;  // those that are no copies
  std::map<const llvm::Instruction*, Tearing> torn_;
  std::map<const llvm::Instruction*, Alignment> unproved_;
  const bool tears_;
};

}  // namespace fenceline::frontend::c
