// SPDX-License-Identifier: GPL-3.0-or-later
//
// A driver for the parser fuzzers beside it that needs no special compiler: it reads the seed texts given as
// files, cuts, repeats and splices their tokens and bytes, and feeds the results to the fuzzer's function.
// The same seed always makes the same texts. The text that crashes is written to KEPT.
//
//   mutate_fl COUNT SEED KEPT FILE...
//   mutate_litmus COUNT SEED KEPT FILE...
//   mutate_suite COUNT SEED KEPT FILE...
//   mutate_cat COUNT SEED KEPT FILE...
//   mutate_table COUNT SEED KEPT FILE...
//   mutate_compile_commands COUNT SEED KEPT FILE...
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/rng.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

using fenceline::Rng;

const char* const kWords[] = {
    "shared ", "local ", "const ", "int ", "thread ", "procedure ", "property ", " in ", "if ", "else ",
    "while ", "do ", "goto ", "skip;", "fence;", "fence(", "store-load", "sfence;", "lfence;", "cas(",
    "xchg(", "fetch_add(", "atomic {", "await(", "assume(", "assert(", "havoc ", "choose {", "} or {",
    "break;", "continue;", "return ", "halt;", "never ", "always ", "finally ", "no deadlock", "true",
    "false", "transaction", "read", "@", ".", "..", "=", "==", "&&", "||", "!", "~", "?", ":", "<<", ">>",
    "/", "%", "-", "+", "*", "(", ")", "[", "]", "{", "}", ";", ",", "0", "1", "2", "9223372036854775807",
    "65536", "x", "r", "P", "p", "i", "l: ", "x = 1;", "int r = x;", "/*", "*/", "//", "\n", "transactional ",
    "stamp ", "struct { ", "index ", "write(", "end {", "end();", "abort {", "abort;", "abort();", "rfin;",
    "commit;", "rollback g[0] = ", "client { ", "self", "threads", "variables", "07: ", "opacity;",
    "strict serializability;", "clk", "lclock", "g[v]", "rec[u].tid", ".old", "const ",
    // of litmus tests
    "exists ", "~exists ", "forall ", "locations [", "/\\", "\\/", "=>", "not ", "P0", "P1 | ", "|",
    "0:", "1:", "EAX", "%rax", "X1", "x5", "r1", "[x]", "(x)", "$1", "#1", "MOV ", "LOCK ", "XCHG ",
    "CMPXCHG ", "L0:", "JNE L0", "LDR W0,[X1]", "CAS W0,W1,[X2]", "amoadd.w x5,x6,(x7)", "lwzx r3,r4,r2",
    "xor r3,r3,r3", "(* ", " *)", "int* y", "atomic_load(", "atomic_compare_exchange_strong(x, &r0, 1)",
    "memory_order_acquire", "READ_ONCE(*x)", "&&",
    // of .tests files
    "implementation \"", "reference \"", "define ", "init ", "operation ", "test ", "in {", "out ", "'", "e",
    "d", "\"", "\\", "#",
    // of .table files
    "load ", "store ", "rmw ", "keep ", "forward ", "swap ", "branches ", "wait", "guess",
    // of compile_commands.json
    "\"file\": ", "\"directory\": ", "\"command\": ", "\"arguments\": ", "null", "-1.5e300", "\\u0000",
    "\\ud800", "-Wp,", "-Xclang", "-include", "@file", "--target=", "-m32", "-fplugin=x.so"};

std::string piece(Rng& rng, const std::string& text) {
  if (text.empty()) return {};
  const size_t begin = rng.below(text.size());
  return text.substr(begin, rng.below(60));
}

std::string text_in_hand;
const char* kept = nullptr;

// Only what is allowed in a signal handler.
void keep_text(int signal) {
  const int file = open(kept, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file >= 0 && write(file, text_in_hand.data(), text_in_hand.size()) < 0) _exit(3);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void mutate(Rng& rng, std::string& text, const std::vector<std::string>& seeds) {
  const size_t at = rng.below(text.size() + 1);
  switch (rng.below(7)) {
    case 0:
      text.erase(at, rng.below(20));
      return;
    case 1:
      text.insert(at, kWords[rng.below(std::size(kWords))]);
      return;
    case 2:
      text.insert(at, piece(rng, seeds[rng.below(seeds.size())]));
      return;
    case 3:
      text.insert(at, piece(rng, text));
      return;
    case 4: {
      const std::string part = piece(rng, text);
      for (uint64_t i = rng.below(300); i > 0; --i) text.insert(at, part);
      return;
    }
    case 5:
      text.replace(at, rng.below(8), kWords[rng.below(std::size(kWords))]);
      return;
    default:
      if (at < text.size()) text[at] = static_cast<char>(rng.next());
      return;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fprintf(stderr, "usage: %s COUNT SEED KEPT FILE...\n", argv[0]);
    return 64;
  }
  std::vector<std::string> seeds;
  for (int i = 4; i < argc; ++i) {
    std::ifstream in(argv[i], std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  kept = argv[3];
  std::signal(SIGSEGV, keep_text);
  std::signal(SIGABRT, keep_text);
  Rng rng(std::strtoull(argv[2], nullptr, 10));
  const uint64_t count = std::strtoull(argv[1], nullptr, 10);
  for (uint64_t run = 0; run < count; ++run) {
    text_in_hand = seeds[rng.below(seeds.size())];
    for (uint64_t i = 1 + rng.below(6); i > 0; --i) mutate(rng, text_in_hand, seeds);
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(text_in_hand.data()), text_in_hand.size());
  }
  std::printf("%llu texts\n", static_cast<unsigned long long>(count));
}
