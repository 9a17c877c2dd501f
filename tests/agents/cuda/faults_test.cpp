// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that fault or do not end, over the whole runtime: they cost the queues of their GPU and the
// contents of its memory, and nothing else. The tests run on the fake GPU, and as they are on a GPU of
// NVIDIA's (HEDDLE_AGENTS=cpu,cuda). Each test should have a process of its own, because the driver is in the
// program only until the first of them.
#include <gtest/gtest.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <hsail/hsail.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "gpu_regions.h"
#include "one_dispatch.h"

namespace heddle::cuda::test {
namespace {

using std::chrono::steady_clock;

constexpr uint32_t items = 1000;

/// `&ids` stores the ID of each work-item, plus one; `&stray` stores to an address that is nobody's;
/// `&endless` goes on until a word is not 0. It does not look at the word that asks it to stop, because it
/// has no atomic operation.
constexpr char text[] = R"(module &m:1:2:$base:$large:$near;
prog kernel &ids(kernarg_u64 %out) {
  ld_kernarg_align(8)_u64 $d0, [%out];
  workitemflatabsid_u32 $s0;
  cvt_u64_u32 $d1, $s0;
  shl_u64 $d1, $d1, 2;
  add_u64 $d0, $d0, $d1;
  add_u32 $s0, $s0, 1;
  st_global_u32 $s0, [$d0];
  ret;
};
prog kernel &stray(kernarg_u64 %out) {
  st_global_u32 1, [64];
  ret;
};
prog kernel &endless(kernarg_u64 %out) {
  ld_kernarg_align(8)_u64 $d0, [%out];
@loop:
  ld_global_u32 $s0, [$d0];
  add_u32 $s1, $s1, 1;
  st_global_u32 $s1, [$d0+4];
  cmp_eq_b1_u32 $c0, $s0, 0;
  cbr_b1 $c0, @loop;
  ret;
};
)";

std::vector<char> finalized(const std::string& isa) {
  const hsail_diagnostic_callback complain = [](const char* message, size_t length, void*) {
    ADD_FAILURE() << std::string(message, length);
  };
  hsail_blob brig = {}, code = {};
  EXPECT_EQ(hsail_assemble(text, sizeof text - 1, "faults.hsail", &brig, complain, nullptr), HSAIL_OK);
  hsail_program_t program = nullptr;
  EXPECT_EQ(hsail_program_create(HSA_MACHINE_MODEL_LARGE, HSA_PROFILE_BASE,
                                 HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, &program),
            HSAIL_OK);
  EXPECT_EQ(hsail_program_add_module(program, brig.data, brig.size, complain, nullptr), HSAIL_OK);
  EXPECT_EQ(hsail_program_finalize(program, HSAIL_CODE_OBJECT_BOTH, isa.c_str(), "", nullptr, &code, complain,
                                   nullptr),
            HSAIL_OK);
  const auto* begin = static_cast<const char*>(code.data);
  std::vector<char> bytes(begin, begin + code.size);
  hsail_blob_free(&code);
  hsail_blob_free(&brig);
  EXPECT_EQ(hsail_program_destroy(program), HSAIL_OK);
  return bytes;
}

/// The kernels, loaded for an agent.
class Kernels {
 public:
  explicit Kernels(hsa_agent_t agent) : agent_(agent), code_(finalized(isa_of(agent))) {
    EXPECT_EQ(hsa_code_object_reader_create_from_memory(code_.data(), code_.size(), &reader_),
              HSA_STATUS_SUCCESS);
    EXPECT_EQ(hsa_executable_create_alt(HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, nullptr,
                                        &executable_),
              HSA_STATUS_SUCCESS);
    EXPECT_EQ(hsa_executable_load_program_code_object(executable_, reader_, nullptr, nullptr),
              HSA_STATUS_SUCCESS);
    EXPECT_EQ(hsa_executable_load_agent_code_object(executable_, agent, reader_, nullptr, nullptr),
              HSA_STATUS_SUCCESS);
    EXPECT_EQ(hsa_executable_freeze(executable_, nullptr), HSA_STATUS_SUCCESS);
  }
  ~Kernels() {
    EXPECT_EQ(hsa_executable_destroy(executable_), HSA_STATUS_SUCCESS);
    EXPECT_EQ(hsa_code_object_reader_destroy(reader_), HSA_STATUS_SUCCESS);
  }
  Kernels(const Kernels&) = delete;
  Kernels& operator=(const Kernels&) = delete;

