// SPDX-License-Identifier: GPL-3.0-or-later
#include "env/errors.h"
#include "frontend/litmus/assembly.h"
namespace fenceline::litmus {
std::unique_ptr<Architecture> make_aarch64() { throw Unsupported("AArch64"); }
std::unique_ptr<Architecture> make_riscv() { throw Unsupported("RISCV"); }
std::unique_ptr<Architecture> make_ppc() { throw Unsupported("PPC"); }
}  // namespace fenceline::litmus
