// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness.h"

#include <algorithm>
#include <cstring>

#include <hsa/hsa_brig_modifiers.h>

#include "hsail/assemble/assemble.h"

namespace heddle::testing {
namespace {

std::byte* aligned(std::byte* memory) {
  return reinterpret_cast<std::byte*>((address(memory) + 255) & ~uint64_t{255});
}

}  // namespace

brig::Module assemble_module(std::string_view text) {
  std::vector<std::byte> bytes;
  Diagnostics diagnostics("test.hsail", text);
  if (!assemble::assemble(text, "test.hsail", bytes, diagnostics)) {
    ADD_FAILURE() << diagnostics.print();
    return {};
  }
  brig::Module module = brig::Module::open(bytes, diagnostics);
  if (!module) ADD_FAILURE() << diagnostics.print();
  return module;
}

LoadedProgram::LoadedProgram(const std::vector<std::string>& texts, link::Program::Options options,
                             uint32_t wave_size)
    : program_(std::make_shared<link::Program>(options)) {
  Diagnostics diagnostics;
  for (const std::string& text : texts) {
    brig::Module module = assemble_module(text);
    if (!module || program_->add(module, diagnostics) != link::Program::AddResult::ok) {
      ADD_FAILURE() << diagnostics.print() << text;
      return;
    }
  }
  if (!program_->resolve(diagnostics)) {
    ADD_FAILURE() << diagnostics.print();
    return;
  }
  decoded_ = interpreter::DecodedProgram::prepare(program_, wave_size);
  load_variables();
}

void LoadedProgram::load_variables() {
  const auto& symbols = program_->symbols();
  for (int32_t i = 0; i < static_cast<int32_t>(symbols.size()); ++i) {
    if (const interpreter::Kernel* kernel = decoded_->kernel(i)) decoded_->set_address(i, address(kernel));
    if (symbols[i].kind != link::Symbol::Kind::variable) continue;
    const link::Reference at = symbols[i].definition;
    const brig::Module& module = program_->modules()[at.module];
    const unsigned segment = module.code_as<hsa_brig_directive_variable_t>(at.offset).segment;
    if (segment != HSA_BRIG_SEGMENT_GLOBAL && segment != HSA_BRIG_SEGMENT_READONLY) continue;
    const uint64_t size = link::variable_size(module, at.offset);
    memory_[i] = std::make_unique<std::byte[]>(size + 256);
    decoded_->set_address(i, address(aligned(memory_[i].get())));
  }
  for (auto& [i, memory] : memory_) {
    link::Initializer initial;
    Diagnostics diagnostics;
    ASSERT_TRUE(link::evaluate_initializer(*program_, symbols[i].definition, initial, diagnostics))
        << diagnostics.print();
    std::byte* to = aligned(memory.get());
    if (!initial.bytes.empty()) std::memcpy(to, initial.bytes.data(), initial.bytes.size());
    for (const auto& fixup : initial.fixups) {
      using Kind = link::Initializer::Fixup::Kind;
      uint64_t value = 0;
      if (fixup.kind == Kind::address)
        value = decoded_->address(fixup.symbol) + static_cast<uint64_t>(fixup.addend);
      if (fixup.kind == Kind::null_group) value = interpreter::null_group;
      if (fixup.kind == Kind::null_private) value = interpreter::null_private;
      std::memcpy(to + fixup.offset, &value, fixup.size);
    }
  }
}

const interpreter::Kernel* LoadedProgram::kernel(std::string_view name) const {
  const interpreter::Kernel* kernel = decoded_ ? decoded_->kernel(program_->find(name)) : nullptr;
  if (kernel == nullptr) ADD_FAILURE() << "no kernel " << name;
  return kernel;
}

std::byte* LoadedProgram::variable(std::string_view linker_name) const {
  const int32_t symbol = program_->find(linker_name);
  if (symbol >= 0 && memory_.count(symbol) != 0) return aligned(memory_.at(symbol).get());
  ADD_FAILURE() << "no variable " << linker_name;
  return nullptr;
}

std::optional<interpreter::Fault> LoadedProgram::run(interpreter::Dispatch dispatch,
                                                     const std::vector<uint64_t>& kernarg,
                                                     const interpreter::RunnerOptions& options,
                                                     const interpreter::Services& services) const {
  if (dispatch.kernel == nullptr) return interpreter::Fault{"no-kernel", ""};
  // The kernel gets a segment with the alignment and the size that it may rely on.
  const size_t words = std::max<size_t>(kernarg.size(), dispatch.kernel->kernarg.size / 8);
  std::vector<uint64_t> segment(words + 32);
  uint64_t* first = reinterpret_cast<uint64_t*>((address(segment.data()) + 255) & ~uint64_t{255});
  std::copy(kernarg.begin(), kernarg.end(), first);
  dispatch.kernarg = first;
  interpreter::Runner runner(dispatch, services, options);
  interpreter::GroupRange groups(0, dispatch.group_count());
  if (runner.run(groups) == interpreter::Runner::Outcome::faulted) return runner.fault();
  return std::nullopt;
}

std::optional<interpreter::Fault> LoadedProgram::run(std::string_view kernel_name,
                                                     const std::vector<uint64_t>& kernarg, uint32_t grid,
                                                     uint32_t group,
                                                     const interpreter::RunnerOptions& options) const {
  interpreter::Dispatch dispatch;
  dispatch.kernel = kernel(kernel_name);
  dispatch.grid_size = {grid, 1, 1};
  dispatch.group_size = {group, 1, 1};
  return run(dispatch, kernarg, options);
}

}  // namespace heddle::testing