  /// A dispatch, whose kernarg segment is `kernarg`.
  hsa_kernel_dispatch_packet_t packet(const char* kernel, void* kernarg, uint32_t size) const {
    hsa_kernel_dispatch_packet_t packet = {};
    packet.setup = 1 << HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS;
    packet.workgroup_size_x = static_cast<uint16_t>(std::min(size, 64u));
    packet.grid_size_x = size;
    packet.workgroup_size_y = packet.workgroup_size_z = 1;
    packet.grid_size_y = packet.grid_size_z = 1;
    packet.kernarg_address = kernarg;
    hsa_executable_symbol_t symbol = {0};
    EXPECT_EQ(hsa_executable_get_symbol_by_name(executable_, kernel, &agent_, &symbol), HSA_STATUS_SUCCESS);
    hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &packet.kernel_object);
    return packet;
  }
  hsa_agent_t agent() const { return agent_; }

 private:
  const hsa_agent_t agent_;
  const std::vector<char> code_;
  hsa_code_object_reader_t reader_ = {0};
  hsa_executable_t executable_ = {0};
};

hsa_agent_t find_cpu() {
  hsa_agent_t found = {0};
  hsa_iterate_agents(
      [](hsa_agent_t agent, void* out) {
        hsa_device_type_t type;
        hsa_agent_feature_t features;
        hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
        hsa_agent_get_info(agent, HSA_AGENT_INFO_FEATURE, &features);
        if (type == HSA_DEVICE_TYPE_CPU && (features & HSA_AGENT_FEATURE_KERNEL_DISPATCH))
          *static_cast<hsa_agent_t*>(out) = agent;
        return HSA_STATUS_SUCCESS;
      },
      &found);
  return found;
}

std::vector<hsa_agent_t> all_gpus() {
  std::vector<hsa_agent_t> found;
  hsa_iterate_agents(
      [](hsa_agent_t agent, void* out) {
        hsa_device_type_t type;
        hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
        if (type == HSA_DEVICE_TYPE_GPU) static_cast<std::vector<hsa_agent_t>*>(out)->push_back(agent);
        return HSA_STATUS_SUCCESS;
      },
      &found);
  return found;
}

bool is_set(const char* name) {
  const char* const value = std::getenv(name);
  return value && *value == '1';
}

/// Copies between the host and a GPU, in both directions at once and one after the other, until it is told to
/// end.
class ManyCopies {
 public:
  ManyCopies(hsa_agent_t gpu, uint32_t* host, uint32_t* device, size_t words)
      : gpu_(gpu),
        host_(host),
        device_(device),
        words_(words),
        to_gpu_([this] { copy_until_ended(true); }),
        to_host_([this] { copy_until_ended(false); }) {}
  ~ManyCopies() { end(); }
  ManyCopies(const ManyCopies&) = delete;
  ManyCopies& operator=(const ManyCopies&) = delete;

  /// Returns how many copies have ended well; each of the others has ended with an error.
  int end() {
    ends_ = true;
    for (std::thread* const thread : {&to_gpu_, &to_host_})
      if (thread->joinable()) thread->join();
    return copies_;
  }
  int copies() const { return copies_; }

