// SPDX-License-Identifier: GPL-3.0-or-later
#include "frontend/c/lowering.h"

#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <filesystem>

#include "env/errors.h"
#include "frontend/c/address_bits.h"
#include "frontend/c/body.h"
#include "frontend/c/copied_constants.h"
#include "frontend/c/dead_code.h"
#include "frontend/c/demanded_loads.h"
#include "frontend/c/forwarded_stores.h"
#include "frontend/c/jump_threading.h"
#include "frontend/c/known_memory.h"
#include "frontend/c/private_memory.h"
#include "frontend/c/set_up.h"
#include "frontend/c/shape.h"
#include "frontend/c/size_cases.h"
#include "frontend/c11.h"
#include "ir/sequential_interpreter.h"

namespace fenceline::frontend::c {
namespace {

constexpr uint32_t kMostThreads = 16;
constexpr uint64_t kThreadCells = 8 * (kMostThreads + 1);  // bytes: a word for each
constexpr uint64_t kAddressOnly = 64;                      // bytes of an object that nothing accesses

bool same_path(const std::string& a, const std::string& b) {
  const auto whole = [](const std::string& path) {
    return std::filesystem::absolute(path).lexically_normal();
  };
  return !a.empty() && !b.empty() && whole(a) == whole(b);
}

}  // namespace

Lowering::Lowering(Unit& unit, CompilationScheme mapping, const SourceFile& source, const Frees& frees)
    : unit_(unit), mapping_(mapping), frees_(frees), source_(source), builder_(source), memory_(unit) {
  memory_object_ = builder_.object("memory", {0}, std::nullopt, {}, true);
  files_[source.name] = 0;
  start_cells_ = thread_cells("started", 0);
  done_cells_ = thread_cells("ended", 0);
  argument_cells_ = thread_cells("argument", 0);
}

// One for each thread.
Value Lowering::thread_cells(const char* name, Value initial) {
  std::vector<Leaf> leaves;
  for (uint64_t i = 0; i <= kMostThreads; ++i) leaves.push_back({8 * i, 8, fmt::format("[{}]", i)});
  own_cells_.push_back(memory_.allocate(name, kThreadCells, 8, leaves, initial));
  return own_cells_.back();
}

Lowering::~Lowering() {
  for (const auto& [function, copy] : copies_) copy->dropAllReferences();
  for (const auto& [function, copy] : copies_) copy->eraseFromParent();
}

// ---- Code ----

llvm::Function& Lowering::copy_of(llvm::Function& function) {
  if (const auto found = copies_.find(&function); found != copies_.end()) return *found->second;
  llvm::ValueToValueMapTy values;
  llvm::Function* copy = llvm::CloneFunction(&unit_.flat(function), values);
  copy->setLinkage(llvm::GlobalValue::InternalLinkage);
  copy->setName(function.getName() + kCopySuffix);
  copies_.emplace(&function, copy);
  return *copy;
}

// Adds what the functions start, and what that starts. True if there was something to add.
bool Lowering::copy_started(std::vector<llvm::Function*>& functions) {
  const size_t before = functions.size();
  std::set<llvm::Function*> seen(functions.begin(), functions.end());
  for (size_t i = 0; i < functions.size(); ++i)
    for (llvm::Instruction& instruction : llvm::instructions(*functions[i]))
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
        if (llvm::Function* started = started_by(*call); started != nullptr && !started->isDeclaration()) {
          if (call->getMetadata(kStartsCopy) == nullptr) {
            started = &copy_of(*started);
            call->setMetadata(kStartsCopy,
                              llvm::MDNode::get(call->getContext(), llvm::ConstantAsMetadata::get(started)));
          }
          if (seen.insert(started).second) functions.push_back(started);
        }
  return functions.size() > before;
}

void Lowering::prepare(const std::vector<llvm::Function*>& sequence,
                       const std::vector<llvm::Function*>& others) {
  // Constants that are found may bound a loop, and then more of them are found. A round less is no error.
  constexpr unsigned kMostRounds = 10;
  std::vector<llvm::Function*> first, all;
  for (llvm::Function* function : sequence) first.push_back(&copy_of(*function));
  for (llvm::Function* function : others) all.push_back(&copy_of(*function));
  for (unsigned round = 0;; ++round) {
    std::vector<llvm::Function*> functions = first;
    functions.insert(functions.end(), all.begin(), all.end());
    copy_started(functions);
    const std::vector<llvm::Function*> concurrent(functions.begin() + static_cast<ptrdiff_t>(first.size()),
                                                  functions.end());
    const std::vector<const llvm::Function*> code(functions.begin(), functions.end());
    points_to_ = std::make_unique<PointsTo>(code, unit_.layout());
    lifetimes_ = std::make_unique<Lifetimes>(code, *points_to_, has_main_ ? first.back() : nullptr);
    if (round < kMostRounds &&
        (propagate_constants(first, concurrent) || propagate_alignments(first, concurrent)))
      continue;
    bool changed = false;
    for (const SizeOf which : {SizeOf::kAllocations, SizeOf::kCopies}) {
      if (changed) break;
      for (llvm::Function* function : functions) changed |= unit_.choose_sizes(*function, which, *points_to_);
    }
    if (changed) continue;
    for (llvm::Function* function : functions)
      changed |= unit_.limit_allocations(*function) || unit_.expand_copies(*function);
    if (changed || join_copied_constants(first, code, *points_to_)) continue;
    // A thread alone does not notice how its accesses are made.
    const bool tears = mapping() != CompilationScheme::kLanguage && !concurrent.empty();
    cells_ = std::make_unique<Cells>(code, *points_to_, unit_.layout(), tears);
    return keep_results(code);
  }
}

// What threads return has cells only if it is read.
void Lowering::keep_results(const std::vector<const llvm::Function*>& functions) {
  for (const llvm::Function* function : functions)
    for (const llvm::Instruction& instruction : llvm::instructions(*function))
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
          call != nullptr && result_of_join(*call) != nullptr && !result_cells_)
        result_cells_ = thread_cells("result", kUndefined);
}

