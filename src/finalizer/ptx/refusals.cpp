// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/ptx/refusals.h"

#include <map>

#include <fmt/format.h>

#include <hsa/hsa_brig_opcodes.h>

#include "hsail/brig/event_trigger.h"

namespace heddle::finalizer::ptx {
namespace {

using brig::Offset;
using link::Reference;

template <typename Visit>
void for_each_entry(const link::Program& program, Reference executable, Visit visit) {
  const brig::Module& module = program.modules()[executable.module];
  const auto& directive = module.code_as<hsa_brig_directive_executable_t>(executable.offset);
  for (Offset at = directive.first_code_block_entry; at < directive.next_module_entry;
       at = module.next_code(at))
    visit(module, at);
}

/// Returns the kernels to be compiled, the indirect functions, and all that they call.
std::map<uint64_t, Reference> compiled(const CompileRequest& request) {
  std::map<uint64_t, Reference> found;
  const auto add = [&](Reference root) {
    for (const Reference reached : request.program.reachable(root, false))
      found.emplace(reached.key(), reached);
  };
  const auto& symbols = request.program.symbols();
  for (const KernelRequest& kernel : request.kernels) add(symbols[kernel.symbol].definition);
  for (const link::Symbol& symbol : symbols)
    if (symbol.kind == link::Symbol::Kind::indirect_function && symbol.defined) add(symbol.definition);
  return found;
}

void refuse_in(const link::Program& program, Reference executable, Diagnostics& diagnostics) {
  for_each_entry(program, executable, [&](const brig::Module& module, Offset at) {
    if (brig::is_event_trigger(module, at))
      diagnostics.error("FINALIZER-unsupported-event", Location::binary("hsa_code", at),
                        "this ISA has no profile events");
  });
}

void refuse_exceptions(const CompileRequest& request, Diagnostics& diagnostics) {
  for (const KernelRequest& kernel : request.kernels) {
    if (kernel.directives.enabled_exceptions() == 0) continue;
    const link::Symbol& symbol = request.program.symbols()[kernel.symbol];
    diagnostics.error("FINALIZER-unsupported-exceptions",
                      Location::binary("hsa_code", symbol.definition.offset),
                      fmt::format("this ISA detects no exceptions, and {} enables some", symbol.name));
  }
}

}  // namespace

void refuse_unsupported(const CompileRequest& request, Diagnostics& diagnostics) {
  if (request.program.options().machine_model == HSA_BRIG_MACHINE_MODEL_SMALL)
    diagnostics.error("FINALIZER-unsupported-model", {},
                      "this ISA has no small machine model: addresses of GPUs have 64 bits");
  refuse_exceptions(request, diagnostics);
  for (const auto& [key, executable] : compiled(request)) refuse_in(request.program, executable, diagnostics);
}

bool allocates_private_memory(const link::Program& program, Reference kernel) {
  bool found = false;
  for (const Reference executable : program.reachable(kernel, false))
    for_each_entry(program, executable, [&](const brig::Module& module, Offset at) {
      found = found || (module.is_instruction(at) &&
                        module.code_as<hsa_brig_inst_base_t>(at).opcode == HSA_BRIG_OPCODE_ALLOCA);
    });
  return found;
}

}  // namespace heddle::finalizer::ptx
