// SPDX-License-Identifier: GPL-3.0-or-later
//
// The part of the C++ library that is not in its headers, as far as programs here need it: it is compiled beside
// the program, and of each function that the program calls and does not have, the one from here is taken. Threads,
// mutexes and condition variables are those of POSIX.
#include <bits/functexcept.h>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <list>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <typeinfo>

extern "C" {
int fl_mutex_lock(int*);
int fl_mutex_unlock(int*);
long fl_nondet(long, long);
void fl_atomic_begin();
void fl_atomic_end();
void fl_wait(int);
int fl_begin_once(int*);
void fl_end_once(int*);
void fl_abort_once(int*);

// The variable of a function that is initialised when control first comes there. The first byte of the guard says
// that it is; the compiler reads it with acquire, and calls these only if it is 0. The second half is a mutex.
int __cxa_guard_acquire(char* guard) {
  int* mutex = reinterpret_cast<int*>(guard) + 1;
  fl_mutex_lock(mutex);
  if (__atomic_load_n(guard, __ATOMIC_RELAXED) == 0) return 1;
  fl_mutex_unlock(mutex);
  return 0;
}
void __cxa_guard_release(char* guard) {
  __atomic_store_n(guard, 1, __ATOMIC_RELEASE);
  fl_mutex_unlock(reinterpret_cast<int*>(guard) + 1);
}
void __cxa_guard_abort(char* guard) { fl_mutex_unlock(reinterpret_cast<int*>(guard) + 1); }

// What std::call_once becomes. If the function throws, another call of std::call_once calls its own.
int fl_call_once(int* state, void (*function)(void*), void* argument) {
  if (!fl_begin_once(state)) return 0;
  struct Attempt {
    int* state;
    bool ended = false;
    ~Attempt() { ended ? fl_end_once(state) : fl_abort_once(state); }
  } attempt{state};
  function(argument);
  attempt.ended = true;
  return 0;
}

// The process always counts as one with several threads.
char __libc_single_threaded = 0;

// What a std::thread executes.
void* fl_std_thread(void* state) {
  std::thread::_State_ptr owned{static_cast<std::thread::_State*>(state)};
  owned->_M_run();
  return nullptr;
}
}