bool Lowering::propagate_constants(const std::vector<llvm::Function*>& sequence,
                                   const std::vector<llvm::Function*>& others) {
  std::vector<llvm::Function*> all = sequence;
  all.insert(all.end(), others.begin(), others.end());
  const auto demanded = demanded_loads(all, *points_to_);
  if (demanded.empty()) return false;
  const KnownMemory known({sequence, others}, *points_to_, *lifetimes_, unit_.layout());
  std::map<llvm::Function*, Unit::KnownLoads> loads;
  std::set<const llvm::LoadInst*> is_known;
  for (const auto& [load, value] : known.loads()) is_known.insert(load);
  for (const auto& [load, value] : known.loads())
    if (demanded.contains(load)) loads[load->getFunction()].push_back({load, value});
  const auto add_private = [&](llvm::Function& function, const OwnMemory* own) {
    for (const Unit::KnownLoad& one :
         private_loads(function, *points_to_, *lifetimes_, unit_.layout(), own, demanded))
      if (demanded.contains(one.load) && !is_known.contains(one.load)) loads[&function].push_back(one);
  };
  WrittenSpans earlier(*points_to_, unit_.layout()), concurrent(*points_to_, unit_.layout());
  for (const llvm::Function* function : others)
    for (const llvm::Instruction& instruction : llvm::instructions(*function)) concurrent.add(instruction);
  const OwnMemory own{&earlier, &concurrent};
  for (llvm::Function* function : sequence) {
    add_private(*function, &own);
    for (const llvm::Instruction& instruction : llvm::instructions(*function)) earlier.add(instruction);
  }
  for (llvm::Function* function : others) add_private(*function, nullptr);
  bool changed = false;
  for (const auto& [function, replaced] : loads) changed |= unit_.simplify(*function, replaced);
  return changed;
}

bool Lowering::propagate_alignments(const std::vector<llvm::Function*>& sequence,
                                    const std::vector<llvm::Function*>& others) {
  bool changed = false, before_threads = true;
  const auto propagate = [&](llvm::Function& function) {
    changed |= unit_.simplify(function, known_remainders(function, *points_to_, before_threads));
  };
  for (llvm::Function* function : sequence) {
    propagate(*function);
    before_threads &= llvm::none_of(llvm::instructions(*function), [](const llvm::Instruction& instruction) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      return call != nullptr && starts_thread(*call);
    });
  }
  before_threads = false;
  for (llvm::Function* function : others) propagate(*function);
  return changed;
}

