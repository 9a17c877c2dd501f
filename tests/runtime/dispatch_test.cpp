// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From HSAIL to the result of a dispatch, on every kernel agent that executes: both forms of finalization,
// and variables of every allocation, all through the C interface. This is a program of its own, because the
// set of agents is fixed for a process.
#include <hsa/hsa_ext_finalize.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <set>
#include <string>
#include <thread>

#include "hsail.h"

namespace heddle::runtime::test {
namespace {

constexpr const char* text = R"(module &m:1:0:$full:$large:$default;
decl prog global_u32 &factor;
prog global_u32 &offset = 100;
prog alloc(agent) global_u32 &per_agent = 7;
prog readonly_u32 &constant = 30;
prog global_u64 &where;
prog kernel &scale(kernarg_u64 %out, kernarg_u64 %in) {
  workitemabsid_u32 $s0, 0;
  cvt_u64_u32 $d0, $s0;
  shl_u64 $d0, $d0, 2;
  ld_kernarg_align(8)_width(all)_u64 $d1, [%out];
  ld_kernarg_align(8)_width(all)_u64 $d2, [%in];
  add_u64 $d1, $d1, $d0;
  add_u64 $d2, $d2, $d0;
  ld_global_u32 $s1, [$d2];
  ld_global_u32 $s2, [&factor];
  mul_u32 $s1, $s1, $s2;
  ld_global_u32 $s2, [&offset];
  add_u32 $s1, $s1, $s2;
  ld_global_u32 $s2, [&per_agent];
  add_u32 $s1, $s1, $s2;
  ld_readonly_u32 $s2, [&constant];
  add_u32 $s1, $s1, $s2;
  st_global_u32 $s1, [$d1];
  lda_global_u64 $d3, [&offset];
  st_global_u64 $d3, [&where];
  ret;
};
)";

/// An executable with a program's code, and its kernel.
struct Loaded {
  hsa_executable_t executable{};
  hsa_executable_symbol_t kernel{};
};

class Dispatch : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_SUCCESS(hsa_init());
    std::vector<hsa_agent_t> agents;
    ASSERT_SUCCESS(hsa_iterate_agents(collect<hsa_agent_t>, &agents));
    for (hsa_agent_t agent : agents)
      if ((agent_info<uint32_t>(agent, HSA_AGENT_INFO_FEATURE) & HSA_AGENT_FEATURE_KERNEL_DISPATCH) != 0)
        agents_.push_back(agent);
    ASSERT_EQ(agents_.size(), 2u) << "the CPU and the interpreter";
    module_ = assemble(text);
    ASSERT_SUCCESS(hsa_ext_program_create(HSA_MACHINE_MODEL_LARGE, HSA_PROFILE_FULL,
                                          HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, nullptr, &program_));
    ASSERT_SUCCESS(hsa_ext_program_add_module(program_, module_of(module_)));
  }
  void TearDown() override {
    EXPECT_SUCCESS(hsa_ext_program_destroy(program_));
    EXPECT_SUCCESS(hsa_shut_down());
  }

  static hsa_region_t kernarg_region(hsa_agent_t agent) {
    std::vector<hsa_region_t> regions;
    EXPECT_SUCCESS(hsa_agent_iterate_regions(agent, collect<hsa_region_t>, &regions));
    for (hsa_region_t region : regions)
      if ((region_info<uint32_t>(region, HSA_REGION_INFO_GLOBAL_FLAGS) & HSA_REGION_GLOBAL_FLAG_KERNARG) != 0)
        return region;
    return {0};
  }

  Loaded load_old(hsa_agent_t agent, uint32_t& factor) {
    hsa_code_object_t code{};
    EXPECT_SUCCESS(hsa_ext_program_finalize(program_, agent_info<hsa_isa_t>(agent, HSA_AGENT_INFO_ISA), 0, {},
                                            nullptr, HSA_CODE_OBJECT_TYPE_PROGRAM, &code));
    Loaded loaded;
    EXPECT_SUCCESS(
        hsa_executable_create(HSA_PROFILE_FULL, HSA_EXECUTABLE_STATE_UNFROZEN, nullptr, &loaded.executable));
    EXPECT_SUCCESS(hsa_executable_global_variable_define(loaded.executable, "&factor", &factor));
    EXPECT_SUCCESS(hsa_executable_load_code_object(loaded.executable, agent, code, nullptr));
    EXPECT_SUCCESS(hsa_executable_freeze(loaded.executable, nullptr));
    EXPECT_SUCCESS(hsa_executable_get_symbol(loaded.executable, nullptr, "&scale", agent, 0, &loaded.kernel));
    EXPECT_SUCCESS(hsa_code_object_destroy(code));
    return loaded;
  }

  /// Finalizes to memory and loads the code from there. `agent` is null for the program code object.
  void finalize_and_load(hsa_executable_t executable, const hsa_agent_t* agent) {
    std::vector<std::byte> bytes;
    hsa_ext_code_object_writer_t writer{};
    const auto allocate = [](size_t size, size_t, void** address, void* data) {
      auto* sink = static_cast<std::vector<std::byte>*>(data);
      sink->resize(size);
      *address = sink->data();
      return HSA_STATUS_SUCCESS;
    };
    ASSERT_SUCCESS(hsa_ext_code_object_writer_create_from_memory(allocate, &bytes, &writer));
    if (agent == nullptr)
      ASSERT_SUCCESS(hsa_ext_program_code_object_finalize(program_, nullptr, writer));
    else
      ASSERT_SUCCESS(hsa_ext_agent_code_object_finalize(
          program_, agent_info<hsa_isa_t>(*agent, HSA_AGENT_INFO_ISA), nullptr, writer));
    EXPECT_SUCCESS(hsa_ext_code_object_writer_destroy(writer));
    hsa_code_object_reader_t reader{};
    ASSERT_SUCCESS(hsa_code_object_reader_create_from_memory(bytes.data(), bytes.size(), &reader));
    if (agent == nullptr)
      EXPECT_SUCCESS(hsa_executable_load_program_code_object(executable, reader, nullptr, nullptr));
    else
      EXPECT_SUCCESS(hsa_executable_load_agent_code_object(executable, *agent, reader, nullptr, nullptr));
    EXPECT_SUCCESS(hsa_code_object_reader_destroy(reader));
  }

  static hsa_executable_symbol_t symbol(hsa_executable_t executable, const char* name,
                                        const hsa_agent_t* agent) {
    hsa_executable_symbol_t found{};
    EXPECT_SUCCESS(hsa_executable_get_symbol_by_linker_name(executable, name, agent, &found));
    return found;
  }

  static uint64_t object(hsa_executable_symbol_t symbol, hsa_executable_symbol_info_t attribute) {
    uint64_t value = 0;
    EXPECT_SUCCESS(hsa_executable_symbol_get_info(symbol, attribute, &value));
    return value;
  }

  /// Submits one dispatch of `count` work-items.
  static void submit(hsa_queue_t* queue, const Loaded& loaded, uint32_t count, void* arguments,
                     hsa_signal_t done) {
    const uint64_t index = hsa_queue_add_write_index_relaxed(queue, 1);
    auto& packet = static_cast<hsa_kernel_dispatch_packet_t*>(queue->base_address)[index % queue->size];
    std::memset(reinterpret_cast<char*>(&packet) + 4, 0, sizeof(packet) - 4);
    packet.workgroup_size_x = 64;
    packet.workgroup_size_y = packet.workgroup_size_z = 1;
    packet.grid_size_x = count;
    packet.grid_size_y = packet.grid_size_z = 1;
    packet.kernel_object = object(loaded.kernel, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT);
    packet.kernarg_address = arguments;
    packet.completion_signal = done;
    const uint32_t header = HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE |
                            HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                            HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE | 1u << 16;
    __atomic_store_n(reinterpret_cast<uint32_t*>(&packet), header, __ATOMIC_RELEASE);
    hsa_signal_store_screlease(queue->doorbell_signal, static_cast<hsa_signal_value_t>(index));
  }

  /// Runs the kernel and expects out = in * factor + expected_offset + 37.
  static void run(hsa_agent_t agent, const Loaded& loaded, uint32_t expected_offset, uint32_t factor) {
    constexpr uint32_t count = 1000;
    std::vector<uint32_t> in(count), out(count);
    std::iota(in.begin(), in.end(), 3);
    EXPECT_SUCCESS(hsa_memory_register(in.data(), count * sizeof(uint32_t)));
    EXPECT_SUCCESS(hsa_memory_register(out.data(), count * sizeof(uint32_t)));
    uint64_t* arguments = nullptr;
    ASSERT_SUCCESS(hsa_memory_allocate(kernarg_region(agent), 16, reinterpret_cast<void**>(&arguments)));
    arguments[0] = reinterpret_cast<uint64_t>(out.data());
    arguments[1] = reinterpret_cast<uint64_t>(in.data());
    hsa_queue_t* queue = nullptr;
    ASSERT_SUCCESS(
        hsa_queue_create(agent, 64, HSA_QUEUE_TYPE_SINGLE, nullptr, nullptr, UINT32_MAX, UINT32_MAX, &queue));
    hsa_signal_t done{};
    ASSERT_SUCCESS(hsa_signal_create(1, 0, nullptr, &done));
    submit(queue, loaded, count, arguments, done);
    while (hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED) >=
           1) {
    }
    for (uint32_t i = 0; i < count; ++i) ASSERT_EQ(out[i], (i + 3) * factor + expected_offset + 37) << i;
    EXPECT_SUCCESS(hsa_signal_destroy(done));
    EXPECT_SUCCESS(hsa_queue_destroy(queue));
    EXPECT_SUCCESS(hsa_memory_free(arguments));
    EXPECT_SUCCESS(hsa_memory_deregister(in.data(), count * sizeof(uint32_t)));
    EXPECT_SUCCESS(hsa_memory_deregister(out.data(), count * sizeof(uint32_t)));
  }

  std::vector<hsa_agent_t> agents_;
  hsa_ext_program_t program_{};
  std::vector<uint64_t> module_;
};

