// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cassert>
#include <memory>
#include <vector>

#include "hsail/link/pragma.h"
#include "interpreter/handles.h"
#include "interpreter/op.h"
#include "support/align.h"

namespace heddle::interpreter {
namespace {

bool has_code(const link::Symbol& symbol) {
  return symbol.defined &&
         (symbol.kind == link::Symbol::Kind::kernel || symbol.kind == link::Symbol::Kind::function ||
          symbol.kind == link::Symbol::Kind::indirect_function);
}

/// Lays out private variables of module scope (an experimental feature, PRM 4.3.8). Each work-item has those
/// of the whole program.
void lay_out_module_private(const link::Program& program, Kernel& kernel) {
  uint64_t size = 0;
  for (size_t i = 0; i < program.symbols().size(); ++i) {
    const link::Symbol& symbol = program.symbols()[i];
    if (symbol.kind != link::Symbol::Kind::variable || !symbol.defined) continue;
    const brig::Module& module = program.modules()[symbol.definition.module];
    const auto& variable = module.code_as<hsa_brig_directive_variable_t>(symbol.definition.offset);
    if (variable.segment != HSA_BRIG_SEGMENT_PRIVATE) continue;
    const uint64_t align = link::variable_align(module, symbol.definition.offset);
    size = align_up(size, align);
    kernel.private_offsets[i] = static_cast<uint32_t>(std::min<uint64_t>(size, UINT32_MAX));
    size += std::min<uint64_t>(link::variable_size(module, symbol.definition.offset), UINT32_MAX);
  }
  kernel.module_private_size = static_cast<uint32_t>(std::min<uint64_t>(size, UINT32_MAX));
}

/// The bytes of private memory for the frames of the kernel and the functions it calls, laid out as enter()
/// does it.
uint32_t private_size(const DecodedProgram& decoded, const Kernel& kernel) {
  const link::Program& program = decoded.program();
  const uint64_t size =
      program.private_size(kernel.definition, kernel.module_private_size, [&](link::Reference executable) {
        const Function& function = *decoded.parts().functions[program.symbol_of(executable)];
        return link::Frame{function.frame_size, function.frame_align};
      });
  return static_cast<uint32_t>(std::min<uint64_t>(size, UINT32_MAX));
}

std::unique_ptr<Kernel> make_kernel(const DecodedProgram& decoded, const link::Symbol& symbol,
                                    const Function& entry) {
  const link::Program& program = decoded.program();
  auto kernel = std::make_unique<Kernel>();
  kernel->program = &decoded;
  kernel->entry = &entry;
  kernel->name = symbol.name;
  kernel->definition = symbol.definition;
  kernel->group = program.group_layout(symbol.definition);
  kernel->kernarg = program.kernarg_layout(symbol.definition);
  kernel->early_return = link::find_pragma(program, symbol.definition, link::early_return_pragma).has_value();
  kernel->dynamic_call_stack = program.dynamic_call_stack(symbol.definition);
  kernel->group_offsets.resize(program.symbols().size());
  kernel->private_offsets.resize(program.symbols().size());
  for (const link::GroupLayout::Slot& slot : kernel->group.slots) {
    const int32_t symbol = program.symbol_of(slot.variable);
    assert(symbol >= 0 && "every group variable has a symbol");
    kernel->group_offsets[symbol] = slot.offset;
  }
  lay_out_module_private(program, *kernel);
  kernel->private_size = private_size(decoded, *kernel);
  return kernel;
}

}  // namespace

std::unique_ptr<DecodedProgram> DecodedProgram::prepare(std::shared_ptr<const link::Program> program,
                                                        uint32_t wave_size) {
  assert(is_wave_size(wave_size) && "handlers keep values of all lanes in arrays");
  std::unique_ptr<DecodedProgram> decoded(new DecodedProgram);
  decoded->wave_size_ = wave_size;
  decoded->program_ = std::move(program);
  decoded->parts_ = std::make_unique<Parts>();
  const std::vector<link::Symbol>& symbols = decoded->program_->symbols();
  Parts& parts = *decoded->parts_;
  decoded->addresses_.resize(symbols.size());
  parts.functions.resize(symbols.size());
  parts.kernels.resize(symbols.size());
  // All functions are created before any is decoded, because calls refer to them.
  for (size_t i = 0; i < symbols.size(); ++i) {
    if (!has_code(symbols[i])) continue;
    parts.functions[i] = std::make_unique<Function>();
    parts.functions[i]->program = decoded.get();
    parts.functions[i]->definition = symbols[i].definition;
  }
  for (const auto& function : parts.functions)
    if (function != nullptr) decode(*function, parts);
  for (size_t i = 0; i < symbols.size(); ++i) {
    if (parts.functions[i] == nullptr) continue;
    if (symbols[i].kind == link::Symbol::Kind::kernel) {
      parts.kernels[i] = make_kernel(*decoded, symbols[i], *parts.functions[i]);
    } else if (symbols[i].kind == link::Symbol::Kind::indirect_function) {
      decoded->addresses_[i] = publish_handle(*parts.functions[i]);
    }
  }
  return decoded;
}

std::unique_ptr<DecodedProgram> DecodedProgram::prepare(const link::Program& program) {
  return prepare(std::shared_ptr<const link::Program>(std::shared_ptr<void>(), &program));
}

DecodedProgram::~DecodedProgram() {
  const std::vector<link::Symbol>& symbols = program_->symbols();
  for (size_t i = 0; i < symbols.size(); ++i) {
    if (function_handle(static_cast<int32_t>(i)) != 0) withdraw_handle(*parts_->functions[i]);
  }
}

std::vector<Unsupported> unsupported(const DecodedProgram& decoded) {
  const link::Program& program = decoded.program();
  std::vector<bool> seen(program.symbols().size());
  std::vector<Unsupported> found;
  for (const link::Symbol& root : program.symbols()) {
    if (!has_code(root) || root.kind == link::Symbol::Kind::function) continue;
    for (const link::Reference executable : program.reachable(root.definition, false)) {
      const int32_t symbol = program.symbol_of(executable);
      if (symbol < 0 || seen[symbol] || !decoded.parts().functions[symbol]) continue;
      seen[symbol] = true;
      for (const Op& op : decoded.parts().functions[symbol]->ops)
        if (!is_supported(op)) found.push_back({executable, op.offset});
    }
  }
  return found;
}

const Kernel* DecodedProgram::kernel(int32_t symbol) const {
  return symbol < 0 || static_cast<size_t>(symbol) >= parts_->kernels.size() ? nullptr
                                                                             : parts_->kernels[symbol].get();
}

uint64_t DecodedProgram::function_handle(int32_t symbol) const {
  if (symbol < 0 || static_cast<size_t>(symbol) >= addresses_.size()) return 0;
  const link::Symbol& function = program_->symbols()[symbol];
  return function.kind == link::Symbol::Kind::indirect_function && function.defined ? addresses_[symbol] : 0;
}

}  // namespace heddle::interpreter