// ---- Threads ----

void Lowering::wait_for(ThreadBuilder& thread, ExprId cell, SourcePos pos, StepRole role) {
  const StepRole outside = thread.role(StepRole::kInternal);
  const RegId seen = thread.temp();
  // On machines the thread is before the section until the cell is set, so that one which waits for ever
  // is a deadlock. Axiomatic models have no deadlocks: an execution in which it was not set does not count.
  const bool blocks = mapping_ == CompilationScheme::kFences;
  if (blocks) thread.atomic_begin(pos);
  thread.role(role);
  thread.load({seen}, at(cell, 8), pos, MemoryOrder::kAcquire);
  thread.role(StepRole::kInternal);
  if (mapping_ == CompilationScheme::kLanguage) thread.tag({c11_tag(MemoryOrder::kAcquire)});
  thread.wait(builder_.binary(ExprOp::kNe, builder_.reg(seen), builder_.constant(0)), pos);
  if (blocks) thread.atomic_end(pos);
  if (mapping_ != CompilationScheme::kLanguage) thread.fence(FenceKinds::full(), pos);
  thread.role(outside);
}

void Lowering::signal(ThreadBuilder& thread, ExprId cell, SourcePos pos, StepRole role) {
  const StepRole outside = thread.role(StepRole::kInternal);
  if (mapping_ != CompilationScheme::kLanguage) thread.fence(FenceKinds::full(), pos);
  thread.role(role);
  thread.store(at(cell, 8), builder_.constant(1), pos, MemoryOrder::kRelease);
  if (mapping_ == CompilationScheme::kLanguage) thread.tag({c11_tag(MemoryOrder::kRelease)});
  thread.role(outside);
}

ThreadBuilder& Lowering::begin_thread(const std::string& name) {
  current_thread_ = name;
  return builder_.thread(name, {});
}

void Lowering::run(ThreadBuilder& thread, const std::vector<Call>& calls, bool alone) {
  RegisterPool registers(thread);
  for (Call call : calls) {
    call.function = &copy_of(*call.function);
    call.alone = alone;
    thread.operation(call.operation);
    Body(*this, thread, registers, call, std::nullopt).lower();
  }
  thread.operation(0);
}

void Lowering::thread(const std::string& name, const std::vector<Call>& calls) {
  ThreadBuilder& thread = begin_thread(name);
  self_ = ++threads_;
  if (has_first_) wait_for(thread, builder_.constant(done_cell(0)), {});
  run(thread, calls, false);
}

void Lowering::first_thread(const std::string& name, const std::vector<Call>& calls) {
  ThreadBuilder& thread = begin_thread(name);
  self_ = ++threads_;
  run(thread, calls, true);
  signal(thread, builder_.constant(done_cell(0)), {});
  has_first_ = true;
}

void Lowering::beforehand(const std::vector<Call>& calls) {
  if (calls.empty()) return;
  has_beforehand_ = true;
  self_ = kMostThreads + 1;
  run(begin_thread("beforehand"), calls, true);
}

// The thread is gone then, and its effects are there.
void Lowering::execute_last_thread(Program& program) const {
  constexpr unsigned kMostSteps = 100'000;
  const ThreadId thread(program.threads.size() - 1);
  const SequentialInterpreter interpreter(program);
  SequentialState state = interpreter.begin(thread);
  std::vector<Value> memory = program.initial_memory();
  std::string why;
  for (unsigned steps = 0;; ++steps) {
    const SourcePos pos = program.thread(thread).at(state.at).pos;
    const auto complain = [&](const std::string& message) {
      throw InputError(program.file_of(pos), {{{pos.line, pos.column}, "the initialisation " + message, ""}});
    };
    if (steps > kMostSteps) complain("does not end");
    if (interpreter.alternatives(thread, state) > 1) complain("is not determined");
    const SequentialInterpreter::Step step = interpreter.step(thread, state, memory, 0, why);
    if (step == SequentialInterpreter::Step::kEnded) break;
    if (step == SequentialInterpreter::Step::kBlocked) complain("blocks for ever");
    if (step == SequentialInterpreter::Step::kFailed) complain("fails: " + why);
    if (step == SequentialInterpreter::Step::kOurLimit) complain("cannot be executed: " + why);
  }
  program.objects.front().init = std::move(memory);
  program.threads.pop_back();
}