 private:
  /// The first half of the memory goes to the GPU, the second comes from there.
  void copy_until_ended(bool to_gpu) {
    hsa_signal_t done = {0};
    EXPECT_EQ(hsa_signal_create(1, 0, nullptr, &done), HSA_STATUS_SUCCESS);
    const size_t half = words_ / 2;
    while (!ends_) {
      hsa_signal_store_relaxed(done, 1);
      void* const to = to_gpu ? device_ : host_ + half;
      const void* const from = to_gpu ? host_ : device_ + half;
      if (hsa_amd_memory_async_copy(to, gpu_, from, gpu_, half * sizeof(uint32_t), 0, nullptr, done) !=
          HSA_STATUS_SUCCESS)
        continue;
      if (hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED) ==
          0)
        ++copies_;
    }
    EXPECT_EQ(hsa_signal_destroy(done), HSA_STATUS_SUCCESS);
  }

  const hsa_agent_t gpu_;
  uint32_t *const host_, *const device_;
  const size_t words_;
  std::atomic<bool> ends_{false};
  std::atomic<int> copies_{0};
  std::thread to_gpu_, to_host_;
};

class Faults : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { ASSERT_EQ(hsa_init(), HSA_STATUS_SUCCESS); }
  static void TearDownTestSuite() { EXPECT_EQ(hsa_shut_down(), HSA_STATUS_SUCCESS); }

  void SetUp() override {
    gpu = find_gpu();
    ASSERT_NE(gpu.handle, 0u) << "no GPU (HEDDLE_AGENTS)";
    host = find_region(gpu, HSA_REGION_GLOBAL_FLAG_KERNARG);
    device = find_region(gpu, HSA_REGION_GLOBAL_FLAG_COARSE_GRAINED);
  }

  template <typename T>
  using Memory = std::unique_ptr<T[], void (*)(T*)>;
  template <typename T>
  Memory<T> allocate(hsa_region_t from, size_t count) {
    void* memory = nullptr;
    EXPECT_EQ(hsa_memory_allocate(from, count * sizeof(T), &memory), HSA_STATUS_SUCCESS);
    return {static_cast<T*>(memory), [](T* p) { EXPECT_EQ(hsa_memory_free(p), HSA_STATUS_SUCCESS); }};
  }

  /// Whether `&ids` runs on an agent and stores what it should, in memory of the host.
  bool runs(const Kernels& kernels, uint64_t* kernarg, uint32_t* out) {
    std::fill_n(out, items, 0);
    *kernarg = reinterpret_cast<uintptr_t>(out);
    const OneDispatch dispatch(kernels.agent(), kernels.packet("&ids", kernarg, items));
    dispatch.wait();
    for (uint32_t i = 0; i < items; ++i)
      if (out[i] != i + 1) return false;
    return !dispatch.error().happened;
  }

  hsa_agent_t gpu = {0};
  hsa_region_t host = {0}, device = {0};
};

TEST_F(Faults, leave_the_program_its_agents_and_memory_of_the_host_as_they_were) {
  const Kernels kernels(gpu), on_host(find_cpu());
  const auto kernarg = allocate<uint64_t>(host, 1);
  const auto out = allocate<uint32_t>(host, items);
  const auto large = allocate<uint32_t>(host, 1 << 20);
  const auto on_device = allocate<uint32_t>(device, 1 << 20);
  std::iota(large.get(), large.get() + (1 << 20), 5u);
  ASSERT_TRUE(runs(kernels, kernarg.get(), out.get()));
  for (int times = 0; times < 3; ++times) {
    steady_clock::time_point failed;
    {
      const OneDispatch stray(gpu, kernels.packet("&stray", kernarg.get(), 1), HSA_STATUS_SUCCESS);
      stray.wait();
      failed = steady_clock::now();
      ASSERT_TRUE(stray.error().happened);
      EXPECT_EQ(stray.error().status, HSA_STATUS_ERROR);
      EXPECT_TRUE(runs(on_host, kernarg.get(), out.get())) << "agents of the host do not depend on a GPU";
    }
    ASSERT_TRUE(runs(kernels, kernarg.get(), out.get()));
    const std::chrono::duration<double, std::milli> taken = steady_clock::now() - failed;
    std::printf("usable again %.0f ms after the fault\n", taken.count());
    EXPECT_EQ(large[12345], 12350u);
    // Its own contents are lost, but the memory is still there.
    ASSERT_EQ(hsa_memory_copy(on_device.get(), large.get(), 4 << 20), HSA_STATUS_SUCCESS);
    std::vector<uint32_t> back(1 << 20);
    ASSERT_EQ(hsa_memory_copy(back.data(), on_device.get(), 4 << 20), HSA_STATUS_SUCCESS);
    EXPECT_TRUE(std::equal(back.begin(), back.end(), large.get()));
    // So are addresses in it.
    *kernarg.get() = reinterpret_cast<uintptr_t>(on_device.get());
    const OneDispatch dispatch(gpu, kernels.packet("&ids", kernarg.get(), items));
    dispatch.wait();
    ASSERT_EQ(hsa_memory_copy(back.data(), on_device.get(), items * sizeof(uint32_t)), HSA_STATUS_SUCCESS);
    EXPECT_EQ(back[items - 1], items);
  }
}

