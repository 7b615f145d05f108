// SPDX-License-Identifier: GPL-3.0-or-later
//
// The program as every engine sees it: shared objects made of cells, threads as graphs of instructions over
// their registers, and the properties to check. Front ends build it with ir/builder.h; ir/verify checks it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/numbers.h"
#include "env/source.h"
#include "ir/expr.h"
#include "ir/ids.h"
#include "ir/instruction.h"
#include "ir/property.h"

namespace fenceline {

// What a cell holds, where the source says so. For reports only.
enum class CellContent : uint8_t { kAnything, kSigned, kUnsigned, kAddress };

// The name of a value, and where the value is known to mean that.
struct ValueName {
  enum class Kind : uint8_t {
    kMark,    // no number has this value: "undefined", the address of a function
    kObject,  // "&queue": the address of an object, unless the cell holds numbers
    kPart,    // "&queue.head": the address of a part, in cells that hold addresses
  };
  std::string text;
  Kind kind = Kind::kMark;
};

// A shared variable or array. Its cells are numbered first_cell, first_cell + 1, ... Where offsets count
// bytes, as they do in C, most of them name no cell: an int at offset 8 is one cell, and 9, 10 and 11 are
// none.
struct Object {
  std::string name;
  bool is_array = false;
  std::vector<Value> init;        // one value per cell; its size is the object's size
  std::optional<Range> declared;  // `int 0..3`: storing anything else is an error
  // Names of cells that are not called NAME[offset], by offset: "queue.head".
  std::map<uint32_t, std::string> cell_names;
  std::map<uint32_t, CellContent> cell_contents;  // by offset; others hold anything
  CellId first_cell;
  SourcePos pos;
  // Its cells are variables of transactions: loads and stores of them are operations of the history.
  bool transactional = false;
  // Its values are timestamps: compared, copied and incremented, and nothing else. Only their order and the
  // distance of neighbours matter.
  bool stamp = false;
  // Empty: all cells are there, for any access. Else by offset: how many bytes the cell there has, 0 if none
  // is.
  std::vector<uint8_t> cell_bytes;

  // Is there a cell that an access of so many bytes can be about? If not, the access is an error.
  bool admits(Value offset, uint8_t bytes) const {
    if (offset < 0 || offset >= static_cast<Value>(init.size())) return false;
    if (cell_bytes.empty()) return true;
    const uint8_t there = cell_bytes[static_cast<size_t>(offset)];
    return there != 0 && (bytes == 0 || bytes == there);
  }

  uint32_t size() const { return static_cast<uint32_t>(init.size()); }
};

struct Register {
  std::string name;  // "r", "a[2]" for an element of a local array, "%3" for a temporary
  Value init = 0;
  std::optional<Range> declared;  // assigning anything else is an error
  bool temporary = false;         // made by the front end; users never see it
  bool stamp = false;             // as of an Object
};

// A statement of the source text whose last step is the instruction at `point`, which has one successor: what
// is written at `end` executes right after that step. This is all that is known about the text behind the front
// ends, and there is nothing here for a language that does not want its text changed, nor for other files
// than the main one.
struct StatementEnd {
  Point point;
  SourcePos begin, end;        // from its first character to right behind its last one
  bool inside_atomic = false;  // no fence is allowed here
  // The statement is where only one may be (`if (e) x = 1;`): to add another, braces have to be put around
  // what lies from `open` to `close`. Line 0: there is no need to.
  SourcePos open, close;
  std::string name;  // how the user numbers it, "pe 26"; empty: by its line only
};

struct Thread {
  std::string name;  // as properties name it: "P", "P[0]", "P[0][1]"
  std::vector<Register> registers;
  std::vector<Instruction> code;
  Point entry;
  SourcePos pos;
  std::vector<StatementEnd> ends;  // by point

  const Instruction& at(Point point) const { return code[point.index()]; }
};

struct Program {
  SourceFile source;
  std::vector<SourceFile> included;  // files 1, 2, ... of SourcePos
  std::vector<Object> objects;
  std::vector<Thread> threads;
  std::vector<Property> properties;  // as the user wrote them; kNoErrors is added by property/
  std::vector<Expr> exprs;
  uint32_t cell_count = 0;
  std::map<Value, ValueName> value_names;  // for reports only
  // The cells by which threads are started, and by which they are joined. For reports only.
  std::map<CellId, ThreadId> thread_cells;

  const Thread& thread(ThreadId id) const { return threads[id.index()]; }
  const Object& object(ObjectId id) const { return objects[id.index()]; }
  const Expr& expr(ExprId id) const { return exprs[id.index()]; }

  // Precondition: there is such a file.
  const SourceFile& file_of(SourcePos pos) const { return pos.file == 0 ? source : included[pos.file - 1u]; }

  std::string line_name(SourcePos pos) const;  // "12", "queue.h:12" where that is not the main file
  // By the user's own number, if the statement that the instruction ends has one: "end 26", "line 80".
  std::string step_name(ThreadId thread, Point point) const;

  ObjectId object_of(CellId cell) const;      // precondition: cell < cell_count
  std::string cell_name(CellId cell) const;   // "x", "flag[1]"
  std::vector<Value> initial_memory() const;  // one value per cell
  std::string value_text(Value value) const;  // "3", "&queue"
  // The same of what the cell holds; an invalid cell: of any.
  std::string value_text(CellId cell, Value value) const;
};

// How many threads and transactional variables there are. The variables are numbered through.
HistoryAlphabet history_alphabet(const Program& program);
// The number of the variable that the cell is, if it is one.
std::optional<uint32_t> transactional_variable(const Program& program, CellId cell);

// Is some instruction part of a call of an operation? If none is, each thread is one operation.
bool has_operations(const Program& program);

}  // namespace fenceline