namespace std {

// ---- Threads ----

thread::_State::~_State() = default;

void thread::_M_start_thread(_State_ptr state, void (*)()) {
  pthread_create(&_M_id._M_thread, nullptr, &fl_std_thread, state.release());
}

void thread::join() {
  if (!joinable()) __throw_system_error(22);
  pthread_join(_M_id._M_thread, nullptr);
  _M_id = id();
}

void thread::detach() {
  if (!joinable()) __throw_system_error(22);
  pthread_detach(_M_id._M_thread);
  _M_id = id();
}

namespace this_thread {
void __sleep_for(chrono::seconds, chrono::nanoseconds) {}
}  // namespace this_thread

// Any time, as of clock_gettime(); there is room for a duration behind it.
namespace chrono {
inline namespace _V2 {
system_clock::time_point system_clock::now() noexcept {
  return time_point(duration(fl_nondet(0, 1L << 61)));
}
steady_clock::time_point steady_clock::now() noexcept {
  return time_point(duration(fl_nondet(0, 1L << 61)));
}
}  // namespace _V2
}  // namespace chrono

condition_variable::condition_variable() noexcept = default;
condition_variable::~condition_variable() noexcept = default;
void condition_variable::wait(unique_lock<mutex>& lock) { _M_cond.wait(*lock.mutex()); }
void condition_variable::notify_one() noexcept { _M_cond.notify_one(); }
void condition_variable::notify_all() noexcept { _M_cond.notify_all(); }

// Waiting until some time: the time that it ends at is not asked for, so it has passed if no signal came, and may have
// passed in any case.
extern "C" cv_status fl_wait_until(condition_variable* condition, unique_lock<mutex>* lock) {
  const bool has_signal =
      pthread_cond_timedwait(condition->native_handle(), lock->mutex()->native_handle(), nullptr) == 0;
  return has_signal && fl_nondet(0, 1) ? cv_status::no_timeout : cv_status::timeout;
}

// Any value: std::condition_variable_any asks, and does the same in both cases.
bool uncaught_exception() noexcept { return fl_nondet(0, 1) != 0; }

__thread void* __once_callable;
__thread void (*__once_call)();
extern "C" void __once_proxy() { __once_call(); }

// A wait with a timeout may end at any time: when it is scheduled, it has ended.
bool __atomic_futex_unsigned_base::_M_futex_wait_until(unsigned* address, unsigned value, bool has_timeout,
                                                       chrono::seconds, chrono::nanoseconds) {
  if (has_timeout) return __atomic_load_n(address, __ATOMIC_RELAXED) != value;
  fl_atomic_begin();
  const unsigned seen = __atomic_load_n(address, __ATOMIC_RELAXED);
  fl_wait(seen != value);
  fl_atomic_end();
  return true;
}
bool __atomic_futex_unsigned_base::_M_futex_wait_until_steady(unsigned* address, unsigned value, bool has_timeout,
                                                              chrono::seconds seconds,
                                                              chrono::nanoseconds nanoseconds) {
  return _M_futex_wait_until(address, value, has_timeout, seconds, nanoseconds);
}
void __atomic_futex_unsigned_base::_M_futex_notify_all(unsigned*) {}

__future_base::_Result_base::_Result_base() = default;
__future_base::_Result_base::~_Result_base() = default;

// A promise that is destroyed without a value leaves an exception, the only one that a future ever holds here:
// std::current_exception() and std::make_exception_ptr() are rejected. This is _State_baseV2::_M_break_promise().
using FutureState = __future_base::_State_baseV2;
using FutureResult = __future_base::_Ptr<__future_base::_Result_base>;
template <auto kResult, auto kStatus>
struct MakeReady {  // private members may be named in an explicit instantiation
  friend void fl_make_ready(FutureState& state, FutureResult& result) {
    (state.*kResult).swap(result);
    (state.*kStatus)._M_store_notify_all(1, memory_order_release);
  }
};
void fl_make_ready(FutureState&, FutureResult&);
template struct MakeReady<&FutureState::_M_result, &FutureState::_M_status>;
char fl_broken_promise;
extern "C" void fl_break_promise(FutureState* state, FutureResult* result) __asm__(
    "_ZNSt13__future_base13_State_baseV216_M_break_promiseESt10unique_ptrINS_12_Result_baseENS2_8_DeleterEE");
void fl_break_promise(FutureState* state, FutureResult* result) {
  if (!*result) return;
  reinterpret_cast<void*&>((*result)->_M_error) = &fl_broken_promise;
  fl_make_ready(*state, *result);
}
void rethrow_exception(exception_ptr) { __throw_future_error(static_cast<int>(future_errc::broken_promise)); }

error_category::~error_category() = default;
error_condition error_category::default_error_condition(int code) const noexcept { return {code, *this}; }
bool error_category::equivalent(int code, const error_condition& condition) const noexcept {
  return default_error_condition(code) == condition;
}
bool error_category::equivalent(const error_code& code, int condition) const noexcept {
  return *this == code.category() && code.value() == condition;
}
__cow_string error_category::_M_message(int) const { return {}; }
struct FutureCategory final : error_category {
  const char* name() const noexcept override { return "future"; }
  string message(int) const override { return "future"; }
};
[[clang::no_destroy]] constinit const FutureCategory fl_future_category;
const error_category& future_category() noexcept { return fl_future_category; }
future_error::~future_error() noexcept {}
const char* future_error::what() const noexcept { return logic_error::what(); }
void __throw_future_error(int code) { throw future_error(static_cast<future_errc>(code)); }

// ---- Exceptions ----

namespace __exception_ptr {
void exception_ptr::_M_addref() noexcept {}
void exception_ptr::_M_release() noexcept {}
}  // namespace __exception_ptr

exception::~exception() noexcept {}
const char* exception::what() const noexcept { return "std::exception"; }
bad_exception::~bad_exception() noexcept {}
const char* bad_exception::what() const noexcept { return "std::bad_exception"; }
bad_alloc::~bad_alloc() noexcept {}
const char* bad_alloc::what() const noexcept { return "std::bad_alloc"; }
bad_array_new_length::~bad_array_new_length() noexcept {}
const char* bad_array_new_length::what() const noexcept { return "std::bad_array_new_length"; }
bad_cast::~bad_cast() noexcept {}
const char* bad_cast::what() const noexcept { return "std::bad_cast"; }
bad_typeid::~bad_typeid() noexcept {}
const char* bad_typeid::what() const noexcept { return "std::bad_typeid"; }
bad_function_call::~bad_function_call() noexcept {}
const char* bad_function_call::what() const noexcept { return "bad_function_call"; }

// The text of an exception is the literal that it is made with.
__cow_string::__cow_string() : _M_p("") {}
__cow_string::__cow_string(const __cow_string& other) noexcept : _M_p(other._M_p) {}
__cow_string::__cow_string(__cow_string&& other) noexcept : _M_p(other._M_p) {}
__cow_string& __cow_string::operator=(const __cow_string& other) noexcept {
  _M_p = other._M_p;
  return *this;
}
__cow_string& __cow_string::operator=(__cow_string&& other) noexcept {
  _M_p = other._M_p;
  return *this;
}
__cow_string::~__cow_string() {}

#define FL_TEXT_OF_EXCEPTION(type)                                             \
  type::type(const char* text) { _M_msg._M_p = text; }                         \
  type::type(const type& other) noexcept : _M_msg(other._M_msg) {}             \
  type::type(type&& other) noexcept : _M_msg(other._M_msg) {}                  \
  type& type::operator=(const type& other) noexcept {                          \
    _M_msg = other._M_msg;                                                     \
    return *this;                                                              \
  }                                                                            \
  type& type::operator=(type&& other) noexcept { return *this = other; }       \
  type::~type() noexcept {}                                                    \
  const char* type::what() const noexcept { return _M_msg._M_p; }
FL_TEXT_OF_EXCEPTION(logic_error)
FL_TEXT_OF_EXCEPTION(runtime_error)

#define FL_EXCEPTION(type, base)                   \
  type::type(const char* text) : base(text) {}     \
  type::~type() noexcept {}
FL_EXCEPTION(domain_error, logic_error)
FL_EXCEPTION(invalid_argument, logic_error)
FL_EXCEPTION(length_error, logic_error)
FL_EXCEPTION(out_of_range, logic_error)
FL_EXCEPTION(range_error, runtime_error)
FL_EXCEPTION(overflow_error, runtime_error)
FL_EXCEPTION(underflow_error, runtime_error)

void __throw_bad_exception() { throw bad_exception(); }
void __throw_bad_alloc() { throw bad_alloc(); }
void __throw_bad_array_new_length() { throw bad_array_new_length(); }
void __throw_bad_cast() { throw bad_cast(); }
void __throw_bad_typeid() { throw bad_typeid(); }
void __throw_bad_function_call() { throw bad_function_call(); }
void __throw_logic_error(const char* text) { throw logic_error(text); }
void __throw_domain_error(const char* text) { throw domain_error(text); }
void __throw_invalid_argument(const char* text) { throw invalid_argument(text); }
void __throw_length_error(const char* text) { throw length_error(text); }
void __throw_out_of_range(const char* text) { throw out_of_range(text); }
void __throw_runtime_error(const char* text) { throw runtime_error(text); }
void __throw_range_error(const char* text) { throw range_error(text); }
void __throw_overflow_error(const char* text) { throw overflow_error(text); }
void __throw_underflow_error(const char* text) { throw underflow_error(text); }

// ---- Containers ----

// Headers declare these as instantiated elsewhere.
template class allocator<char>;
template class basic_string<char>;

namespace __detail {
void _List_node_base::_M_hook(_List_node_base* position) noexcept {
  _M_next = position;
  _M_prev = position->_M_prev;
  position->_M_prev->_M_next = this;
  position->_M_prev = this;
}
void _List_node_base::_M_unhook() noexcept {
  _M_prev->_M_next = _M_next;
  _M_next->_M_prev = _M_prev;
}
}  // namespace __detail

// ---- Hashes ----

// Programs rely on nothing but equal results for equal bytes. Words are read as such: what is hashed is mostly one.
size_t _Hash_bytes(const void* data, size_t length, size_t seed) {
  constexpr size_t factor = 1099511628211u;
  const char* at = static_cast<const char*>(data);
  size_t hash = seed;
  for (; length >= sizeof(size_t); length -= sizeof(size_t), at += sizeof(size_t)) {
    size_t word;
    __builtin_memcpy(&word, at, sizeof(size_t));
    hash = (hash ^ word) * factor;
    hash ^= hash >> 32;
  }
  for (; length != 0; --length) hash = (hash ^ static_cast<unsigned char>(*at++)) * factor;
  return hash;
}

}  // namespace std