uint32_t Lowering::add_thread(llvm::Function& function, const llvm::Instruction& user) {
  if (!has_main_) unit_.reject(user, "starting threads in the operations of a test");
  const uint32_t number = ++threads_;
  if (number > kMostThreads) unit_.reject(user, fmt::format("more than {} threads", kMostThreads));
  if (function.arg_size() > 1)
    unit_.reject(user,
                 fmt::format("'{}', a thread function with several parameters", readable_name(function)));
  if (function.arg_size() == 1 && unit_.layout().getTypeSizeInBits(function.getArg(0)->getType()) != 64)
    unit_.reject(
        user, fmt::format("'{}', a thread function whose parameter is no pointer", readable_name(function)));
  unstarted_.push_back({&function, number});
  return number;
}

Value Lowering::allocate(const std::string& name, uint64_t size, uint64_t alignment,
                         const std::vector<Leaf>& leaves, Value initial, const llvm::Instruction& user) {
  if (!memory_.has_room(size, alignment))
    unit_.reject(user, fmt::format("'{}' is too large: all variables together have {} bytes at most", name,
                                   kMostBytes));
  return memory_.allocate(name, size, alignment, leaves, initial);
}

void Lowering::main(llvm::Function& function, const std::vector<Call>& constructors) {
  has_main_ = true;
  std::vector<llvm::Function*> functions;
  for (const Call& constructor : constructors) functions.push_back(constructor.function);
  functions.push_back(&function);
  prepare(functions, {});
  {
    ThreadBuilder& thread = begin_thread("main");
    self_ = kMostThreads + 1;  // the others are numbered from 1
    run(thread, constructors, true);
    RegisterPool registers(thread);
    const Call call{&copy_of(function), 0, false, "main", true};
    Body(*this, thread, registers, call, std::nullopt).lower();
    thread.halt({}, true);
  }
  std::map<std::string, unsigned> names;
  while (!unstarted_.empty()) {
    const Started started = unstarted_.front();
    unstarted_.pop_front();
    const std::string base = Unit::thread_name(*started.function);
    const unsigned again = ++names[base];
    const std::string name = fmt::format("{}#{}", base, again);
    ThreadBuilder& thread = begin_thread(name);
    started_[started.number] = thread.id();
    wait_for(thread, builder_.constant(start_cell(started.number)), {});
    std::optional<ExprId> argument;
    if (started.function->arg_size() == 1) {
      const RegId reg = thread.temp();
      thread.role(StepRole::kInternal);
      thread.load({reg}, at(builder_.constant(argument_cell(started.number)), 8), {});
      if (mapping_ == CompilationScheme::kLanguage) thread.tag({c11_tag(MemoryOrder::kPlain)});
      argument = builder_.reg(reg);
    }
    RegisterPool registers(thread);
    self_ = started.number;
    const Call call{started.function, 0, false, name, false, started.number};
    Body(*this, thread, registers, call, argument).lower();
    signal(thread, builder_.constant(done_cell(started.number)), {});
  }
}

CProgram Lowering::finish(Heap& heap) {
  if (frees_.leaks) require_all_freed();
  builder_.set_cells(memory_object_, memory_.cells(), memory_.bytes(), memory_.names(), memory_.contents());
  CProgram result{builder_.finish(), std::move(observed_), {}, ignored_free_, ""};
  if (has_beforehand_) execute_last_thread(result.program);
  std::vector<CellId> arguments;
  std::set<CellId> starts;
  for (const auto& [number, thread] : started_) {
    arguments.emplace_back(static_cast<size_t>(argument_cell(number)));
    starts.emplace(static_cast<size_t>(start_cell(number)));
  }
  forward_stores(result.program, arguments, handles_);
  thread_jumps(result.program);
  if (has_main_) execute_set_up(result.program, ThreadId(0), starts);
  std::vector<std::pair<ThreadId, RegId>> observed;
  for (const auto& one : result.observed) observed.emplace_back(one.thread, one.reg);
  remove_dead_code(result.program, observed);
  name_values(result.program);
  name_thread_cells(result.program);
  heap = std::move(heap_);
  return result;
}