TEST_F(Faults, need_not_happen_for_a_kernel_that_does_not_end_to_be_left_behind) {
  if (is_set("HEDDLE_CUDA_INPROCESS")) GTEST_SKIP() << "the program waits for such kernels";
  const Kernels kernels(gpu);
  const auto kernarg = allocate<uint64_t>(host, 2);
  const auto out = allocate<uint32_t>(host, items);
  const auto word = allocate<uint32_t>(device, 2);
  const auto large = allocate<uint32_t>(device, 1 << 20);
  ASSERT_TRUE(runs(kernels, &kernarg[0], out.get()));
  const uint32_t zero = 0;
  ASSERT_EQ(hsa_memory_copy(word.get(), &zero, sizeof zero), HSA_STATUS_SUCCESS);
  kernarg[1] = reinterpret_cast<uintptr_t>(word.get());
  const auto begin = steady_clock::now();
  {
    const OneDispatch endless(gpu, kernels.packet("&endless", &kernarg[1], 64));
    while (hsa_queue_load_read_index_relaxed(endless.queue()) == 0) std::this_thread::yield();
    ASSERT_EQ(hsa_queue_inactivate(endless.queue()), HSA_STATUS_SUCCESS);
  }
  EXPECT_TRUE(runs(kernels, &kernarg[0], out.get()));
  const std::chrono::duration<double> taken = steady_clock::now() - begin;
  EXPECT_GT(taken.count(), 0.9) << "it has a second to stop, and does not";
  std::printf("usable again %.2f s after a kernel that does not end was asked to\n", taken.count());
  std::vector<uint32_t> sent(1 << 20), got(1 << 20);
  std::iota(sent.begin(), sent.end(), 1u);
  ASSERT_EQ(hsa_memory_copy(large.get(), sent.data(), 4 << 20), HSA_STATUS_SUCCESS);
  ASSERT_EQ(hsa_memory_copy(got.data(), large.get(), 4 << 20), HSA_STATUS_SUCCESS);
  EXPECT_EQ(got, sent);
}

