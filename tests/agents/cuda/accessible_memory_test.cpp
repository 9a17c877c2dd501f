// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels that check their addresses are told of memory.
#include "agents/cuda/accessible_memory.h"

#include <cstring>

#include "agents/cuda/gpu_agent.h"
#include "gpu_fixture.h"

namespace heddle::cuda::test {
namespace {

using Ranges = std::vector<std::pair<uint64_t, uint64_t>>;

class AccessibleMemoryTest : public GpuTest {
 protected:
  AccessibleMemory& memory() { return device->accessible_memory(); }
  static const void* at(uint64_t address) { return reinterpret_cast<const void*>(address); }
  Ranges ranges() {
    Ranges all;
    for (const auto& range : memory().ranges()) all.emplace_back(range.begin, range.size);
    return all;
  }
  /// What kernels read.
  static Ranges contents_of(const RangeTable& table) {
    Ranges all;
    const auto* rows = reinterpret_cast<const ptx_kernel::MemoryRange*>(table.address());
    for (uint32_t i = 0; i < table.size(); ++i) all.emplace_back(rows[i].begin, rows[i].size);
    return all;
  }
};

TEST_F(AccessibleMemoryTest, is_in_order_and_apart) {
  memory().add(at(0x5000), 0x10);
  memory().add(at(0x1000), 0x100);
  memory().add(at(0x1080), 0x100);  // overlaps
  memory().add(at(0x1010), 0x10);   // inside
  memory().add(at(0x9000), 0);
  EXPECT_EQ(ranges(), (Ranges{{0x1000, 0x180}, {0x5000, 0x10}}));
}

TEST_F(AccessibleMemoryTest, keeps_neighbours_apart_but_joins_the_pieces_of_large_memory) {
  constexpr uint64_t piece = (uint64_t{1} << 31) - 4096;
  memory().add(at(0x1000), 0x100);
  memory().add(at(0x1100), 0x100);
  memory().add(at(1ull << 40), piece);
  memory().add(at((1ull << 40) + piece), 0x2000);
  EXPECT_EQ(ranges(), (Ranges{{0x1000, 0x100}, {0x1100, 0x100}, {1ull << 40, piece + 0x2000}}));
}

TEST_F(AccessibleMemoryTest, counts_what_is_added_twice) {
  memory().add(at(0x1000), 0x100);
  memory().add(at(0x1000), 0x100);
  memory().remove(at(0x1000));
  EXPECT_EQ(ranges(), (Ranges{{0x1000, 0x100}}));
  memory().remove(at(0x1000));
  memory().remove(at(0x1000));
  EXPECT_EQ(ranges(), Ranges());
}

TEST_F(AccessibleMemoryTest, is_copied_when_it_has_changed) {
  const auto first = memory().table();
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ((*first)->size(), 0u);
  EXPECT_TRUE(device->device_memory().contains((*first)->address()));
  memory().add(at(0x1000), 0x100);
  const auto second = memory().table();
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_NE((*second)->address(), (*first)->address()) << "kernels may still look at the first one";
  EXPECT_EQ(contents_of(**second), (Ranges{{0x1000, 0x100}}));
  const auto third = memory().table();
  ASSERT_TRUE(third);
  EXPECT_EQ(third->get(), second->get());
}

TEST_F(AccessibleMemoryTest, has_that_of_other_gpus_which_it_includes) {
  const auto peer = std::make_shared<AccessibleMemory>(device->context(), device->device_memory());
  peer->add(at(0x9000), 0x20);
  memory().add(at(0x1000), 0x10);
  memory().include(peer);
  memory().include(peer);
  auto first = memory().table();
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(contents_of(**first), (Ranges{{0x1000, 0x10}, {0x9000, 0x20}}));
  EXPECT_EQ(ranges(), (Ranges{{0x1000, 0x10}}));
  peer->include(device->shared_accessible_memory());
  peer->add(at(0xa000), 0x30);
  peer->remove(at(0x9000));
  auto second = memory().table();
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(contents_of(**second), (Ranges{{0x1000, 0x10}, {0xa000, 0x30}}));
  EXPECT_EQ(*memory().table(), *second) << "nothing has changed";
}

TEST_F(AccessibleMemoryTest, forgets_other_gpus_that_are_gone) {
  auto peer = std::make_shared<AccessibleMemory>(device->context(), device->device_memory());
  peer->add(at(0x9000), 0x20);
  memory().include(peer);
  peer.reset();
  auto table = memory().table();
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(contents_of(**table), Ranges());
}

TEST_F(AccessibleMemoryTest, needs_no_memory_of_the_gpu_when_nobody_looks_at_it_any_more) {
  const uint64_t before = fake_control().mapped_bytes;
  {
    AccessibleMemory own(device->context(), device->device_memory());
    own.add(at(0x1000), 0x100);
    auto kept = own.table();
    ASSERT_TRUE(kept);
    EXPECT_GT(fake_control().mapped_bytes, before);
  }
  EXPECT_EQ(fake_control().mapped_bytes, before);
}

TEST_F(AccessibleMemoryTest, reports_that_there_is_no_room) {
  fake_control().machine.memory = 0;
  memory().add(at(0x1000), 0x100);
  const auto table = memory().table();
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().status, Status::out_of_memory);
  fake_control().machine = {};
  EXPECT_TRUE(memory().table()) << "the next attempt starts anew";
}

// ---- who adds it

TEST_F(AccessibleMemoryTest, is_what_clients_were_given) {
  LazyDriver driver(HEDDLE_FAKE_CUDA, std::nullopt);
  GpuAgent agent(host, driver, device->context().gpu(), 0);
  ASSERT_EQ(agent.open(), HSAM_Done);
  void* made = nullptr;
  ASSERT_EQ(agent.region_allocate(device_memory_id(0), 1000, 16, &made), HSAM_Done);
  uint64_t host_memory[4] = {};
  ASSERT_EQ(agent.memory_allocation(0, host_memory, sizeof host_memory, false), HSAM_Done);
  const auto known = [&](const void* base, uint64_t size) {
    const auto all = agent.accessible_memory().ranges();
    return std::ranges::any_of(all, [&](const auto& range) {
      return range.begin == reinterpret_cast<uint64_t>(base) && range.size == size;
    });
  };
  EXPECT_TRUE(known(made, 1000));
  EXPECT_TRUE(known(host_memory, sizeof host_memory));
  EXPECT_EQ(agent.accessible_memory().ranges().size(), 2u);
  agent.memory_free(host_memory);
  EXPECT_EQ(agent.region_free(made), HSAM_Done);
  EXPECT_EQ(agent.accessible_memory().ranges().size(), 0u);
}

TEST_F(AccessibleMemoryTest, is_not_what_the_driver_refuses) {
  LazyDriver driver(HEDDLE_FAKE_CUDA, std::nullopt);
  GpuAgent agent(host, driver, device->context().gpu(), 0);
  ASSERT_EQ(agent.open(), HSAM_Done);
  uint64_t host_memory[4] = {};
  fake_control().before = [](std::string_view function) {
    return function == "cuMemHostRegister_v2" ? Status::not_supported : Status::success;
  };
  EXPECT_EQ(agent.memory_allocation(0, host_memory, sizeof host_memory, true), HSAM_Done);
  EXPECT_EQ(agent.accessible_memory().ranges().size(), 0u);
  agent.memory_free(host_memory);
}

TEST_F(AccessibleMemoryTest, is_told_to_kernels_that_check_addresses_only) {
  start();
  memory().add(at(0x1000), 0x100);
  for (const bool checks : {false, true}) {
    SCOPED_TRACE(checks);
    auto object = code_of("prog kernel &k(kernarg_u64 %a) { ret; };", 8,
                          checks ? codeobject::kernel_checks_addresses : 0);
    if (checks) {
      const std::string parameter = ".b8 hsail_linear_0_param_1[176]";
      const auto* begin = reinterpret_cast<const std::byte*>(parameter.c_str());
      object.text.insert(object.text.end() - 1, begin, begin + parameter.size());
    }
    const auto code = load(object);
    Signal done;
    uint64_t kernarg = 0;
    auto packet = dispatch(code->kernel_object(0), 64, 64, &done);
    packet.kernarg_address = &kernarg;
    queue.submit(packet);
    EXPECT_TRUE(done.becomes(0));
    EXPECT_EQ(fake_control().checks.range_count, checks ? 1u : 0u);
    EXPECT_EQ(fake_control().checks.kernarg_size, checks ? 8u : 0u);
  }
  processor.reset();
}

}  // namespace
}  // namespace heddle::cuda::test
