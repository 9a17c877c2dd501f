// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <hsa/hsa_brig_modifiers.h>

#include <numeric>

#include "agents/common/host_agent.h"
#include "codeobject/ptx_kernel.h"
#include "gpu_fixture.h"
#include "gpu_thread.h"
#include "ids.h"

namespace heddle::cuda::test {
namespace {

struct Arguments {
  uint32_t* out;
};

class Queue : public GpuTest {
 protected:
  /// Runs `ids` over a grid, and expects each work-item to have run once.
  void expect_ids(hsa_kernel_dispatch_packet_t packet) {
    const uint64_t count = uint64_t{packet.grid_size_x} * packet.grid_size_y * packet.grid_size_z;
    std::vector<uint32_t> out(count);
    Arguments arguments{out.data()};
    Signal done;
    packet.kernarg_address = &arguments;
    packet.completion_signal = done.handle();
    queue.submit(packet);
    ASSERT_TRUE(done.becomes(0));
    for (uint64_t i = 0; i < count; ++i) ASSERT_EQ(out[i], i + 1);
  }
  /// Dispatches one work-group of a kernel that does not end by itself, and inactivates the queue.
  void expect_to_stop(const agents::LoadedCode& code) {
    uint32_t out[64];
    Arguments arguments{out};
    fake_control().endless = true;
    Signal done;
    auto packet = dispatch(code.kernel_object(0), 64, 64, &done);
    packet.kernarg_address = &arguments;
    queue.submit(packet);
    while (queue.read_index() == 0) std::this_thread::yield();
    processor->inactivate();
    EXPECT_EQ(done.load(), 1);
    fake_control().endless = false;
    processor.reset();
  }
  /// Dispatches a kernel of one work-group that traps, and expects the queue to fail.
  void expect_trap(const agents::LoadedCode& code) {
    Signal done;
    queue.submit(dispatch(code.kernel_object(0), 64, 64, &done));
    const auto trapped = error();
    EXPECT_EQ(trapped.status, HSA_STATUS_ERROR_EXCEPTION);
    EXPECT_NE(trapped.message.find("kernel &k"), std::string::npos) << trapped.message;
    EXPECT_EQ(done.load(), 1);
    processor.reset();
  }
};

TEST_F(Queue, runs_kernels_through_the_native_entry_if_all_groups_are_full) {
  start();
  const auto code = load(code_of(ids, sizeof(Arguments)));
  const uint64_t native = fake_control().native_kernels, linear = fake_control().linear_kernels;
  expect_ids(dispatch(code->kernel_object(0), 256, 64));
  EXPECT_EQ(fake_control().native_kernels, native + 1);
  expect_ids(dispatch(code->kernel_object(0), 250, 64));
  EXPECT_EQ(fake_control().linear_kernels, linear + 1);
  processor.reset();
}

TEST_F(Queue, tells_kernels_which_memory_of_gpus_they_reach) {
  const auto code = load(code_of(ids, sizeof(Arguments)));
  std::mutex mutex;
  GpuDevice::Reach told;
  fake_control().instead = [&](const ptx_kernel::Hidden& hidden) {
    std::lock_guard lock(mutex);
    told = {hidden.device_begin, hidden.device_size};
  };
  start();
  const auto run = [&] {
    Signal done;
    auto packet = dispatch(code->kernel_object(0), 64, 64);
    Arguments arguments{nullptr};
    packet.kernarg_address = &arguments;
    packet.completion_signal = done.handle();
    queue.submit(packet);
    EXPECT_TRUE(done.becomes(0));
    std::lock_guard lock(mutex);
    return told;
  };
  const DeviceMemory& own = device->device_memory();
  GpuDevice::Reach reach = run();
  EXPECT_EQ(reach.begin, own.window());
  EXPECT_EQ(reach.size, own.window_size());
  auto peer = DeviceMemory::create(device->context(), 2);
  ASSERT_TRUE(peer && (*peer)->is_where_wanted());
  EXPECT_TRUE(device->reach_also(**peer));
  reach = run();
  EXPECT_EQ(reach.begin, own.window());
  EXPECT_EQ(reach.begin + reach.size, (*peer)->window() + (*peer)->window_size());
  auto elsewhere = DeviceMemory::create(device->context(), 2);
  ASSERT_TRUE(elsewhere && !(*elsewhere)->is_where_wanted()) << "the addresses are taken";
  EXPECT_FALSE(device->reach_also(**elsewhere)) << "the host may have memory between the two";
  EXPECT_EQ(run().size, reach.size);
  processor.reset();
  fake_control().instead = {};
}

/// The driver may wait for kernels that run before it loads the code of another one, and these may wait for
/// that one.
TEST_F(Queue, dispatches_kernels_whose_code_has_been_loaded_with_the_code_object) {
  const uint64_t before = fake_control().functions_found;
  const auto code = load(code_of(ids, sizeof(Arguments)));
  const uint64_t loaded = fake_control().functions_found;
  EXPECT_EQ(loaded, before + 2) << "of the native and the linear entry";
  start();
  expect_ids(dispatch(code->kernel_object(0), 256, 64));
  expect_ids(dispatch(code->kernel_object(0), 250, 64));
  EXPECT_EQ(fake_control().functions_found, loaded);
  processor.reset();
}

TEST_F(Queue, looks_up_kernels_again_when_their_code_is_restored) {
  const codeobject::CodeObject object = code_of(ids, sizeof(Arguments));
  PtxCode ptx{reinterpret_cast<const char*>(object.text.data()), true};
  auto module = LoadedModule::load(device->context(), ptx, 0);
  ASSERT_TRUE(module) << module.error().message;
  const auto code = std::make_shared<KernelCode>(device->context(), std::move(ptx), std::move(*module), 0);
  ASSERT_TRUE(code->fill_addresses([](std::vector<uint64_t>) { return std::vector<uint64_t>(); }));
  const auto kernel = std::make_shared<Kernel>(code, object.kernels.at(0), 0);
  const uint64_t before = fake_control().functions_found;
  code->prepare({kernel});
  EXPECT_EQ(fake_control().functions_found, before + 2) << "of the native and the linear entry";
  ASSERT_TRUE(code->restore());
  EXPECT_EQ(fake_control().functions_found, before + 4);
  EXPECT_TRUE(kernel->entry(ptx_kernel::EntryForm::linear, 64, 0));
  EXPECT_EQ(fake_control().functions_found, before + 4);
}

/// Equal parameters make the next launch cheaper for the driver.
TEST_F(Queue, leaves_out_of_dispatches_what_their_kernels_do_not_read) {
  std::mutex mutex;
  std::vector<ptx_kernel::Hidden> told;
  fake_control().instead = [&](const ptx_kernel::Hidden& hidden) {
    std::lock_guard lock(mutex);
    told.push_back(hidden);
  };
  start();
  codeobject::CodeObject object = code_of(ids, sizeof(Arguments));
  for (const bool reads : {true, false}) {
    if (!reads) object.kernels.at(0).flags &= ~codeobject::kernel_reads_dispatch;
    const auto code = load(object);
    Arguments arguments{nullptr};
    for (int i = 0; i < 2; ++i) {
      Signal done;
      auto packet = dispatch(code->kernel_object(0), 64, 64);
      packet.kernarg_address = &arguments;
      packet.completion_signal = done.handle();
      queue.submit(packet);
      EXPECT_TRUE(done.becomes(0));
    }
    ASSERT_EQ(told.size(), 2u);
    EXPECT_EQ(std::memcmp(&told[0], &told[1], sizeof told[0]) == 0, !reads);
    for (const ptx_kernel::Hidden& hidden : told) {
      EXPECT_EQ(hidden.completion_signal != 0, reads);
      EXPECT_EQ(hidden.clock_ticks != 0, reads);
      EXPECT_EQ(hidden.clock_nanoseconds != 0, reads);
      EXPECT_EQ(hidden.error != 0, reads);
      EXPECT_EQ(hidden.grid_size[0], 64u);
    }
    EXPECT_EQ(told[1].packet_id, reads ? 1u : 0u);
    told.clear();
  }
  processor.reset();
  fake_control().instead = {};
}

TEST_F(Queue, runs_grids_of_three_dimensions_with_partial_groups) {
  start();
  const auto code = load(code_of(ids, sizeof(Arguments)));
  auto packet = dispatch(code->kernel_object(0), 33, 16);
  packet.setup = 3;
  packet.grid_size_y = 7;
  packet.grid_size_z = 5;
  packet.workgroup_size_y = 4;
  packet.workgroup_size_z = 2;
  expect_ids(packet);
  packet.grid_size_x = 32;
  packet.grid_size_y = 8;
  packet.grid_size_z = 4;
  expect_ids(packet);
  processor.reset();
}

TEST_F(Queue, launches_all_kernels_through_one_graph) {
  start();
  const auto code = load(code_of(ids, sizeof(Arguments)));
  const auto other = load(code_of(ids, sizeof(Arguments)));
  const uint64_t graphs = fake_control().graphs_made;
  for (int i = 0; i < 20; ++i) expect_ids(dispatch((i % 2 ? code : other)->kernel_object(0), 64, 64));
  EXPECT_EQ(fake_control().graphs_made, graphs + 1);
  processor.reset();
}

TEST_F(Queue, completes_many_dispatches_in_order) {
  start();
  const auto code = load(code_of(ids, sizeof(Arguments)));
  std::vector<uint32_t> out(64);
  Arguments arguments{out.data()};
  Signal done(500);
  for (int i = 0; i < 500; ++i) {
    auto packet = dispatch(code->kernel_object(0), 64, 64, &done, i % 3 == 0);
    packet.kernarg_address = &arguments;
    queue.submit(packet);
  }
  EXPECT_TRUE(done.becomes(0));
  processor.reset();
}

/// To tell the host of each dispatch would cost more than some kernels.
TEST_F(Queue, learns_together_that_dispatches_without_signals_have_ended) {
  start();
  const auto code = load(code_of(ids, sizeof(Arguments)));
  std::atomic<int> writes{0}, graphs{0};
  std::atomic<bool> goes_on{false};
  const uint64_t before = fake_control().kernels;
  fake_control().before = [&](std::string_view function) {
    if (function == "cuStreamWriteValue64_v2") ++writes;
    // The first launch waits until the queue holds all packets, so that they are launched in a row.
    if (function == "cuGraphLaunch" && graphs++ == 0)
      while (!goes_on) std::this_thread::yield();
    return Status::success;
  };
  std::vector<uint32_t> out(64);
  Arguments arguments{out.data()};
  Signal done;
  constexpr int count = 40;
  for (int i = 0; i < count; ++i) {
    auto packet = dispatch(code->kernel_object(0), 64, 64, i + 1 == count ? &done : nullptr);
    packet.kernarg_address = &arguments;
    queue.submit(packet);
  }
  goes_on = true;
  EXPECT_TRUE(done.becomes(0));
  EXPECT_EQ(fake_control().kernels - before, static_cast<uint64_t>(count));
  // After 17 and 33 of them, perhaps one more where the thread looked before all packets were there, and the
  // last.
  EXPECT_LE(writes, 4);
  EXPECT_GE(writes, 3);
  processor.reset();
}

/// Dispatches behind others that nobody waits for are launched together, and may begin early if they wait for
/// those ahead of them by themselves.
TEST_F(Queue, launches_dispatches_together_while_the_gpu_has_something_to_do) {
  constexpr int count = 40;
  Arguments arguments{nullptr};
  std::mutex mutex;
  std::vector<uint64_t> packets;
  fake_control().instead = [&](const ptx_kernel::Hidden& hidden) {
    std::lock_guard lock(mutex);
    packets.push_back(hidden.packet_id);
  };
  for (const bool driver_begins_early : {true, false})
    for (const uint32_t flags : {codeobject::kernel_waits_for_predecessor, 0u}) {
      fake_control().machine.has_early_kernels = driver_begins_early;
      start();
      const auto code = load(code_of(ids, sizeof(Arguments), flags));
      std::atomic<int> graphs{0};
      std::atomic<bool> goes_on{false};
      fake_control().before = [&](std::string_view function) {
        // The first launch waits until the queue holds all packets.
        if (function == "cuGraphLaunch" && graphs++ == 0)
          while (!goes_on) std::this_thread::yield();
        return Status::success;
      };
      const uint64_t early = fake_control().early_kernels;
      packets.clear();
      Signal done;
      uint64_t first = 0;
      for (int i = 0; i < count; ++i) {
        auto packet = dispatch(code->kernel_object(0), 64, 64, i + 1 == count ? &done : nullptr);
        packet.kernarg_address = &arguments;
        const uint64_t id = queue.submit(packet);
        if (i == 0) first = id;
      }
      goes_on = true;
      EXPECT_TRUE(done.becomes(0));
      // The first one alone, four times eight, and seven as four, two and one; a few more where the thread
      // looked before all packets were there.
      EXPECT_GE(graphs, 8);
      EXPECT_LE(graphs, 12);
      const uint64_t began_early = fake_control().early_kernels - early;
      if (driver_begins_early && flags != 0)
        EXPECT_GE(began_early, 4u * 7);
      else
        EXPECT_EQ(began_early, 0u);
      std::vector<uint64_t> expected(count);
      std::iota(expected.begin(), expected.end(), first);
      EXPECT_EQ(packets, expected);
      processor.reset();
    }
  fake_control().instead = {};
}

TEST_F(Queue, does_not_wait_for_ever_for_dispatches_without_signals_that_fail) {
  start();
  const auto code = load(code_of("prog kernel &k() { debugtrap_u32 7; ret; };", 0));
  for (int i = 0; i < 3; ++i) queue.submit(dispatch(code->kernel_object(0), 64, 64));
  EXPECT_EQ(error().status, HSA_STATUS_ERROR_EXCEPTION);
  processor.reset();
}

TEST_F(Queue, refuses_what_is_no_kernel_and_arguments_that_cannot_be_read) {
  start();
  const auto code = load(code_of(ids, sizeof(Arguments)));
  auto packet = dispatch(code->kernel_object(0), 64, 64);
  packet.kernarg_address = reinterpret_cast<void*>(8);
  queue.submit(packet);
  const auto refused = error();
  EXPECT_EQ(refused.status, HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_NE(refused.message.find("&k: the kernarg segment at 0x8 cannot be read"), std::string::npos)
      << refused.message;
}

TEST_F(Queue, refuses_a_number_that_is_no_kernel_object) {
  start();
  queue.submit(dispatch(12345, 64, 64));
  EXPECT_EQ(error().status, HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
}

TEST_F(Queue, refuses_more_group_memory_than_a_work_group_can_have) {
  start();
  const auto code = load(code_of(ids, sizeof(Arguments)));
  auto packet = dispatch(code->kernel_object(0), 64, 64);
  packet.group_segment_size = 232449;
  queue.submit(packet);
  EXPECT_EQ(error().status, HSA_STATUS_ERROR_INVALID_ALLOCATION);
}

TEST_F(Queue, raises_the_limit_of_group_memory_of_a_kernel) {
  start();
  const auto code = load(code_of(ids, sizeof(Arguments)));
  auto packet = dispatch(code->kernel_object(0), 64, 64);
  packet.group_segment_size = 200 << 10;
  expect_ids(packet);
  processor.reset();
}

TEST_F(Queue, compiles_a_kernel_again_with_fewer_registers_for_groups_that_are_too_large) {
  start();
  fake_control().block_max = 256;
  const auto code = load(code_of(ids, sizeof(Arguments)));
  expect_ids(dispatch(code->kernel_object(0), 256, 256));
  EXPECT_EQ(fake_control().register_limit, 0);
  expect_ids(dispatch(code->kernel_object(0), 1024, 1024));
  EXPECT_EQ(fake_control().register_limit, 64);
  fake_control().block_max = 1024;
  processor.reset();
}

TEST_F(Queue, has_the_driver_optimise_only_code_that_has_been_optimised) {
  start();
  auto object = code_of(ids, sizeof(Arguments));
  const auto optimised = load(object);
  EXPECT_TRUE(fake_control().optimises);
  object.kernels[0].flags |= codeobject::kernel_not_optimised;
  const auto code = load(object);
  EXPECT_FALSE(fake_control().optimises);
  expect_ids(dispatch(code->kernel_object(0), 64, 64));
  processor.reset();
}

TEST_F(Queue, fails_with_a_kernel_that_traps_and_names_it) {
  start();
  const auto code = load(code_of("prog kernel &k() { debugtrap_u32 7; ret; };", 0));
  expect_trap(*code);
}

TEST_F(Queue, stops_an_endless_kernel_when_it_is_inactivated) {
  start();
  const auto code = load(code_of(ids, sizeof(Arguments)));
  expect_to_stop(*code);
}

// ---- single work-groups

class SingleGroup : public Queue {
 protected:
  void SetUp() override {
    Queue::SetUp();
    fake_control().before = [this](std::string_view function) {
      if (function == "cuStreamWriteValue64_v2") ++writes;
      return Status::success;
    };
    start();
  }
  codeobject::CodeObject single(const std::string& hsail, uint64_t kernarg_size) {
    return code_of(hsail, kernarg_size, codeobject::kernel_has_single_entry);
  }

  std::atomic<int> writes{0};
};

TEST_F(SingleGroup, tells_of_its_end_without_a_write_of_the_stream) {
  const auto code = load(single(ids, sizeof(Arguments)));
  const uint64_t before = fake_control().single_kernels;
  for (int i = 0; i < 5; ++i) expect_ids(dispatch(code->kernel_object(0), 64, 64));
  EXPECT_EQ(fake_control().single_kernels, before + 5);
  EXPECT_EQ(writes, 0);
  // Two groups, and a partial one.
  expect_ids(dispatch(code->kernel_object(0), 128, 64));
  expect_ids(dispatch(code->kernel_object(0), 40, 64));
  EXPECT_EQ(fake_control().single_kernels, before + 5);
  EXPECT_EQ(writes, 2);
  expect_ids(dispatch(code->kernel_object(0), 1, 1));
  EXPECT_EQ(fake_control().single_kernels, before + 6);
  EXPECT_EQ(writes, 2);
  processor.reset();
}

TEST_F(SingleGroup, ends_in_order_with_dispatches_of_other_kinds) {
  const auto code = load(single(ids, sizeof(Arguments)));
  std::vector<uint32_t> out(256);
  Arguments arguments{out.data()};
  Signal done(300);
  for (int i = 0; i < 300; ++i) {
    auto packet = dispatch(code->kernel_object(0), i % 3 == 0 ? 256 : 64, 64, i % 2 ? &done : nullptr);
    packet.kernarg_address = &arguments;
    queue.submit(packet);
  }
  EXPECT_TRUE(done.becomes(150));  // every other dispatch has the signal
  processor.reset();
}

/// The GPU may still execute the last instructions of a kernel that has told of its end.
TEST_F(SingleGroup, keeps_its_code_until_the_next_dispatch_has_ended) {
  auto code = load(single(ids, sizeof(Arguments)));
  const auto other = load(single(ids, sizeof(Arguments)));
  const uint64_t modules = fake_control().modules;
  expect_ids(dispatch(other->kernel_object(0), 64, 64));  // whose code the graph keeps
  expect_ids(dispatch(code->kernel_object(0), 64, 64));
  code.reset();
  fake_control().deaf = true;
  Signal done;
  std::vector<uint32_t> out(64);
  Arguments arguments{out.data()};
  auto packet = dispatch(other->kernel_object(0), 64, 64, &done);
  packet.kernarg_address = &arguments;
  const uint64_t kernels = fake_control().kernels;
  queue.submit(packet);
  while (fake_control().kernels == kernels) std::this_thread::yield();
  EXPECT_EQ(fake_control().modules, modules) << "while the next dispatch is in flight";
  fake_control().deaf = false;
  EXPECT_TRUE(done.becomes(0));
  expect_ids(dispatch(other->kernel_object(0), 64, 64));
  EXPECT_EQ(fake_control().modules, modules - 1);
  processor.reset();
}

TEST_F(SingleGroup, fails_with_a_kernel_that_traps_and_tells_of_no_end) {
  const auto code = load(single("prog kernel &k() { debugtrap_u32 7; ret; };", 0));
  expect_trap(*code);
}

/// The host does not wait for what is behind it.
TEST_F(SingleGroup, that_traps_fails_while_the_next_dispatch_runs) {
  const auto code = load(single(ids, sizeof(Arguments)));
  std::atomic<int> kernels{0};
  std::atomic<bool> is_stopped{false};
  fake_control().instead = [&](const ptx_kernel::Hidden& hidden) {
    if (kernels++ == 0) {
      auto* const error = reinterpret_cast<ptx_kernel::ErrorRecord*>(hidden.error);
      __atomic_store_n(&error->state, ptx_kernel::ErrorRecord::complete, __ATOMIC_RELEASE);
      return;
    }
    const auto* const stop = reinterpret_cast<const uint32_t*>(hidden.stop);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!is_stopped && std::chrono::steady_clock::now() < end)
      is_stopped = __atomic_load_n(stop, __ATOMIC_ACQUIRE) != 0;
  };
  Signal first, second;
  Arguments arguments{nullptr};
  for (Signal* done : {&first, &second}) {
    auto packet = dispatch(code->kernel_object(0), 64, 64, done);
    packet.kernarg_address = &arguments;
    queue.submit(packet);
  }
  EXPECT_NE(error().message.find("kernel &k"), std::string::npos);
  EXPECT_EQ(first.load(), 1);
  EXPECT_EQ(second.load(), 1);
  processor.reset();
  EXPECT_EQ(kernels, 2);
  EXPECT_TRUE(is_stopped) << "the second kernel ended by itself";
  fake_control().instead = {};
}

TEST_F(SingleGroup, is_stopped_when_its_queue_is_inactivated) {
  const auto code = load(single(ids, sizeof(Arguments)));
  const uint64_t before = fake_control().single_kernels;
  expect_to_stop(*code);
  EXPECT_EQ(fake_control().single_kernels, before + 1);
}

TEST_F(SingleGroup, is_launched_as_others_if_its_entry_needs_fewer_registers) {
  fake_control().block_max = 32;
  const auto code = load(single(ids, sizeof(Arguments)));
  const uint64_t before = fake_control().single_kernels;
  expect_ids(dispatch(code->kernel_object(0), 32, 32));
  EXPECT_EQ(fake_control().single_kernels, before + 1);
  expect_ids(dispatch(code->kernel_object(0), 64, 64));
  EXPECT_EQ(fake_control().single_kernels, before + 1);
  EXPECT_EQ(fake_control().register_limit, 64);
  fake_control().block_max = 1024;
  processor.reset();
}

// ---- stacks

class Stack : public Queue {
 protected:
  void SetUp() override {
    Queue::SetUp();
    fake_control().stack_size = 1024;
  }
  void TearDown() override {
    fake_control().frame_size = 0;
    Queue::TearDown();
  }
  /// A kernel that may call itself, and whose own frame has this many bytes.
  std::shared_ptr<agents::LoadedCode> load_kernel(size_t frame) {
    fake_control().frame_size = frame;
    codeobject::CodeObject object = code_of("prog kernel &k() { ret; };", 0);
    object.kernels[0].dynamic_call_stack = true;
    return load(object);
  }
  static void submit(const agents::LoadedCode& code, Signal& done, FakeQueue& to) {
    to.submit(dispatch(code.kernel_object(0), 64, 64, &done));
  }
};

TEST_F(Stack, is_left_alone_for_kernels_without_calls_of_unknown_depth) {
  start();
  fake_control().frame_size = 20'000;
  const auto code = load(code_of("prog kernel &k() { ret; };", 0));
  Signal done;
  submit(*code, done, queue);
  EXPECT_TRUE(done.becomes(0));
  EXPECT_EQ(fake_control().stack_size, 1024u);
  processor.reset();
}

TEST_F(Stack, grows_to_what_a_work_item_can_have_and_no_further) {
  start();
  const auto code = load_kernel(20'000);
  Signal first, second;
  submit(*code, first, queue);
  EXPECT_TRUE(first.becomes(0));
  EXPECT_GE(fake_control().stack_size, 20'000u + 16 * 1024);
  EXPECT_LT(fake_control().stack_size, 50'000u);
  fake_control().frame_size = private_memory_max - 16 * 1024;
  submit(*code, second, queue);
  EXPECT_TRUE(second.becomes(0));
  EXPECT_EQ(fake_control().stack_size, private_memory_max);
  processor.reset();
}

TEST_F(Stack, has_as_much_for_calls_as_a_packet_asks_for) {
  start();
  const auto code = load_kernel(1000);
  const auto stack_with = [&](uint32_t private_size) {
    Signal done;
    auto packet = dispatch(code->kernel_object(0), 64, 64, &done);
    packet.private_segment_size = private_size;
    queue.submit(packet);
    EXPECT_TRUE(done.becomes(0));
    return fake_control().stack_size.load();
  };
  EXPECT_LT(stack_with(0), 30'000u);
  EXPECT_LT(stack_with(16'000), 30'000u);
  const size_t large = stack_with(100'000);
  EXPECT_GE(large, 101'000u);
  EXPECT_LT(large, 130'000u);
  processor.reset();
}

TEST_F(Stack, has_no_room_for_calls_beside_the_largest_frame) {
  start();
  const auto code = load_kernel(private_memory_max);
  Signal done;
  submit(*code, done, queue);
  const auto refused = error();
  EXPECT_EQ(refused.status, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  EXPECT_NE(refused.message.find("kernel &k: 539648 bytes of private segment and of stack for calls, of "
                                 "which a work-item can have 523264"),
            std::string::npos)
      << refused.message;
  EXPECT_EQ(fake_control().stack_size, 1024u);
}

TEST_F(Stack, that_the_driver_refuses_fails_one_queue_and_no_other) {
  start();
  const auto code = load_kernel(20'000);
  fake_control().before = [](std::string_view function) {
    static std::atomic<int> calls{0};
    return function == "cuCtxSetLimit" && calls++ == 0 ? Status::out_of_memory : Status::success;
  };
  Signal first, second;
  submit(*code, first, queue);
  const auto refused = error();
  EXPECT_EQ(refused.status, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  EXPECT_NE(refused.message.find("kernel &k: cuCtxSetLimit"), std::string::npos) << refused.message;
  EXPECT_NE(refused.message.find("bytes of stack for each work-item"), std::string::npos) << refused.message;
  EXPECT_EQ(fake_control().stack_size, 1024u) << "it is as before";
  processor.reset();
  FakeQueue other;
  start(other);
  submit(*code, second, other);
  EXPECT_TRUE(second.becomes(0));
  EXPECT_GE(fake_control().stack_size, 20'000u);
  processor.reset();
}

// ---- dispatches that can be launched in part only

/// Kernels run `body` instead of their code, while this exists.
class Instead {
 public:
  explicit Instead(std::function<void(const ptx_kernel::Hidden&)> body) {
    fake_control().instead = std::move(body);
  }
  ~Instead() { fake_control().instead = {}; }
};

/// The function of the driver fails from its call number `first` on, counted from 0.
std::function<Status(std::string_view)> refusal_of(std::string_view function, int first) {
  return [=, calls = std::make_shared<std::atomic<int>>(0)](std::string_view called) {
    return called == function && (*calls)++ >= first ? Status::out_of_memory : Status::success;
  };
}

bool is_stopped(const ptx_kernel::Hidden& hidden) {
  return __atomic_load_n(reinterpret_cast<const uint32_t*>(hidden.stop), __ATOMIC_ACQUIRE) != 0;
}

class PartialLaunch : public Queue {
 protected:
  /// Expects the queue to fail, to keep the code until its kernels have ended, and to end them.
  void expect_failure(std::shared_ptr<agents::LoadedCode> code) {
    const auto failed = error();
    EXPECT_EQ(failed.status, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    EXPECT_TRUE(failed.message.find("out of memory") != std::string::npos) << failed.message;
    code.reset();
    processor.reset();
    fake_control().before = {};
  }
};

TEST_F(PartialLaunch, keeps_the_code_and_stops_the_kernel_if_its_end_cannot_be_seen) {
  start();
  auto code = load(code_of(ids, sizeof(Arguments)));
  std::atomic<bool> has_ended{false};
  const Instead endless([&](const ptx_kernel::Hidden& hidden) {
    while (!is_stopped(hidden)) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    has_ended = true;
  });
  fake_control().before = refusal_of("cuStreamWriteValue64_v2", 0);
  Arguments arguments{nullptr};
  Signal done;
  auto packet = dispatch(code->kernel_object(0), 64, 64, &done);
  packet.kernarg_address = &arguments;
  queue.submit(packet);
  expect_failure(std::move(code));
  EXPECT_TRUE(has_ended);
  EXPECT_EQ(done.load(), 1);
}

TEST_F(PartialLaunch, lets_dispatches_before_it_end_as_they_should) {
  start();
  auto code = load(code_of(ids, sizeof(Arguments)));
  std::atomic<int> runs{0};
  const Instead waits([&](const ptx_kernel::Hidden& hidden) {
    if (runs++ == 0) std::this_thread::sleep_for(std::chrono::milliseconds(30));
    if (is_stopped(hidden) && runs == 1) ADD_FAILURE() << "the first dispatch was stopped";
  });
  fake_control().before = refusal_of("cuStreamWriteValue64_v2", 1);
  Arguments arguments{nullptr};
  Signal first, second;
  for (Signal* done : {&first, &second}) {
    auto packet = dispatch(code->kernel_object(0), 64, 64, done, false);
    packet.kernarg_address = &arguments;
    queue.submit(packet);
  }
  EXPECT_TRUE(first.becomes(0));
  expect_failure(std::move(code));
  EXPECT_EQ(second.load(), 1);
}

/// To make the stack larger waits for all kernels, and one of them may wait for a dispatch that waits to be
/// launched.
TEST_F(Queue, launches_what_waits_before_it_waits_for_the_gpu) {
  start();
  const auto code = load(code_of(ids, sizeof(Arguments)));
  auto object = code_of(ids, sizeof(Arguments));
  object.kernels.at(0).dynamic_call_stack = true;
  const auto with_stack = load(object);
  std::atomic<bool> goes_on{false}, all_there{false};
  std::atomic<int> graphs{0};
  fake_control().before = [&](std::string_view function) {
    // The first launch waits until the queue holds all packets.
    if (function == "cuGraphLaunch" && graphs++ == 0)
      while (!all_there) std::this_thread::yield();
    return Status::success;
  };
  // The first kernel waits for the third one.
  std::atomic<int> kernels{0};
  fake_control().instead = [&](const ptx_kernel::Hidden&) {
    if (kernels++ == 0)
      while (!goes_on && graphs < 2) std::this_thread::yield();
  };
  Arguments arguments{nullptr};
  Signal done;
  for (int i = 0; i < 4; ++i) {
    auto packet = dispatch((i == 3 ? with_stack : code)->kernel_object(0), 64, 64, i == 3 ? &done : nullptr);
    packet.kernarg_address = &arguments;
    packet.private_segment_size = i == 3 ? 64 << 10 : 0;
    queue.submit(packet);
  }
  all_there = true;
  EXPECT_TRUE(done.becomes(0));
  EXPECT_GE(graphs, 3) << "the two that waited, and the last one";
  goes_on = true;
  processor.reset();
  fake_control().instead = {};
}

/// Those that wait to be launched together count as in flight, so that the queue fails behind those that have
/// been launched.
TEST_F(PartialLaunch, fails_behind_the_dispatches_before_those_that_cannot_be_launched_together) {
  start();
  auto code = load(code_of(ids, sizeof(Arguments)));
  std::atomic<bool> goes_on{false};
  std::atomic<int> graphs{0}, runs{0};
  const Instead waits([&](const ptx_kernel::Hidden&) {
    while (!goes_on) std::this_thread::yield();
    ++runs;
  });
  fake_control().before = [&](std::string_view function) {
    if (function != "cuGraphLaunch" || graphs++ == 0) return Status::success;
    goes_on = true;
    return Status::out_of_memory;
  };
  Arguments arguments{nullptr};
  Signal first, last;
  for (int i = 0; i < 6; ++i) {
    auto packet = dispatch(code->kernel_object(0), 64, 64, i == 0 ? &first : i == 5 ? &last : nullptr);
    packet.kernarg_address = &arguments;
    queue.submit(packet);
  }
  EXPECT_TRUE(first.becomes(0));
  expect_failure(std::move(code));
  EXPECT_EQ(last.load(), 1);
  EXPECT_EQ(runs, 1);
}

TEST_F(PartialLaunch, stops_work_items_of_the_first_part_that_wait_for_the_host) {
  start();
  auto code = load(code_of(ids, sizeof(Arguments), codeobject::kernel_asks_host));
  Signal never;
  std::atomic<bool> was_stopped{false};
  const Instead asks([&](const ptx_kernel::Hidden& hidden) {
    was_stopped = fake::is_stopped_while_asking(
        hidden, {ptx_kernel::MailboxSlot::signal, HSA_BRIG_ATOMIC_OPERATION_WAIT_EQ, 1, 8,
                 reinterpret_cast<uint64_t>(never.get()), 77, 0});
  });
  fake_control().before = refusal_of("cuGraphLaunch", 1);
  Arguments arguments{nullptr};
  // More work-groups than a grid of the GPU can have.
  auto packet = dispatch(code->kernel_object(0), 0xffffffff, 1);
  packet.kernarg_address = &arguments;
  queue.submit(packet);
  expect_failure(std::move(code));
  EXPECT_TRUE(was_stopped);
}

TEST_F(PartialLaunch, keeps_the_code_if_host_memory_runs_out) {
  start();
  auto code = load(code_of(ids, sizeof(Arguments)));
  const Instead endless([&](const ptx_kernel::Hidden& hidden) {
    while (!is_stopped(hidden)) std::this_thread::yield();
  });
  fake_control().before = [](std::string_view function) -> Status {
    if (function == "cuStreamWriteValue64_v2") throw std::bad_alloc();
    return Status::success;
  };
  Arguments arguments{nullptr};
  auto packet = dispatch(code->kernel_object(0), 64, 64);
  packet.kernarg_address = &arguments;
  queue.submit(packet);
  expect_failure(std::move(code));
}

// ---- code

class Code : public GpuTest {
 protected:
  std::string refusal(const codeobject::CodeObject& object,
                      std::span<const hsam_variable_address> variables = {}) {
    auto loaded = device->load(codeobject::write(object), variables);
    return loaded ? "it was accepted" : loaded.error().message;
  }
};

TEST_F(Code, that_does_not_compile_is_refused_with_the_log_of_the_compiler) {
  fake_control().module_status = Status::invalid_ptx;
  fake_control().module_log = "ptxas line 3; error: unknown symbol\n";
  const std::string message = refusal(code_of(ids, sizeof(Arguments)));
  fake_control().module_status = Status::success;
  EXPECT_NE(message.find("ptxas line 3; error: unknown symbol"), std::string::npos) << message;
  EXPECT_NE(message.find("cuModuleLoadDataEx"), std::string::npos) << message;
}

TEST_F(Code, for_another_gpu_or_without_text_is_refused) {
  codeobject::CodeObject object = code_of(ids, sizeof(Arguments));
  object.isa = "heddle:nvptx-sm_120";
  EXPECT_EQ(refusal(object), "code for heddle:nvptx-sm_120 does not run on this GPU");
  object = code_of(ids, sizeof(Arguments));
  object.text.pop_back();
  EXPECT_EQ(refusal(object), "the PTX of the code object does not end with a zero byte");
}

/// Adds the number in a variable to a number in memory.
constexpr char adds_variable[] = R"(
prog global_u32 &v;
prog kernel &k(kernarg_u64 %out) {
  ld_kernarg_u64 $d0, [%out];
  ld_global_u32 $s0, [&v];
  ld_global_u32 $s1, [$d0];
  add_u32 $s0, $s0, $s1;
  st_global_u32 $s0, [$d0];
  ret;
};
)";

codeobject::CodeObject code_with_variable() {
  codeobject::CodeObject object = code_of(adds_variable, sizeof(Arguments));
  object.text = fake_ptx(adds_variable, {"&k"}, {"&v"});
  codeobject::Variable& variable = object.variables.emplace_back();
  variable.name = variable.linker_name = "&v";
  variable.module_name = "&m";
  variable.size = variable.align = 4;
  object.data.resize(8);
  codeobject::Relocation& relocation = object.relocations.emplace_back();
  relocation.what = codeobject::Relocation::What::variable;
  return object;
}

TEST_F(Code, finds_its_variables_through_the_table_of_addresses) {
  start();
  uint32_t variable = 40, out = 2;
  const hsam_variable_address address = {0, reinterpret_cast<uint64_t>(&variable)};
  auto loaded = device->load(codeobject::write(code_with_variable()), std::span(&address, 1));
  ASSERT_TRUE(loaded) << loaded.error().message;
  Arguments arguments{&out};
  Signal done;
  auto packet = dispatch((*loaded)->kernel_object(0), 1, 1, &done);
  packet.kernarg_address = &arguments;
  queue.submit(packet);
  ASSERT_TRUE(done.becomes(0));
  EXPECT_EQ(out, 42u);
  processor.reset();
}

TEST_F(Code, without_an_address_for_a_variable_is_refused) {
  EXPECT_EQ(refusal(code_with_variable()),
            "the relocation at offset 0 of the table of addresses has no value");
  const hsam_variable_address address = {1, 4096};
  EXPECT_EQ(refusal(code_with_variable(), std::span(&address, 1)),
            "an address for a variable that is not there");
}

TEST_F(Code, is_unloaded_when_no_dispatch_needs_it_any_more) {
  const uint64_t before = fake_control().modules;
  auto code = load(code_of(ids, sizeof(Arguments)));
  EXPECT_EQ(fake_control().modules, before + 1);
  code.reset();
  EXPECT_EQ(fake_control().modules, before);
}

/// The graph of a queue refers to the first kernel and to the latest one.
TEST_F(Code, stays_while_the_graph_of_a_queue_refers_to_it) {
  start();
  const uint64_t before = fake_control().modules;
  for (int i = 0; i < 3; ++i) {
    const auto code = load(code_of("prog kernel &k() { ret; };", 0));
    Signal done;
    queue.submit(dispatch(code->kernel_object(0), 64, 64, &done));
    ASSERT_TRUE(done.becomes(0));
  }
  EXPECT_LE(fake_control().modules, before + 2);
  processor.reset();
  EXPECT_EQ(fake_control().modules, before);
}

}  // namespace
}  // namespace heddle::cuda::test
