// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "execute.h"

#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <optional>
#include <random>

#include "../toolchain.h"
#include "support/guarded_buffer.h"

namespace heddle::tools::fuzz {
namespace {

/// The memory of a program's buffer. Agents of the full profile access all memory of the process, so that for
/// them the buffer can begin or end beside a page that must not be touched, in turn.
class BufferMemory {
 public:
  static Result<BufferMemory> allocate(const KernelAgent& agent, const Launch& launch) {
    BufferMemory made;
    hsa_profile_t profile = HSA_PROFILE_BASE;
    hsa_agent_get_info(agent.handle, HSA_AGENT_INFO_PROFILE, &profile);
    if (profile == HSA_PROFILE_FULL) {
      made.guarded_ = std::make_unique<GuardedBuffer>(buffer_size(launch), guard_of_turn(launch.data_seed));
      return made;
    }
    auto memory = Memory::allocate(agent.memory, buffer_size(launch));
    if (!memory) return memory.error();
    made.allocated_ = std::move(*memory);
    return made;
  }
  std::span<std::byte> bytes() const {
    if (!guarded_) return allocated_->bytes();
    return {reinterpret_cast<std::byte*>(guarded_->data()), guarded_->size()};
  }

 private:
  std::unique_ptr<GuardedBuffer> guarded_;
  std::optional<Memory> allocated_;
};

/// Fills the buffer with the records' first values, the counters' start values, and zeros elsewhere.
void fill(const Launch& launch, std::span<std::byte> buffer) {
  std::mt19937_64 random(launch.data_seed);
  std::fill(buffer.begin(), buffer.end(), std::byte{0});
  for (uint32_t item = 0; item < launch.work_items(); ++item) {
    std::byte* record = buffer.data() + size_t{item} * layout::record_size;
    for (unsigned i = 0; i < 12; ++i) {
      const uint64_t word = random() >> random() % 64;
      std::memcpy(record + layout::in_s + 8 * i, &word, sizeof word);
    }
  }
  std::byte* shared = buffer.data() + size_t{launch.work_items()} * layout::record_size;
  std::memset(shared + 8 * 2, 0xff, 8);  // the counters of `and` and `min` start with all bits set
  std::memset(shared + 8 * 5, 0xff, 8);
}

Result<LoadedProgram> load(const Program& program, const Engine& engine, Blob& program_code,
                           Blob& agent_code) {
  const std::string text = program.text();
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  auto module = make_module("generated.hsail", std::vector<std::byte>(bytes, bytes + text.size()));
  if (!module) return module.error();
  return fuzz::load(*module, engine, program_code, agent_code);
}

Extent extent(const uint32_t (&size)[3], unsigned dimensions) {
  Extent extent;
  extent.dimensions = dimensions;
  for (int i = 0; i < 3; ++i) extent.size[i] = size[i];
  return extent;
}

uint32_t wave_size(hsa_isa_t isa) {
  uint32_t size = 0;
  hsa_isa_iterate_wavefronts(
      isa,
      [](hsa_wavefront_t wavefront, void* data) {
        hsa_wavefront_get_info(wavefront, HSA_WAVEFRONT_INFO_SIZE, data);
        return HSA_STATUS_INFO_BREAK;
      },
      &size);
  return size;
}

bool detects_exceptions(hsa_isa_t isa) {
  uint16_t policies = 0;
  hsa_isa_get_exception_policies(isa, HSA_PROFILE_FULL, &policies);
  return (policies & HSA_EXCEPTION_POLICY_DETECT) != 0;
}

std::string place(const Launch& launch, size_t offset) {
  const size_t records = size_t{launch.work_items()} * layout::record_size;
  if (offset >= records + layout::shared_size + layout::columns_size) {
    const size_t at = offset - records - layout::shared_size - layout::columns_size;
    return fmt::format("work-group {}, group counter {}", at / layout::group_results,
                       at % layout::group_results / 4);
  }
  if (offset >= records + layout::shared_size)
    return fmt::format("byte {} of the columns", offset - records - layout::shared_size);
  if (offset >= records) return fmt::format("global counter {}", (offset - records) / 8);
  const size_t item = offset / layout::record_size, at = offset % layout::record_size;
  if (at >= layout::scratch) return fmt::format("work-item {}, scratch byte {}", item, at - layout::scratch);
  if (at >= layout::out_c) return fmt::format("work-item {}, $c{}", item, (at - layout::out_c) / 8);
  if (at >= layout::out_d) return fmt::format("work-item {}, $d{}", item, (at - layout::out_d) / 8);
  return fmt::format("work-item {}, $s{}", item, (at - layout::out_s) / 8);
}

}  // namespace

std::vector<Engine> find_engines(const std::string& part) {
  std::vector<Engine> interpreted, compiled;
  for (const KernelAgent& agent : kernel_agents()) {
    for (hsa_isa_t isa : agent_isas(agent.handle)) {
      Engine engine{agent, {}};
      engine.agent.isa = isa;
      engine.agent.isa_name = isa_name(isa);
      engine.wave_size = wave_size(isa);
      engine.detects_exceptions = detects_exceptions(isa);
      const bool compiles = engine.is_compiled();
      if (compiles && engine.agent.isa_name.find(part) == std::string::npos) continue;
      (compiles ? compiled : interpreted).push_back(engine);
      if (!compiles) continue;
      for (const char* options : {"-O0", "-no-row-bodies"}) {
        if (engine.wave_size == 1 && std::string_view(options) == "-no-row-bodies") continue;
        engine.options = options;
        compiled.push_back(engine);
      }
    }
  }
  interpreted.insert(interpreted.end(), compiled.begin(), compiled.end());
  return interpreted;
}

Result<LoadedProgram> load(const Module& module, const Engine& engine, Blob& program_code, Blob& agent_code) {
  auto finalizable = tools::Program::create({&module, 1});
  if (!finalizable) return finalizable.error();
  auto program_object =
      finalizable->finalize(HSAIL_CODE_OBJECT_PROGRAM, engine.agent.isa_name, engine.options);
  if (!program_object) return program_object.error();
  auto agent_object =
      finalizable->finalize_for_waves(HSAIL_CODE_OBJECT_AGENT, engine.agent.isa_name, engine.options);
  if (!agent_object) return agent_object.error();
  program_code = std::move(*program_object);
  agent_code = std::move(*agent_object);
  return LoadedProgram::load(engine.agent, finalizable->header().profile, program_code.bytes(),
                             agent_code.bytes());
}

Result<std::vector<std::byte>, Failure> execute(const Program& program, const Engine& engine,
                                                double timeout) {
  Blob program_code, agent_code;
  auto loaded = load(program, engine, program_code, agent_code);
  if (!loaded) return Failure{loaded.error().message};
  auto kernel = loaded->kernel("&k");
  if (!kernel) return Failure{kernel.error().message};
  auto memory = BufferMemory::allocate(engine.agent, program.launch);
  if (!memory) return Failure{memory.error().message};
  fill(program.launch, memory->bytes());
  auto kernarg = Memory::allocate(engine.agent.kernarg, 16);
  if (!kernarg) return Failure{kernarg.error().message};
  const uint64_t words[2] = {reinterpret_cast<uint64_t>(memory->bytes().data()), 0x12345678};
  std::memcpy(kernarg->address(), words, sizeof words);
  auto dispatcher = Dispatcher::create(engine.agent);
  if (!dispatcher) return Failure{dispatcher.error().message};
  const Launch& launch = program.launch;
  auto times =
      (*dispatcher)
          ->run(*kernel, extent(launch.grid, launch.dimensions), extent(launch.group, launch.dimensions), 0,
                default_call_stack, kernarg->address(), timeout);
  if (!times) return Failure{times.error().message, (*dispatcher)->timed_out()};
  return std::vector<std::byte>(memory->bytes().begin(), memory->bytes().end());
}

bool is_untouched(const Program& program, const std::vector<std::byte>& buffer) {
  std::vector<std::byte> filled(buffer.size());
  fill(program.launch, filled);
  return buffer == filled;
}

std::string describe_difference(const Program& program, const std::vector<std::byte>& expected,
                                const std::vector<std::byte>& actual) {
  std::string text;
  unsigned found = 0;
  for (size_t at = 0; at + 4 <= expected.size(); at += 4) {
    uint32_t a, b;
    std::memcpy(&a, expected.data() + at, 4);
    std::memcpy(&b, actual.data() + at, 4);
    if (a == b) continue;
    if (++found <= 4) text += fmt::format("  {}: 0x{:08x} and 0x{:08x}\n", place(program.launch, at), a, b);
  }
  if (found > 4) text += fmt::format("  and {} more words\n", found - 4);
  return text;
}

}  // namespace heddle::tools::fuzz
