// SPDX-License-Identifier: GPL-3.0-or-later
//
// Whole programs in the style of users, one per area: what they assert holds in native execution, and the threads of each
// may take turns in any order.
#include <gtest/gtest.h>

#include <string>

#include "c_testing.h"

namespace fenceline::testing {
namespace {

void expect_fine(const std::string& text, const std::string& name = "test.c") {
  const CRun run = run_c(text, name);
  EXPECT_EQ(run.error, "");
  EXPECT_TRUE(run.all_ended);
}

TEST(CConstructs, StructuresListsAndTables) {
  expect_fine(R"(
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#define container_of(p, t, m) ((t*)((char*)(p) - offsetof(t, m)))
struct list { struct list *next, *prev; };
struct item { int v; struct list l; union { struct { uint8_t x, y; } s; uint16_t xy; }; };
struct list head = {&head, &head};
void add(struct list* h, struct list* n) { n->next = h->next; n->prev = h; h->next->prev = n; h->next = n; }
struct dev; struct ops { int (*open)(struct dev*), (*close)(struct dev*); };
struct dev { const struct ops* ops; int state; };
int opened(struct dev* d) { return ++d->state; }
int closed(struct dev* d) { return --d->state; }
const struct ops operations = {.close = closed, .open = opened};
struct big { long v[5]; int t; };
struct big make(int n) { struct big b; for (int i = 0; i < 5; ++i) b.v[i] = n + i; b.t = n; return b; }
long sum(struct big b) { long s = b.t; for (int i = 0; i < 5; ++i) s += b.v[i]; b.t = 0; return s; }
volatile int two = 2;
int main(void) {
  struct item a = {.v = 1}, b = {.v = 2}; add(&head, &a.l); add(&head, &b.l);
  int s = 0; for (struct list* p = head.next; p != &head; p = p->next) s = s * 10 + container_of(p, struct item, l)->v;
  assert(s == 21); a.s.x = 0x34; a.s.y = 0x12; assert(a.xy == 0x1234);
  struct dev d = {&operations, 4}; assert(d.ops->open(&d) == 5 && d.ops->close(&d) == 4);
  struct big g = make(two); assert(sum(g) == 22 && g.t == 2);
  struct { int a[3]; } x = {{1, 2, 3}}, y = x; y.a[two] = 9; assert(x.a[2] == 3 && y.a[2] == 9);
  int m[3][4] = {{1, 2}, {3}}; int (*row)[4] = m + two - 1; assert((*row)[0] == 3 && row[-1][1] == 2);
  int* p = (int[]){4, 5, 6}; assert(p[two] == 6); int w = ({ int q = two; q * 2; }); assert(w == 4);
  int arr[2][2] = {[1] = {[0] = 3}}; assert(arr[1][0] == 3 && arr[0][1] == 0);
  assert((two > 1 ? &a : &b)->v == 1); assert(&x.a[2] - &x.a[0] == 2);
  struct { unsigned a : 1, b : 2, : 0, c : 31; long long d : 40; _Bool f : 1; } bits = {1, 2, 3, -4, 1};
  bits.d -= 100; bits.c += 5; bits.f = 4; assert(bits.d == -104 && bits.c == 8 && bits.f == 1 && bits.b == 2);
})");
}

TEST(CConstructs, Posix) {
  expect_fine(R"(
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c; int ready, inits;
pthread_rwlock_t rw; pthread_spinlock_t sp; pthread_barrier_t bar;
pthread_once_t once = PTHREAD_ONCE_INIT; pthread_key_t key; sem_t sem;
void init(void) { ++inits; }
void* waiter(void* p) {
  pthread_mutex_lock(&m); while (!ready) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m);
  pthread_once(&once, init); pthread_setspecific(key, p); assert(pthread_getspecific(key) == p);
  sem_wait(&sem); pthread_barrier_wait(&bar); return (void*)((intptr_t)p + 1);
}
int main(void) {
  pthread_t t; void* r; int v;
  pthread_condattr_t ca; pthread_condattr_init(&ca); pthread_condattr_setpshared(&ca, PTHREAD_PROCESS_SHARED);
  pthread_cond_init(&c, &ca); pthread_condattr_destroy(&ca);
  pthread_rwlockattr_t ra; pthread_rwlockattr_init(&ra); pthread_rwlockattr_setpshared(&ra, PTHREAD_PROCESS_SHARED);
  pthread_rwlock_init(&rw, &ra); pthread_rwlockattr_destroy(&ra);
  pthread_barrierattr_t ba; pthread_barrierattr_init(&ba); pthread_barrierattr_setpshared(&ba, PTHREAD_PROCESS_SHARED);
  pthread_barrier_init(&bar, &ba, 2); pthread_barrierattr_destroy(&ba);
  pthread_key_create(&key, 0); assert(sem_init(&sem, 0, 0) == 0); pthread_spin_init(&sp, 0);
  pthread_attr_t at; pthread_attr_init(&at); pthread_attr_setstacksize(&at, 65536);
  assert(pthread_create(&t, &at, waiter, (void*)5) == 0); pthread_attr_destroy(&at);
  pthread_mutex_lock(&m); ready = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m);
  pthread_once(&once, init); sem_post(&sem); pthread_barrier_wait(&bar);
  assert(pthread_join(t, &r) == 0 && r == (void*)6 && inits == 1 && pthread_getspecific(key) == 0);
  assert(!pthread_rwlock_rdlock(&rw) && !pthread_rwlock_tryrdlock(&rw) && pthread_rwlock_trywrlock(&rw) == EBUSY);
  pthread_rwlock_unlock(&rw); pthread_rwlock_unlock(&rw); assert(!pthread_rwlock_wrlock(&rw));
  assert(pthread_rwlock_tryrdlock(&rw) == EBUSY); pthread_rwlock_unlock(&rw); pthread_rwlock_destroy(&rw);
  pthread_spin_lock(&sp); assert(pthread_spin_trylock(&sp) == EBUSY); pthread_spin_unlock(&sp);
  assert(pthread_mutex_trylock(&m) == 0 && pthread_mutex_trylock(&m) == EBUSY); pthread_mutex_unlock(&m);
  sem_getvalue(&sem, &v); assert(v == 0 && sem_trywait(&sem) == -1 && errno == EAGAIN);
  assert(pthread_equal(pthread_self(), pthread_self()) && !pthread_equal(pthread_self(), t));
  pthread_mutexattr_t ma; pthread_mutexattr_init(&ma); pthread_mutexattr_setpshared(&ma, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_settype(&ma, PTHREAD_MUTEX_ERRORCHECK); pthread_mutex_t em; pthread_mutex_init(&em, &ma);
  assert(pthread_mutex_lock(&em) == 0 && pthread_mutex_lock(&em) == EDEADLK); pthread_mutex_unlock(&em);
  assert(pthread_mutex_unlock(&em) == EPERM);
})");
}

TEST(CConstructs, C11Threads) {
  expect_fine(R"(
#include <assert.h>
#include <stdlib.h>
#include <threads.h>
mtx_t m; cnd_t c; tss_t key; once_flag flag = ONCE_FLAG_INIT; int n, ready; _Thread_local int own = 4;
void init(void) { ++n; }
void handler(void) { assert(n == 1); }
int work(void* p) {
  mtx_lock(&m); while (!ready) cnd_wait(&c, &m); mtx_unlock(&m);
  call_once(&flag, init); tss_set(key, p); assert(tss_get(key) == p); own = 5; return 17;
}
int main(void) {
  atexit(handler); assert(mtx_init(&m, mtx_plain) == thrd_success); cnd_init(&c); tss_create(&key, 0);
  thrd_t t; int r; assert(thrd_create(&t, work, &n) == thrd_success);
  mtx_lock(&m); ready = 1; cnd_broadcast(&c); mtx_unlock(&m);
  thrd_join(t, &r); call_once(&flag, init); assert(r == 17 && n == 1 && own == 4);
  assert(mtx_trylock(&m) == thrd_success && mtx_trylock(&m) == thrd_busy); mtx_unlock(&m); exit(0);
})");
}

TEST(CConstructs, SynchronisationOfCpp) {
  expect_fine(R"(
#include <atomic>
#include <barrier>
#include <cassert>
#include <condition_variable>
#include <latch>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <stop_token>
#include <thread>
std::barrier both(2); std::latch last(2); std::counting_semaphore<> items(0); std::binary_semaphore one(1);
std::mutex m, n; std::condition_variable cv; std::shared_mutex shared; std::once_flag flag;
bool ready; int plain, called; std::atomic<int> ended; thread_local int own = 7;
int main() {
  std::jthread t([](std::stop_token stop) {
    own = 8; both.arrive_and_wait(); plain = 5; items.release();
    { std::unique_lock<std::mutex> l(m); cv.wait(l, [] { return ready; }); }
    last.arrive_and_wait(); while (!stop.stop_requested()) ended.load(); ended = 9; });
  both.arrive_and_wait(); items.acquire(); assert(plain == 5 && own == 7);
  { std::scoped_lock l(m, n); ready = true; } cv.notify_all();
  last.arrive_and_wait(); t.request_stop(); t.join(); assert(ended == 9);
  for (int i = 0; i < 2; ++i) std::call_once(flag, [] { ++called; });
  assert(called == 1 && one.try_acquire() && !one.try_acquire());
  { std::shared_lock<std::shared_mutex> l(shared); assert(!shared.try_lock() && shared.try_lock_shared()); }
  shared.unlock_shared(); { std::unique_lock<std::shared_mutex> l(shared); assert(!shared.try_lock_shared()); }
})",
              "test.cpp");
}

