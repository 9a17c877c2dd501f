// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/interpreter/target.h"

#include <array>

#include <fmt/format.h>

#include "finalizer/lockstep.h"
#include "finalizer/unsupported.h"
#include "interpreter/interpreter.h"

namespace heddle::finalizer {
namespace {

/// Reports kernels and functions that ask for waves of another length than the ISA has.
void check_lockstep(const CompileRequest& request, Diagnostics& diagnostics) {
  if (request.isa.wavefront_size == lockstep_lanes) return;
  for (const link::Symbol& symbol : request.program.symbols()) {
    const bool is_executed =
        symbol.kind == link::Symbol::Kind::kernel || symbol.kind == link::Symbol::Kind::indirect_function;
    if (!is_executed || !symbol.defined) continue;
    if (const auto pragma = find_lockstep_pragma(request.program, symbol.definition))
      report_no_lockstep(*pragma, symbol.name,
                         fmt::format("waves of {} have {}", request.isa.name, request.isa.wavefront_size),
                         diagnostics);
  }
}

class InterpreterTarget final : public Target {
 public:
  std::span<const Isa> isas() const override { return isas_; }

  void compile(const CompileRequest& request, codeobject::CodeObject& object,
               Diagnostics& diagnostics) const override {
    const link::Program& program = request.program;
    check_lockstep(request, diagnostics);
    const auto decoded = interpreter::DecodedProgram::prepare(program);
    for (const KernelRequest& kernel : request.kernels)
      object.kernels[request.symbols[kernel.symbol]].private_size =
          decoded->kernel(kernel.symbol)->private_size;
    for (const interpreter::Unsupported& found : interpreter::unsupported(*decoded))
      report_unsupported(program.modules()[found.executable.module], found.executable.offset,
                         found.instruction, {}, diagnostics);
    for (const brig::Module& module : program.modules())
      object.brig.emplace_back(module.bytes().begin(), module.bytes().end());
  }

 private:
  const std::array<Isa, 9> isas_ = {{{"heddle:hsail:w1", 1, this},
                                     {"heddle:hsail:w2", 2, this},
                                     {"heddle:hsail:w4", 4, this},
                                     {"heddle:hsail:w8", 8, this},
                                     {"heddle:hsail:w16", 16, this},
                                     {"heddle:hsail:w32", 32, this},
                                     {"heddle:hsail:w64", 64, this},
                                     {"heddle:hsail:w128", 128, this},
                                     {"heddle:hsail:w256", 256, this}}};
};

}  // namespace

const Target& interpreter_target() {
  static const InterpreterTarget target;
  return target;
}

}  // namespace heddle::finalizer
