// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code objects that were finalized with -lazy: kernels get their code one by one, and share the variables of
// the executable. On agents whose finalization is fast the option has no effect, and the results are the
// same.
#include <hsa/hsa_ven_amd_loader.h>

#include <cstdlib>
#include <thread>

#include "kernels.h"

namespace heddle::runtime::test {
namespace {

/// Kernels that return the sum of three variables, each with another linkage or allocation, and add to them.
std::string adding(const std::string& name, int step) {
  std::string text = "prog kernel &" + name + R"((kernarg_u64 %out) {
  private_u32 %scratch[4];
  ld_kernarg_align(8)_u64 $d0, [%out];
  mov_b32 $s0, 0;
)";
  for (const char* variable : {"&shared", "&per_agent", "&hidden"}) {
    text += std::string("  ld_global_u32 $s1, [") + variable +
            "];\n  add_u32 $s0, $s0, $s1;\n  add_u32 $s1, $s1, " + std::to_string(step) +
            ";\n  st_global_u32 $s1, [" + variable + "];\n";
  }
  return text + R"(  lda_private_u32 $s2, [%scratch];
  and_b32 $s3, $s0, 12;
  add_u32 $s2, $s2, $s3;
  st_private_u32 $s0, [$s2];
  ld_private_u32 $s0, [$s2];
  st_global_u32 $s0, [$d0];
};
)";
}

constexpr const char* header = "module &m:1:2:$full:$large:$near;\n";
constexpr const char* variables = R"(prog global_u32 &shared = 1;
prog alloc(agent) global_u32 &per_agent = 10;
global_u32 &hidden = 100;
)";

/// A program that was finalized with -lazy, loaded and frozen. Neither the program nor its modules are there
/// any more.
class LazyProgram {
 public:
  LazyProgram(hsa_agent_t agent, const std::string& text) : agent_(agent) {
    {
      std::vector<uint64_t> module = assemble(text);
      hsa_ext_program_t program{};
      REQUIRE_SUCCESS(hsa_ext_program_create(HSA_MACHINE_MODEL_LARGE, HSA_PROFILE_FULL,
                                             HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, nullptr, &program));
      REQUIRE_SUCCESS(hsa_ext_program_add_module(program, module_of(module)));
      hsa_code_object_t code{};
      REQUIRE_SUCCESS(hsa_ext_program_finalize(program, agent_info<hsa_isa_t>(agent, HSA_AGENT_INFO_ISA), 0,
                                               {}, "-lazy", HSA_CODE_OBJECT_TYPE_PROGRAM, &code));
      REQUIRE_SUCCESS(
          hsa_executable_create(HSA_PROFILE_FULL, HSA_EXECUTABLE_STATE_UNFROZEN, nullptr, &executable_));
      REQUIRE_SUCCESS(hsa_executable_load_code_object(executable_, agent, code, nullptr));
      REQUIRE_SUCCESS(hsa_code_object_destroy(code));
      REQUIRE_SUCCESS(hsa_ext_program_destroy(program));
    }
    EXPECT_EQ(object("&first"), 0u) << "the executable is not frozen";
    REQUIRE_SUCCESS(hsa_executable_freeze(executable_, nullptr));
  }
  ~LazyProgram() { EXPECT_SUCCESS(hsa_executable_destroy(executable_)); }
  LazyProgram(const LazyProgram&) = delete;
  LazyProgram& operator=(const LazyProgram&) = delete;

  hsa_executable_symbol_t symbol(const char* name) const {
    hsa_executable_symbol_t found{};
    EXPECT_SUCCESS(hsa_executable_get_symbol(executable_, nullptr, name, agent_, 0, &found)) << name;
    return found;
  }
  template <typename T>
  T info(const char* name, hsa_executable_symbol_info_t attribute) const {
    T value{};
    EXPECT_SUCCESS(hsa_executable_symbol_get_info(symbol(name), attribute, &value)) << name;
    return value;
  }
  uint64_t object(const char* name) const {
    return info<uint64_t>(name, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT);
  }
  /// Returns how many pieces of code are loaded.
  size_t loaded() const {
    hsa_ven_amd_loader_1_03_pfn_t loader{};
    EXPECT_SUCCESS(hsa_system_get_major_extension_table(HSA_EXTENSION_AMD_LOADER, 1, sizeof loader, &loader));
    size_t count = 0;
    EXPECT_SUCCESS(loader.hsa_ven_amd_loader_executable_iterate_loaded_code_objects(
        executable_,
        [](hsa_executable_t, hsa_loaded_code_object_t, void* data) {
          ++*static_cast<size_t*>(data);
          return HSA_STATUS_SUCCESS;
        },
        &count));
    return count;
  }
  /// Runs a kernel with one work-item and returns what it writes.
  uint32_t run(const char* name) const {
    auto* const result = static_cast<uint32_t*>(std::calloc(1, sizeof(uint32_t)));
    EXPECT_SUCCESS(hsa_memory_register(result, sizeof *result));
    TestQueue queue(agent_);
    EXPECT_TRUE(dispatch(queue, name, result)) << name;
    const uint32_t value = *result;
    EXPECT_SUCCESS(hsa_memory_deregister(result, sizeof *result));
    std::free(result);
    return value;
  }