TEST(CConstructs, AtomicsOfCpp) {
  expect_fine(R"(
#include <atomic>
#include <cassert>
struct P { int a; short b, c; bool operator==(const P&) const = default; };
struct Q { long a, b; };
std::atomic<P> p{P{1, 2, 3}}; alignas(16) std::atomic<Q> q{};
std::atomic<bool> flag; std::atomic<char> letter{'a'}; std::atomic<short> small{-1}; std::atomic<unsigned char> byte{255};
std::atomic<int*> pointer; int numbers[4] = {1, 2, 3, 4}; enum class E : unsigned char { A, B, C }; std::atomic<E> e{E::A};
int main() {
  P x{1, 2, 3}; assert(p.compare_exchange_strong(x, P{4, 5, 6}) && p.load() == (P{4, 5, 6}));
  x = P{0, 0, 0}; assert(!p.compare_exchange_strong(x, P{7, 8, 9}) && x.b == 5);
  Q y{0, 0}; assert(q.compare_exchange_strong(y, Q{1, 2}) && q.load().b == 2);
  assert(!flag.exchange(true) && flag); assert(letter++ == 'a' && letter == 'b');
  assert(small.fetch_add(1) == -1 && small == 0 && ++byte == 0);
  pointer = numbers; assert(*pointer.fetch_add(2) == 1 && *pointer == 3 && *--pointer == 2); pointer += 2;
  assert(*pointer.load() == 4); E a = E::A; assert(e.compare_exchange_strong(a, E::C) && e.load() == E::C);
  std::atomic_ref<int> r(numbers[1]); r.fetch_or(8); assert(numbers[1] == 10 && r.fetch_sub(3) == 10);
  std::atomic_flag f = ATOMIC_FLAG_INIT; assert(!f.test_and_set() && f.test()); f.clear(); assert(!f.test());
})",
              "test.cpp");
}