// Whatever was allocated has been freed when all threads have ended.
void Lowering::require_all_freed() {
  ExprId all = builder_.constant(1);
  for (const auto& [shape, objects] : heap_.objects)
    for (const Heap::Object& object : objects) {
      const Value first = object.address + static_cast<Value>(shape.front().first);
      const ExprId freed = builder_.binary(
          ExprOp::kEq, builder_.cell(memory_object_, builder_.constant(first)), builder_.constant(kFreed));
      const ExprId absent = builder_.binary(ExprOp::kLe, builder_.thread_reg(object.thread, object.counter),
                                            builder_.constant(object.number));
      all = builder_.binary(ExprOp::kAnd, all, builder_.binary(ExprOp::kOr, absent, freed));
    }
  Property property;
  property.name = "leaks";
  property.kind = PropertyKind::kFinally;
  property.formula = all;
  builder_.property(property);
}

void Lowering::name_values(Program& program) const {
  using Kind = ValueName::Kind;
  program.value_names[kUndefined] = {"undefined", Kind::kMark};
  program.value_names[kFreed] = {"freed", Kind::kMark};
  program.value_names[kEnded] = {"ended", Kind::kMark};
  for (const auto& [function, address] : functions_)
    program.value_names[address] = {readable_name(*function), Kind::kMark};
  // No program has an address of what threads are started and joined by.
  const auto is_own = [&](Value address) {
    return llvm::any_of(own_cells_, [&](Value base) {
      return address >= base && address < base + static_cast<Value>(kThreadCells);
    });
  };
  for (const auto& [address, name] : memory_.names())
    if (!is_own(address)) program.value_names[address] = {"&" + name, Kind::kPart};
  for (const Memory::Block& block : memory_.blocks()) {
    if (is_own(block.base)) continue;
    program.value_names[block.base] = {"&" + block.name, Kind::kObject};
    // Objects of classes with virtual functions point behind the first two words of it.
    if (block.name.starts_with("vtable for "))
      program.value_names[block.base + 16] = {"&" + block.name, Kind::kObject};
  }
}

// By the threads they are about.
void Lowering::name_thread_cells(Program& program) const {
  Object& memory = program.objects[memory_object_.index()];
  for (const auto& [number, thread] : started_) {
    const std::string& name = program.thread(thread).name;
    const auto put = [&](Value address, const char* what) {
      memory.cell_names[static_cast<uint32_t>(address)] = fmt::format("{}.{}", name, what);
    };
    put(start_cell(number), "started");
    put(done_cell(number), "ended");
    put(argument_cell(number), "argument");
    if (const auto result = result_cell(number)) put(*result, "result");
    for (const Value address : {start_cell(number), done_cell(number)})
      program.thread_cells[CellId(memory.first_cell.index() + static_cast<size_t>(address))] = thread;
  }
}

// ---- Positions ----

uint16_t Lowering::file(const std::string& name) {
  if (const auto found = files_.find(name); found != files_.end()) return found->second;
  // Clang may name the main file relative to the current folder although it was given by its whole path.
  if (same_path(name, source_.name)) return files_[name] = 0;
  SourceFile file{name, ""};
  try {
    file = read_source_file(name);
  } catch (const NoSuchFile&) {
  }
  return files_[name] = builder_.include(std::move(file));
}

SourcePos Lowering::position(const llvm::DILocation* location) {
  if (location == nullptr || location->getLine() == 0) return {};
  return {location->getLine(), std::max(1U, location->getColumn()), file(Unit::file_of(*location))};
}

SourcePos Lowering::position(const llvm::Instruction& instruction) {
  return position(Unit::location_of(instruction));
}

SourcePos Lowering::written_at(const llvm::Instruction& instruction) {
  return position(instruction.getDebugLoc().get());
}

// ---- Variables ----

// Of type information and of streams of the C++ library only the address counts, unless something looks inside.
bool Lowering::is_address_only(const llvm::GlobalVariable& variable) const {
  const llvm::StringRef name = variable.getName();
  const bool is_type =
      name.starts_with("_ZTI") || name.starts_with("_ZTS") || name.starts_with("_ZTVN10__cxxabiv1");
  const bool is_stream = !variable.hasInitializer() && name.starts_with("_ZSt");
  return (is_type || is_stream) && points_to_->accesses(variable).empty();
}