/// The host agent and the CPU kernel agent are the same processor, but two agents.
TEST_F(Dispatch, AgentsHaveDifferentNames) {
  std::set<std::string> names;
  std::vector<hsa_agent_t> agents;
  ASSERT_SUCCESS(hsa_iterate_agents(collect<hsa_agent_t>, &agents));
  for (hsa_agent_t agent : agents) {
    char name[64];
    ASSERT_SUCCESS(hsa_agent_get_info(agent, HSA_AGENT_INFO_NAME, name));
    EXPECT_TRUE(names.insert(name).second) << name << " is the name of two agents";
  }
  EXPECT_EQ(names.size(), 3u);
}

TEST_F(Dispatch, OldForm) {
  for (hsa_agent_t agent : agents_) {
    uint32_t factor = 5;
    const Loaded loaded = load_old(agent, factor);
    run(agent, loaded, 100, 5);
    // Changes the application's variable and the program's variable.
    factor = 9;
    const auto offset =
        object(symbol(loaded.executable, "&offset", nullptr), HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS);
    const uint32_t value = 200;
    EXPECT_SUCCESS(hsa_memory_copy(reinterpret_cast<void*>(offset), &value, sizeof(value)));
    run(agent, loaded, 200, 9);
    EXPECT_SUCCESS(hsa_executable_destroy(loaded.executable));
  }
}

