// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs kernels from HSAIL text on every kernel agent that executes, through the C interface only.
#pragma once

#include <hsa/hsa_ext_finalize.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>

#include "hsail.h"

namespace heddle::runtime::test {

/// Ends a test that cannot go on without this: packets without a kernel would never complete.
inline void require(hsa_status_t status, const char* what) {
  if (status != HSA_STATUS_SUCCESS)
    throw std::runtime_error(std::string(what) + " returned " + std::to_string(status));
}

#define REQUIRE_SUCCESS(call) require(call, #call)

/// The kernels of one program, loaded for one agent. The constructor throws if they cannot be made.
class Kernels {
 public:
  Kernels(hsa_agent_t agent, const std::string& text)
      : Kernels(agent, std::vector{text}, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR) {}
  /// A program of several modules, with this default rounding mode.
  Kernels(hsa_agent_t agent, const std::vector<std::string>& texts, hsa_default_float_rounding_mode_t mode)
      : agent_(agent) {
    hsa_ext_program_t program{};
    REQUIRE_SUCCESS(
        hsa_ext_program_create(HSA_MACHINE_MODEL_LARGE, HSA_PROFILE_FULL, mode, nullptr, &program));
    for (const std::string& text : texts) {
      modules_.push_back(assemble(text));
      REQUIRE_SUCCESS(hsa_ext_program_add_module(program, module_of(modules_.back())));
    }
    hsa_code_object_t code{};
    REQUIRE_SUCCESS(hsa_ext_program_finalize(program, agent_info<hsa_isa_t>(agent, HSA_AGENT_INFO_ISA), 0, {},
                                             nullptr, HSA_CODE_OBJECT_TYPE_PROGRAM, &code));
    REQUIRE_SUCCESS(
        hsa_executable_create(HSA_PROFILE_FULL, HSA_EXECUTABLE_STATE_UNFROZEN, nullptr, &executable_));
    REQUIRE_SUCCESS(hsa_executable_load_code_object(executable_, agent, code, nullptr));
    REQUIRE_SUCCESS(hsa_executable_freeze(executable_, nullptr));
    REQUIRE_SUCCESS(hsa_code_object_destroy(code));
    REQUIRE_SUCCESS(hsa_ext_program_destroy(program));
  }
  ~Kernels() { EXPECT_SUCCESS(hsa_executable_destroy(executable_)); }
  Kernels(const Kernels&) = delete;
  Kernels& operator=(const Kernels&) = delete;

  /// Returns a packet for one dimension. The caller sets completion signal and kernel arguments.
  hsa_kernel_dispatch_packet_t packet(const char* name, uint32_t grid, uint16_t group) const {
    hsa_executable_symbol_t symbol{};
    EXPECT_SUCCESS(hsa_executable_get_symbol(executable_, nullptr, name, agent_, 0, &symbol)) << name;
    const auto value = [&](hsa_executable_symbol_info_t attribute) {
      uint64_t result = 0;
      EXPECT_SUCCESS(hsa_executable_symbol_get_info(symbol, attribute, &result));
      return result;
    };
    hsa_kernel_dispatch_packet_t packet;
    std::memset(&packet, 0, sizeof packet);
    packet.header = HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE |
                    HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                    HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
    packet.setup = 1;
    packet.workgroup_size_x = group;
    packet.workgroup_size_y = packet.workgroup_size_z = 1;
    packet.grid_size_x = grid;
    packet.grid_size_y = packet.grid_size_z = 1;
    packet.kernel_object = value(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT);
    packet.group_segment_size =
        static_cast<uint32_t>(value(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE));
    packet.private_segment_size =
        static_cast<uint32_t>(value(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE));
    return packet;
  }

 private:
  hsa_agent_t agent_;
  std::vector<std::vector<uint64_t>> modules_;
  hsa_executable_t executable_{};
};

/// The beginning of a module: its header, and a kernel that doubles the 32-bit words at %data, of which each
/// work-item has one.
inline constexpr const char* doubling_module = R"(module &m:1:2:$full:$large:$near;
prog kernel &double(kernarg_u64 %data) {
  ld_kernarg_align(8)_u64 $d0, [%data];
  workitemabsid_u32 $s0, 0;
  cvt_u64_u32 $d1, $s0;
  shl_u64 $d1, $d1, 2;
  add_u64 $d0, $d0, $d1;
  ld_global_align(4)_u32 $s1, [$d0];
  add_u32 $s1, $s1, $s1;
  st_global_align(4)_u32 $s1, [$d0];
};
)";

/// A queue that records the last error of its callback.
class TestQueue {
 public:
  explicit TestQueue(hsa_agent_t agent, hsa_queue_type_t type = HSA_QUEUE_TYPE_MULTI) {
    EXPECT_SUCCESS(
        hsa_queue_create(agent, 64, type, &TestQueue::failed, this, UINT32_MAX, UINT32_MAX, &queue_));
  }
  ~TestQueue() { destroy(); }
  TestQueue(const TestQueue&) = delete;
  TestQueue& operator=(const TestQueue&) = delete;

