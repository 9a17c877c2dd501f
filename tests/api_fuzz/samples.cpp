// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "samples.h"

#include <dlfcn.h>
#include <hsail/hsail.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "codeobject/code_object.h"

namespace heddle::api_fuzz {
namespace {

namespace co = codeobject;

co::Variable variable(const char* name, co::Allocation allocation) {
  co::Variable v;
  v.name = v.linker_name = name;
  v.module_name = "&module";
  v.allocation = allocation;
  v.size = v.align = 8;
  v.init.resize(8);
  return v;
}

co::CodeObject sample(bool program_part, bool agent_part) {
  co::CodeObject object;
  object.has_program_part = program_part;
  object.has_agent_part = agent_part;
  object.isa = "heddle:hsail:w1";
  object.profile = HSA_PROFILE_FULL;
  object.rounding = HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR;
  if (agent_part) {
    co::Kernel kernel;
    kernel.name = kernel.linker_name = "&main";
    kernel.module_name = "&module";
    kernel.kernarg_size = 24;
    object.kernels = {kernel};
    object.variables.push_back(variable("&per_agent", co::Allocation::agent));
  }
  if (program_part) object.variables.push_back(variable("&shared", co::Allocation::program));
  return object;
}

/// Assembles a module with the finalizer library, if there is one.
void add_module(State& state) {
  void* library = dlopen(HEDDLE_FINALIZER_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return;
  const auto assemble = reinterpret_cast<decltype(&::hsail_assemble)>(dlsym(library, "hsail_assemble"));
  const auto free_blob = reinterpret_cast<decltype(&::hsail_blob_free)>(dlsym(library, "hsail_blob_free"));
  static constexpr char text[] =
      "module &m:1:2:$full:$large:$near;\n"
      "prog alloc(agent) global_u32 &per_agent = 3;\n"
      "prog kernel &main(kernarg_u64 %x) {};\n";
  hsail_blob brig{};
  if (assemble(text, sizeof text - 1, "sample.hsail", &brig, nullptr, nullptr) == HSAIL_OK) {
    auto& module = state.modules.emplace_back((brig.size + 7) / 8);
    std::memcpy(module.data(), brig.data, brig.size);
  }
  free_blob(&brig);
}

}  // namespace

void add_samples(State& state) {
  for (const auto& [program_part, agent_part] : {std::pair{true, false}, {false, true}, {true, true}})
    state.code_objects.push_back(co::write(sample(program_part, agent_part)));
  // One that is damaged in the middle.
  auto damaged = state.code_objects.back();
  damaged[damaged.size() / 2] ^= std::byte{0xff};
  state.code_objects.push_back(damaged);
  add_module(state);
  FILE* file = std::tmpfile();
  if (file == nullptr) return;
  std::fwrite(state.code_objects.back().data(), 1, state.code_objects.back().size(), file);
  std::fflush(file);
  state.file = fileno(file);
}

}  // namespace heddle::api_fuzz
