// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device.h"

#include <hsail/compiler.h>

#include <algorithm>
#include <cstring>
#include <map>

namespace heddle::tests {
namespace {

constexpr uint32_t stack_size = 1 << 16;  ///< bytes of private segment for calls that cannot be counted
constexpr double timeout = 600;           ///< seconds, only to end what hangs

/// What the kernarg segment of each generated kernel begins with.
struct Arguments {
  const void* input;
  void* output;
  void* shared;
  Words words;
};

void keep_first_error(const hsail_message* message, void* data) {
  auto& text = *static_cast<std::string*>(data);
  if (message->severity == HSAIL_SEVERITY_ERROR && text.empty()) text = message->text;
}

tools::Memory filled(tools::Memory memory, const std::vector<std::byte>& bytes) {
  std::ranges::copy(bytes, memory.bytes().begin());
  return memory;
}

void fetch(const tools::Memory& memory, std::vector<std::byte>& bytes) {
  std::copy_n(memory.bytes().begin(), bytes.size(), bytes.begin());
}

using Dispatchers = std::map<uint64_t, std::unique_ptr<tools::Dispatcher>>;

/// The queues of agents, each made when it is first needed.
Dispatchers& dispatchers() {
  static Dispatchers made;
  return made;
}

Result<tools::Dispatcher*> dispatcher_of(const tools::KernelAgent& agent) {
  auto& dispatcher = dispatchers()[agent.handle.handle];
  if (dispatcher == nullptr) {
    auto created = tools::Dispatcher::create(agent);
    if (!created) return created.error();
    dispatcher = std::move(*created);
  }
  return dispatcher.get();
}

}  // namespace

Result<tools::Module> compile_for_device(const std::string& source, const std::string& level) {
  const hsail_source given{"generated.cl", source.data(), source.size(), HSAIL_LANGUAGE_OPENCL};
  const char* options[] = {level.c_str(), "-cl-std=CL2.0", "-ffp-contract=off", "-w",
                           "-cl-fp32-correctly-rounded-divide-sqrt"};
  tools::Blob blob;
  std::string message;
  const auto status = hsail_compile(&given, 1, options, std::size(options), HSAIL_MODULE_BRIG, blob.out(),
                                    keep_first_error, &message);
  if (status != HSAIL_COMPILE_OK) return Error{level + ": " + message};
  return tools::Module{given.name, {blob.bytes().begin(), blob.bytes().end()}};
}

Result<DeviceModule> DeviceModule::load(const tools::Module& module, const tools::fuzz::Engine& engine) {
  DeviceModule loaded(engine);
  auto program = tools::fuzz::load(module, engine, *loaded.program_code_, *loaded.agent_code_);
  if (!program) return program.error();
  loaded.program_ = std::make_unique<tools::LoadedProgram>(std::move(*program));
  return loaded;
}

Result<Buffers> DeviceModule::run(const std::string& name, const tools::fuzz::Launch& launch) {
  const auto kernel = program_->kernel("&" + name);
  if (!kernel) return kernel.error();
  Buffers buffers = initial_buffers(launch);
  const auto region = engine_->agent.memory;
  auto input = tools::Memory::allocate(region, buffers.input.size());
  auto output = tools::Memory::allocate(region, buffers.output.size());
  auto shared = tools::Memory::allocate(region, buffers.shared.size());
  auto kernarg = tools::Memory::allocate(engine_->agent.kernarg,
                                         std::max<size_t>(kernel->kernarg_size, sizeof(Arguments)));
  if (!input || !output || !shared || !kernarg) return Error{"there is no memory for the buffers"};
  const tools::Memory in = filled(std::move(*input), buffers.input),
                      out = filled(std::move(*output), buffers.output),
                      counters = filled(std::move(*shared), buffers.shared);
  const Arguments arguments{in.address(), out.address(), counters.address(), words_of(launch)};
  std::memcpy(kernarg->address(), &arguments, sizeof arguments);
  auto dispatcher = dispatcher_of(engine_->agent);
  if (!dispatcher) return dispatcher.error();
  tools::Extent grid, group;
  grid.dimensions = group.dimensions = 1;
  grid.size[0] = launch.grid[0];
  group.size[0] = launch.group[0];
  const auto times = (*dispatcher)->run(*kernel, grid, group, 0, stack_size, kernarg->address(), timeout);
  if (!times) {
    dispatchers().erase(engine_->agent.handle.handle);  // a queue that has failed executes nothing more
    return times.error();
  }
  fetch(out, buffers.output);
  fetch(counters, buffers.shared);
  return buffers;
}

}  // namespace heddle::tests