  hsa_queue_t* get() const { return queue_; }
  /// Destroys the queue and expects the status `expected`: FATAL after a memory fault, whose effect on the
  /// process is unknown, and SUCCESS after all other errors.
  void destroy(hsa_status_t expected = HSA_STATUS_SUCCESS) {
    if (!queue_) return;
    EXPECT_EQ(hsa_queue_destroy(queue_), expected);
    queue_ = nullptr;
  }
  void submit(hsa_kernel_dispatch_packet_t packet) {
    const uint64_t index = hsa_queue_add_write_index_relaxed(queue_, 1);
    auto* slot = static_cast<char*>(queue_->base_address) + index % queue_->size * sizeof packet;
    const uint32_t header = packet.header | uint32_t{packet.setup} << 16;
    std::memcpy(slot + 4, reinterpret_cast<char*>(&packet) + 4, sizeof packet - 4);
    __atomic_store_n(reinterpret_cast<uint32_t*>(slot), header, __ATOMIC_RELEASE);
    hsa_signal_store_screlease(queue_->doorbell_signal, static_cast<hsa_signal_value_t>(index));
  }
  /// Returns the status that the callback received, or SUCCESS if it was not called yet.
  hsa_status_t error() const { return error_.load(); }

 private:
  static void failed(hsa_status_t status, hsa_queue_t*, void* data) {
    static_cast<TestQueue*>(data)->error_ = status;
  }
  hsa_queue_t* queue_ = nullptr;
  std::atomic<hsa_status_t> error_{HSA_STATUS_SUCCESS};
};

/// More than any machine takes for an event that must happen.
inline constexpr auto patience = std::chrono::minutes(10);

/// Polls until the condition holds. Returns false if that takes too long.
template <typename Condition>
bool eventually(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    timespec time = {0, 100'000};
    nanosleep(&time, nullptr);
  }
  return true;
}

/// A fixture whose parameter is the name of an agent.
class OnAgent : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    ASSERT_SUCCESS(hsa_init());
    std::vector<hsa_agent_t> agents;
    ASSERT_SUCCESS(hsa_iterate_agents(collect<hsa_agent_t>, &agents));
    // The host agent comes first, then the agents in the order of HEDDLE_AGENTS: cpu, interpreter.
    ASSERT_EQ(agents.size(), 3u);
    bool finalizer = false;
    ASSERT_SUCCESS(hsa_system_extension_supported(HSA_EXTENSION_FINALIZER, 1, 0, &finalizer));
    ASSERT_TRUE(finalizer)
        << "the finalizer library cannot be opened: build the target heddle_finalizer, and see to it "
           "that HEDDLE_FINALIZER is not set or names it";
    agent_ = agents[std::string(GetParam()) == "cpu" ? 1 : 2];
  }
  void TearDown() override { EXPECT_SUCCESS(hsa_shut_down()); }

  static hsa_signal_t signal(hsa_signal_value_t value) {
    hsa_signal_t made{};
    EXPECT_SUCCESS(hsa_signal_create(value, 0, nullptr, &made));
    return made;
  }
  static bool becomes(hsa_signal_t signal, hsa_signal_value_t value) {
    return eventually([&] { return hsa_signal_load_scacquire(signal) == value; });
  }

  /// Runs one kernel with these 64-bit arguments. Returns true if it completed. `error` receives the queue's
  /// error, and `destroyed` is the expected status of the queue's destruction.
  bool run(const Kernels& kernels, const char* name, uint32_t grid, uint16_t group,
           std::vector<uint64_t> arguments, hsa_status_t* error = nullptr,
           hsa_status_t destroyed = HSA_STATUS_SUCCESS) {
    TestQueue queue(agent_);
    const hsa_signal_t done = signal(1);
    auto packet = kernels.packet(name, grid, group);
    packet.kernarg_address = arguments.data();
    packet.completion_signal = done;
    queue.submit(packet);
    const bool settled = eventually(
        [&] { return hsa_signal_load_scacquire(done) == 0 || queue.error() != HSA_STATUS_SUCCESS; });
    EXPECT_TRUE(settled) << name << " neither completes nor fails";
    const bool completed = hsa_signal_load_scacquire(done) == 0;
    if (error) *error = queue.error();
    if (!error && !completed) ADD_FAILURE() << name << ": queue error " << std::hex << queue.error();
    queue.destroy(destroyed);
    EXPECT_SUCCESS(hsa_signal_destroy(done));
    return completed;
  }

  hsa_agent_t agent_{};
};

inline uint64_t address_of(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

}  // namespace heddle::runtime::test