/// Runtime 2.5.5.7: it is unknown what a wild store of a kernel did to the process.
TEST_F(Dispatch, AQueueWithAMemoryFaultIsDestroyedWithFatal) {
  for (hsa_agent_t agent : agents_) {
    uint32_t factor = 1;
    const Loaded loaded = load_old(agent, factor);
    std::atomic<int> status = HSA_STATUS_SUCCESS;
    const auto note = [](hsa_status_t said, hsa_queue_t*, void* data) {
      *static_cast<std::atomic<int>*>(data) = said;
    };
    hsa_queue_t* queue = nullptr;
    ASSERT_SUCCESS(
        hsa_queue_create(agent, 64, HSA_QUEUE_TYPE_SINGLE, note, &status, UINT32_MAX, UINT32_MAX, &queue));
    uint64_t* arguments = nullptr;
    ASSERT_SUCCESS(hsa_memory_allocate(kernarg_region(agent), 16, reinterpret_cast<void**>(&arguments)));
    arguments[0] = arguments[1] = 8;  // not the address of any memory
    hsa_signal_t done{};
    ASSERT_SUCCESS(hsa_signal_create(1, 0, nullptr, &done));
    submit(queue, loaded, 1, arguments, done);
    for (int i = 0; i < 10000 && status == HSA_STATUS_SUCCESS; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(status, HSA_STATUS_ERROR);
    EXPECT_EQ(hsa_queue_destroy(queue), HSA_STATUS_ERROR_FATAL);
    EXPECT_EQ(hsa_queue_destroy(queue), HSA_STATUS_ERROR_INVALID_QUEUE) << "it is gone all the same";
    EXPECT_SUCCESS(hsa_signal_destroy(done));
    EXPECT_SUCCESS(hsa_memory_free(arguments));
    EXPECT_SUCCESS(hsa_executable_destroy(loaded.executable));
  }
}

/// One executable has a program code object and an agent code object for each agent.
TEST_F(Dispatch, NewFormForAllAgentsAtOnce) {
  uint32_t factor = 11;
  Loaded loaded;
  ASSERT_SUCCESS(hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, nullptr,
                                           &loaded.executable));
  ASSERT_SUCCESS(hsa_executable_global_variable_define(loaded.executable, "&factor", &factor));
  finalize_and_load(loaded.executable, nullptr);
  for (const hsa_agent_t& agent : agents_) finalize_and_load(loaded.executable, &agent);
  ASSERT_SUCCESS(hsa_executable_freeze(loaded.executable, nullptr));
  uint32_t result = 1;
  EXPECT_SUCCESS(hsa_executable_validate(loaded.executable, &result));
  EXPECT_EQ(result, 0u);
  const auto address = [&](const char* name, const hsa_agent_t* agent) {
    return object(symbol(loaded.executable, name, agent), HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS);
  };
  for (const hsa_agent_t& agent : agents_) {
    loaded.kernel = symbol(loaded.executable, "&scale", &agent);
    run(agent, loaded, 100, 11);
    // Kernel and application agree on the address of a variable.
    EXPECT_EQ(*reinterpret_cast<uint64_t*>(address("&where", nullptr)), address("&offset", nullptr));
  }
  EXPECT_NE(address("&per_agent", &agents_[0]), address("&per_agent", &agents_[1]));
  EXPECT_SUCCESS(hsa_executable_destroy(loaded.executable));
}

}  // namespace
}  // namespace heddle::runtime::test