 private:
  bool dispatch(TestQueue& queue, const char* name, uint32_t* out) const {
    hsa_kernel_dispatch_packet_t packet;
    std::memset(&packet, 0, sizeof packet);
    packet.header = HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE |
                    HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                    HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
    packet.setup = 1;
    packet.workgroup_size_x = packet.workgroup_size_y = packet.workgroup_size_z = 1;
    packet.grid_size_x = packet.grid_size_y = packet.grid_size_z = 1;
    packet.kernel_object = object(name);
    packet.private_segment_size =
        info<uint32_t>(name, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE);
    packet.kernarg_address = static_cast<void*>(&out);
    EXPECT_SUCCESS(hsa_signal_create(1, 0, nullptr, &packet.completion_signal));
    queue.submit(packet);
    const bool ended = eventually(
        [&] { return hsa_signal_load_scacquire(packet.completion_signal) == 0 || queue.error() != 0; });
    EXPECT_SUCCESS(queue.error());
    EXPECT_SUCCESS(hsa_signal_destroy(packet.completion_signal));
    return ended;
  }

  hsa_agent_t agent_;
  hsa_executable_t executable_{};
};

class LazyKernels : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_SUCCESS(hsa_init());
    std::vector<hsa_agent_t> agents;
    ASSERT_SUCCESS(hsa_iterate_agents(collect<hsa_agent_t>, &agents));
    for (hsa_agent_t agent : agents)
      if ((agent_info<uint32_t>(agent, HSA_AGENT_INFO_FEATURE) & HSA_AGENT_FEATURE_KERNEL_DISPATCH) != 0)
        agents_.push_back(agent);
  }
  void TearDown() override { EXPECT_SUCCESS(hsa_shut_down()); }

  /// Reports whether the option has an effect for the agent.
  static bool is_compiled(hsa_agent_t agent) {
    const auto isa = agent_info<hsa_isa_t>(agent, HSA_AGENT_INFO_ISA);
    char name[64] = {};
    EXPECT_SUCCESS(hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME, name));
    return std::string(name).find("x86-64") != std::string::npos;
  }

  std::vector<hsa_agent_t> agents_;
};

TEST_F(LazyKernels, GetTheirCodeWhenTheyAreAskedForIt) {
  const std::string text = std::string(header) + variables + adding("first", 1) + adding("second", 5);
  for (hsa_agent_t agent : agents_) {
    const LazyProgram program(agent, text);
    EXPECT_EQ(program.info<uint32_t>("&first", HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE), 16u);
    EXPECT_EQ(program.info<uint32_t>("&first", HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE), 0u);
    EXPECT_EQ(program.loaded(), 1u) << "these need no code";
    const uint64_t object = program.object("&first");
    EXPECT_NE(object, 0u);
    EXPECT_EQ(program.loaded(), is_compiled(agent) ? 2u : 1u);
    EXPECT_EQ(program.object("&first"), object);
    EXPECT_GE(program.info<uint32_t>("&second", HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE), 16u);
    EXPECT_EQ(program.loaded(), is_compiled(agent) ? 3u : 1u);
  }
}

TEST_F(LazyKernels, ShareVariables) {
  const std::string text = std::string(header) + variables + adding("first", 1) + adding("second", 5);
  for (hsa_agent_t agent : agents_) {
    const LazyProgram program(agent, text);
    EXPECT_EQ(program.run("&first"), 111u);
    EXPECT_EQ(program.run("&second"), 114u);
    EXPECT_EQ(program.run("&first"), 129u);
    const auto at = program.info<uint64_t>("&per_agent", HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS);
    uint32_t value = 0;
    ASSERT_SUCCESS(hsa_memory_copy(&value, reinterpret_cast<void*>(at), sizeof value));
    EXPECT_EQ(value, 17u);
    value = 1000;
    ASSERT_SUCCESS(hsa_memory_copy(reinterpret_cast<void*>(at), &value, sizeof value));
    EXPECT_EQ(program.run("&second"), 1000u + 8 + 107);
  }
}

TEST_F(LazyKernels, AreFinalizedByManyThreads) {
  constexpr int count = 24;
  std::string text = std::string(header) + variables + adding("first", 1);
  for (int i = 0; i < count; ++i) text += adding("kernel" + std::to_string(i), i);
  for (hsa_agent_t agent : agents_) {
    const LazyProgram program(agent, text);
    // Each kernel is asked for by two threads.
    std::vector<uint64_t> objects(size_t{2} * count);
    std::vector<std::thread> threads;
    threads.reserve(4);
    for (size_t t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        for (size_t i = t; i < objects.size(); i += 4)
          objects[i] = program.object(("&kernel" + std::to_string(i / 2)).c_str());
      });
    for (std::thread& thread : threads) thread.join();
    for (size_t i = 0; i < objects.size(); i += 2) {
      EXPECT_NE(objects[i], 0u);
      EXPECT_EQ(objects[i], objects[i + 1]);
    }
    EXPECT_EQ(program.loaded(), is_compiled(agent) ? 1u + count : 1u);
  }
}

/// Where a program holds addresses of code, there must be one code only.
TEST_F(LazyKernels, AreCompleteAtOnceIfTheProgramHasIndirectFunctions) {
  const std::string text = std::string(header) + variables +
                           R"(indirect function &twice(arg_u32 %r)(arg_u32 %x) {
  ld_arg_u32 $s0, [%x];
  add_u32 $s0, $s0, $s0;
  st_arg_u32 $s0, [%r];
};
)" + adding("first", 1) + adding("second", 5);
  for (hsa_agent_t agent : agents_) {
    const LazyProgram program(agent, text);
    EXPECT_EQ(program.run("&first"), 111u);
    EXPECT_EQ(program.run("&second"), 114u);
    EXPECT_EQ(program.loaded(), 1u);
  }
}

}  // namespace
}  // namespace heddle::runtime::test