Value Lowering::global(const llvm::GlobalVariable& variable, const llvm::Instruction& user) {
  if (const auto found = globals_.find(&variable); found != globals_.end()) return found->second;
  if (variable.isThreadLocal())
    unit_.reject(user, fmt::format("the address of the thread-local variable '{}' as a constant",
                                   variable.getName().str()));
  return globals_[&variable] = place(variable, variable_name(variable), user);
}

Value Lowering::thread_local_copy(const llvm::GlobalVariable& variable, ThreadId thread,
                                  const llvm::Instruction& user) {
  const auto [found, added] = thread_locals_.try_emplace({&variable, thread}, 0);
  if (added) found->second = place(variable, current_thread_ + "." + variable_name(variable), user);
  return found->second;
}

// Its memory, with what it holds at first. The initialiser may have the variable's own address in it.
Value Lowering::place(const llvm::GlobalVariable& variable, const std::string& name,
                      const llvm::Instruction& user) {
  if (is_address_only(variable)) return memory_.allocate(name, kAddressOnly, 8, {}, 0);
  if (!variable.hasInitializer())
    unit_.reject(user, fmt::format("the variable '{}', which is defined somewhere else", name));
  llvm::Type& type = *variable.getValueType();
  const uint64_t size = unit_.layout().getTypeAllocSize(&type);
  const uint64_t alignment = variable.getAlign().valueOrOne().value();
  if (!memory_.has_room(size, alignment))
    unit_.reject(variable, fmt::format("'{}' is too large: all variables together have {} bytes at most",
                                       name, kMostBytes));
  std::vector<Leaf> leaves;
  if (!memory_.leaves(type, 0, leaves)) unit_.reject(user, fmt::format("'{}': {}", name, words_for(type)));
  leaves = cells_->fitted(variable, size, leaves);
  name_cells(unit_.object_types().type_of(variable), size, leaves);
  const Value address = memory_.allocate(name, size, alignment, leaves, 0);
  if (!variable.isThreadLocal()) globals_[&variable] = address;
  // Addresses in it place other objects.
  std::vector<uint8_t> bytes(size);
  add_bytes(*variable.getInitializer(), type, 0, bytes, user);
  for (const Leaf& leaf : leaves) {
    llvm::APInt value(8 * leaf.bytes, 0);
    for (unsigned i = 0; i < leaf.bytes; ++i) value.insertBits(bytes[leaf.offset + i], 8 * i, 8);
    memory_.set(address + static_cast<Value>(leaf.offset), value.getSExtValue());
  }
  return address;
}

// The bytes of an initial value, in the order in which they lie in memory.
void Lowering::add_bytes(const llvm::Constant& value, llvm::Type& type, size_t at,
                         std::vector<uint8_t>& bytes, const llvm::Instruction& user) {
  if (value.isNullValue() || llvm::isa<llvm::UndefValue>(value)) return;
  const auto put = [&](const llvm::APInt& number) {
    for (unsigned i = 0; 8 * i < number.getBitWidth(); ++i)
      bytes[at + i] = static_cast<uint8_t>(
          number.extractBitsAsZExtValue(std::min(8U, number.getBitWidth() - 8 * i), 8 * i));
  };
  if (auto* structure = llvm::dyn_cast<llvm::StructType>(&type)) {
    const llvm::StructLayout& layout = *unit_.layout().getStructLayout(structure);
    for (unsigned i = 0; i < structure->getNumElements(); ++i)
      add_bytes(*value.getAggregateElement(i), *structure->getElementType(i),
                at + layout.getElementOffset(i).getFixedValue(), bytes, user);
  } else if (auto* array = llvm::dyn_cast<llvm::ArrayType>(&type)) {
    const uint64_t stride = unit_.layout().getTypeAllocSize(array->getElementType());
    for (unsigned i = 0; i < array->getNumElements(); ++i)
      add_bytes(*value.getAggregateElement(i), *array->getElementType(), at + i * stride, bytes, user);
  } else if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(&value)) {
    put(number->getValue());
  } else if (const auto* real = llvm::dyn_cast<llvm::ConstantFP>(&value)) {
    put(real->getValueAPF().bitcastToAPInt());
  } else {
    put(llvm::APInt(static_cast<unsigned>(8 * unit_.layout().getTypeStoreSize(&type)),
                    static_cast<uint64_t>(constant(value, user)), true));
  }
}

}  // namespace fenceline::frontend::c