TEST(CConstructs, ClassesAndContainers) {
  expect_fine(R"(
#include <algorithm>
#include <array>
#include <cassert>
#include <functional>
#include <list>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>
struct Base { virtual ~Base() = default; virtual int f() const = 0; };
struct A : Base { int f() const override { return 10; } };
struct B : Base { int x; B(int x) : x(x) {} int f() const override { return x; } };
struct V { int v = 1; }; struct L : virtual V {}; struct R : virtual V {}; struct D : L, R {};
int live; struct C { C() { ++live; } C(const C&) { ++live; } ~C() { --live; } };
int main() {
  std::unique_ptr<Base> p = std::make_unique<B>(7), q = std::make_unique<A>(); assert(p->f() + q->f() == 17);
  std::swap(p, q); assert(p->f() == 10); std::shared_ptr<int> s = std::make_shared<int>(3);
  { auto t = s; assert(s.use_count() == 2); } std::weak_ptr<int> w = s; s.reset(); assert(w.expired() && !w.lock());
  std::vector<int> v(3, 5); v[1] = 2; int sum = 0; for (int x : v) sum += x; assert(sum == 12);
  std::optional<int> o; o = 4; assert(*o == 4); o.reset(); assert(o.value_or(9) == 9);
  std::function<int(int)> f = [&](int x) { return x + sum; }; assert(f(1) == 13);
  { C c; C d = c; std::optional<C> e(c); assert(live == 3); } assert(live == 0);
  D d; d.L::v = 5; assert(d.R::v == 5); std::tuple<int, char, long> t{1, 'x', 3}; assert(std::get<2>(t) == 3);
  std::variant<int, char> u = 'c'; assert(std::get<char>(u) == 'c'); u = 3; assert(std::get<0>(u) == 3);
  std::array<int, 4> a{4, 2, 3, 1}; assert(std::accumulate(a.begin(), a.end(), 0) == 10);
  assert(*std::max_element(a.begin(), a.end()) == 4); std::string_view view = "hello"; assert(view.substr(1, 2) == "el");
  std::string text = "abc"; text += 'd'; assert(text.size() == 4 && text == "abcd");
  std::list<int> l; l.push_back(1); l.push_front(0); assert(l.size() == 2 && l.front() == 0);
})",
              "test.cpp");
}

}  // namespace
}  // namespace fenceline::testing
