// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs that run with the check layer, and what it says about them.
#pragma once

#include <gmock/gmock.h>
#include <hsa/hsa_ext_amd.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "../../runtime/code.h"

namespace heddle::check::test {

using runtime::test::collect;
using runtime::test::in_child;
using ::testing::HasSubstr;
using ::testing::Not;

/// Returns what a function and the libraries that it calls write to standard error.
inline std::string said(const std::function<void()>& act) {
  ::testing::internal::CaptureStderr();
  act();
  return ::testing::internal::GetCapturedStderr();
}

/// The rule's id as messages have it: no id is the beginning of another one in this form.
inline std::string rule(const std::string& id) { return " CHECK-" + id + ": "; }

/// A runtime with the host, the null agent and the interpreter, and with the sample code object loaded for
/// the null agent. Everything that the fixture makes is destroyed at the end, so that a test of leaks sees
/// its own.
class Checked : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_SUCCESS(hsa_init());
    running_ = true;
    ASSERT_SUCCESS(hsa_iterate_agents(collect<hsa_agent_t>, &agents_));
    ASSERT_EQ(agents_.size(), 3u);
    host_ = agents_[0];
    agent_ = agents_[1];
    other_agent_ = agents_[2];
    const auto named = [](hsa_agent_t agent) {
      return std::string(runtime::test::agent_info<std::array<char, 64>>(agent, HSA_AGENT_INFO_NAME).data());
    };
    if (named(agent_).find("null") == std::string::npos) std::swap(agent_, other_agent_);
    std::vector<hsa_region_t> regions;
    ASSERT_SUCCESS(hsa_agent_iterate_regions(host_, collect<hsa_region_t>, &regions));
    for (const hsa_region_t region : regions) {
      const auto flags = runtime::test::region_info<uint32_t>(region, HSA_REGION_INFO_GLOBAL_FLAGS);
      ((flags & HSA_REGION_GLOBAL_FLAG_KERNARG) != 0 ? kernarg_region_ : data_region_) = region;
    }
  }

  void TearDown() override {
    if (!running_) return;
    if (queue_ != nullptr) EXPECT_SUCCESS(hsa_queue_destroy(queue_));
    if (gate_.handle != 0) EXPECT_SUCCESS(hsa_signal_destroy(gate_));
    if (executable_.handle != 0) EXPECT_SUCCESS(hsa_executable_destroy(executable_));
    if (reader_.handle != 0) EXPECT_SUCCESS(hsa_code_object_reader_destroy(reader_));
    for (void* memory : memory_) EXPECT_SUCCESS(hsa_memory_free(memory));
    shut_down();
  }
  void shut_down() {
    running_ = false;
    EXPECT_SUCCESS(hsa_shut_down());
  }

  static hsa_signal_t signal(hsa_signal_value_t value, std::vector<hsa_agent_t> consumers = {}) {
    hsa_signal_t made{};
    EXPECT_SUCCESS(
        hsa_signal_create(value, static_cast<uint32_t>(consumers.size()), consumers.data(), &made));
    return made;
  }
  void* allocate(hsa_region_t region, size_t size) {
    void* memory = nullptr;
    EXPECT_SUCCESS(hsa_memory_allocate(region, size, &memory));
    return memory;
  }
  /// Makes the kernel object of the sample's kernel: 24 bytes of arguments, 128 bytes of group memory, 64
  /// bytes of private memory.
  uint64_t kernel_object() {
    if (executable_.handle == 0) {
      blob_ = runtime::test::co::write(runtime::test::sample());
      EXPECT_SUCCESS(hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR,
                                               nullptr, &executable_));
      EXPECT_SUCCESS(hsa_code_object_reader_create_from_memory(blob_.data(), blob_.size(), &reader_));
      EXPECT_SUCCESS(hsa_executable_load_program_code_object(executable_, reader_, nullptr, nullptr));
      EXPECT_SUCCESS(hsa_executable_load_agent_code_object(executable_, agent_, reader_, nullptr, nullptr));
      EXPECT_SUCCESS(hsa_executable_freeze(executable_, nullptr));
    }
    hsa_executable_symbol_t symbol{};
    EXPECT_SUCCESS(hsa_executable_get_symbol_by_name(executable_, "&main", &agent_, &symbol));
    uint64_t object = 0;
    EXPECT_SUCCESS(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &object));
    return object;
  }

  hsa_queue_t* make_queue(hsa_agent_t agent, hsa_queue_type_t type = HSA_QUEUE_TYPE_MULTI) {
    EXPECT_SUCCESS(hsa_queue_create(agent, 64, type, nullptr, nullptr, UINT32_MAX, UINT32_MAX, &queue_));
    return queue_;
  }
  /// Makes a queue whose first packet waits for gate_, so that no packet behind it is taken before the gate
  /// opens.
  hsa_queue_t* make_gated_queue(hsa_queue_type_t type = HSA_QUEUE_TYPE_MULTI) {
    return make_gated_queue(agent_, type);
  }
  hsa_queue_t* make_gated_queue(hsa_agent_t agent, hsa_queue_type_t type = HSA_QUEUE_TYPE_MULTI) {
    gate_ = signal(1);
    make_queue(agent, type);
    hsa_barrier_and_packet_t barrier{};
    barrier.header = header(HSA_PACKET_TYPE_BARRIER_AND);
    barrier.dep_signal[0] = gate_;
    submit(&barrier);
    return queue_;
  }
  void open_gate() const { hsa_signal_store_screlease(gate_, 0); }

  static uint16_t header(hsa_packet_type_t type, int acquire = HSA_FENCE_SCOPE_SYSTEM,
                         int release = HSA_FENCE_SCOPE_SYSTEM) {
    return static_cast<uint16_t>(type << HSA_PACKET_HEADER_TYPE | 1 << HSA_PACKET_HEADER_BARRIER |
                                 acquire << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                                 release << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE);
  }
  /// A dispatch that breaks no rule.
  hsa_kernel_dispatch_packet_t dispatch() {
    hsa_kernel_dispatch_packet_t packet{};
    packet.header = header(HSA_PACKET_TYPE_KERNEL_DISPATCH);
    packet.setup = 1;
    packet.workgroup_size_x = 64;
    packet.grid_size_x = 256;
    packet.workgroup_size_y = packet.workgroup_size_z = 1;
    packet.grid_size_y = packet.grid_size_z = 1;
    packet.group_segment_size = 128;
    packet.private_segment_size = 64;
    packet.kernel_object = kernel_object();
    packet.kernarg_address = allocate(kernarg_region_, 64);
    std::memset(packet.kernarg_address, 0, 64);
    memory_.push_back(packet.kernarg_address);
    return packet;
  }
  /// Writes a packet into its slot, the header last.
  void write(const void* packet, uint64_t index) const {
    auto* slot = static_cast<char*>(queue_->base_address) + index % queue_->size * 64;
    std::memcpy(slot + 2, static_cast<const char*>(packet) + 2, 62);
    uint16_t first = 0;
    std::memcpy(&first, packet, sizeof first);
    __atomic_store_n(reinterpret_cast<uint16_t*>(slot), first, __ATOMIC_RELEASE);
  }
  void ring(uint64_t index) const {
    hsa_signal_store_screlease(queue_->doorbell_signal, static_cast<hsa_signal_value_t>(index));
  }
  void submit(const void* packet) const {
    const uint64_t index = hsa_queue_add_write_index_relaxed(queue_, 1);
    write(packet, index);
    ring(index);
  }
  /// Submits a packet to a gated queue and returns what the layer says about it.
  template <typename Packet>
  std::string said_about(const Packet& packet) {
    if (queue_ == nullptr) make_gated_queue();
    return said([&] { submit(&packet); });
  }

  std::vector<hsa_agent_t> agents_;
  hsa_agent_t host_{}, agent_{}, other_agent_{};
  hsa_region_t kernarg_region_{}, data_region_{};
  hsa_queue_t* queue_ = nullptr;
  hsa_signal_t gate_{};
  hsa_executable_t executable_{};
  hsa_code_object_reader_t reader_{};
  std::vector<std::byte> blob_;
  std::vector<void*> memory_;
  bool running_ = false;
};

}  // namespace heddle::check::test
