// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Both agents that execute kernels either load any bytes or refuse them with a reason. Nothing is executed.
#include <cstdlib>

#include "agents/interpreter/loader.h"
#include "codeobject/code_object.h"
#ifdef HEDDLE_FUZZ_CPU_LOADER
#include "agents/cpu/loader.h"
#endif

namespace {

using Loaded = heddle::Result<std::shared_ptr<heddle::agents::LoadedCode>, heddle::Error>;

/// Returns an address for each variable of the object. A real loader gives each variable memory of its size;
/// nothing here accesses that memory.
std::vector<hsam_variable_address> addresses(std::span<const std::byte> bytes) {
  std::vector<hsam_variable_address> all;
  const auto object = heddle::codeobject::read(bytes);
  if (!object) return all;
  for (uint32_t i = 0; i < object->variables.size(); ++i) all.push_back({i, 0x10000 + 0x100 * uint64_t{i}});
  return all;
}

void expect_reason(const Loaded& loaded) {
  if (!loaded && loaded.error().message.empty()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  const auto variables = addresses(bytes);
  heddle::agents::KernelObjects registry;
  expect_reason(heddle::interpreter_agent::LoadedBrig::load(bytes, variables, registry));
#ifdef HEDDLE_FUZZ_CPU_LOADER
  expect_reason(heddle::cpu::LoadedCpuCode::load(bytes, variables, /*host_level=*/4, registry));
#endif
  return 0;
}