TEST_F(Faults, need_not_happen_for_copies_to_go_on_beside_a_kernel_that_does_not_end) {
  if (is_set("HEDDLE_CUDA_INPROCESS")) GTEST_SKIP() << "the program waits for such kernels";
  constexpr size_t words = 1 << 21;
  const Kernels kernels(gpu);
  const auto kernarg = allocate<uint64_t>(host, 2);
  const auto out = allocate<uint32_t>(host, items);
  const auto large = allocate<uint32_t>(host, words);
  const auto on_device = allocate<uint32_t>(device, words);
  const auto word = allocate<uint32_t>(device, 2);
  ASSERT_TRUE(runs(kernels, &kernarg[0], out.get()));
  std::iota(large.get(), large.get() + words, 1u);
  ASSERT_EQ(hsa_memory_copy(on_device.get(), large.get(), words * sizeof(uint32_t)), HSA_STATUS_SUCCESS);
  const uint32_t zero = 0;
  ASSERT_EQ(hsa_memory_copy(word.get(), &zero, sizeof zero), HSA_STATUS_SUCCESS);
  kernarg[1] = reinterpret_cast<uintptr_t>(word.get());
  int before = 0;
  ManyCopies copies(gpu, large.get(), on_device.get(), words);
  {
    const OneDispatch endless(gpu, kernels.packet("&endless", &kernarg[1], 64));
    while (hsa_queue_load_read_index_relaxed(endless.queue()) == 0) std::this_thread::yield();
    for (const int there = copies.copies(); copies.copies() < there + 10;) std::this_thread::yield();
    ASSERT_EQ(hsa_queue_inactivate(endless.queue()), HSA_STATUS_SUCCESS);
    before = copies.copies();
  }
  EXPECT_TRUE(runs(kernels, &kernarg[0], out.get()));
  for (const int there = copies.copies(); copies.copies() < there + 10;) std::this_thread::yield();
  const int all = copies.end();
  std::printf("%d copies ended before the kernel was given up, and %d after that\n", before, all - before);
  // What is copied now is what was sent, and no copy of before writes to the memory any more.
  std::iota(large.get(), large.get() + words, 7u);
  ASSERT_EQ(hsa_memory_copy(on_device.get(), large.get(), words * sizeof(uint32_t)), HSA_STATUS_SUCCESS);
  std::vector<uint32_t> got(words);
  ASSERT_EQ(hsa_memory_copy(got.data(), on_device.get(), words * sizeof(uint32_t)), HSA_STATUS_SUCCESS);
  EXPECT_TRUE(std::equal(got.begin(), got.end(), large.get()));
}

TEST_F(Faults, of_one_gpu_leave_the_others_usable) {
  const std::vector<hsa_agent_t> gpus = all_gpus();
  if (gpus.size() < 2) GTEST_SKIP() << "there is one GPU only";
  const bool apart = is_set("HEDDLE_CUDA_HELPER");
  const Kernels kernels(gpus[0]), on_other(gpus[1]);
  const auto kernarg = allocate<uint64_t>(host, 2);
  const auto out = allocate<uint32_t>(host, items);
  const auto there = allocate<uint32_t>(find_region(gpus[1], HSA_REGION_GLOBAL_FLAG_COARSE_GRAINED), items);
  ASSERT_TRUE(runs(kernels, kernarg.get(), out.get()));
  ASSERT_TRUE(runs(on_other, kernarg.get(), out.get()));
  ASSERT_EQ(hsa_memory_copy(there.get(), out.get(), items * sizeof(uint32_t)), HSA_STATUS_SUCCESS);
  for (int times = 0; times < 2; ++times) {
    {
      const OneDispatch stray(gpus[0], kernels.packet("&stray", &kernarg[1], 1), HSA_STATUS_SUCCESS);
      stray.wait();
      ASSERT_TRUE(stray.error().happened);
      EXPECT_EQ(stray.error().status, HSA_STATUS_ERROR);
    }
    const auto begin = steady_clock::now();
    ASSERT_TRUE(runs(on_other, kernarg.get(), out.get()));
    const std::chrono::duration<double, std::milli> taken = steady_clock::now() - begin;
    std::printf("the other GPU has run a kernel %.1f ms after the fault\n", taken.count());
    ASSERT_TRUE(runs(kernels, kernarg.get(), out.get()));
    std::vector<uint32_t> back(items);
    ASSERT_EQ(hsa_memory_copy(back.data(), there.get(), items * sizeof(uint32_t)), HSA_STATUS_SUCCESS);
    // After the first fault, the driver of each GPU is in a process of its own.
    if (apart || times > 0) EXPECT_TRUE(std::equal(back.begin(), back.end(), out.get()));
    ASSERT_EQ(hsa_memory_copy(there.get(), out.get(), items * sizeof(uint32_t)), HSA_STATUS_SUCCESS);
  }
}

}  // namespace
}  // namespace heddle::cuda::test
