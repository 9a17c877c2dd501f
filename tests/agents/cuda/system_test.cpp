// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs over the whole runtime with the GPUs of the fake driver.
#include <gtest/gtest.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_image.h>

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "codeobject/ptx_kernel.h"
#include "fake_ptx.h"
#include "fake_queue.h"
#include "gpu_regions.h"
#include "ids.h"

namespace heddle::cuda::test {
namespace {

constexpr uint32_t count = 1000;

/// Adds an array in device memory and a variable of the agent, and stores the sums in host memory.
constexpr char kernel[] = R"(
prog alloc(agent) global_u32 &v;
prog kernel &k(kernarg_u64 %in, kernarg_u64 %out, kernarg_u32 %count) {
  workitemflatabsid_u32 $s0;
  ld_kernarg_u32 $s1, [%count];
  cmp_ge_b1_u32 $c0, $s0, $s1;
  cbr_b1 $c0, @end;
  ld_kernarg_u64 $d0, [%in];
  ld_kernarg_u64 $d1, [%out];
  shl_u32 $s1, $s0, 2;
  cvt_u64_u32 $d2, $s1;
  add_u64 $d0, $d0, $d2;
  add_u64 $d1, $d1, $d2;
  ld_global_u32 $s2, [$d0];
  ld_global_u32 $s3, [&v];
  add_u32 $s2, $s2, $s3;
  st_global_u32 $s2, [$d1];
@end:
  ret;
};
)";

struct Arguments {
  uint32_t *in, *out;
  uint32_t count;
};

std::vector<std::byte> code_object() {
  codeobject::CodeObject object = code_of(kernel, sizeof(Arguments));
  object.text = fake_ptx(kernel, {"&k"}, {"&v"});
  codeobject::Variable& variable = object.variables.emplace_back();
  variable.name = variable.linker_name = "&v";
  variable.module_name = "&m";
  variable.allocation = codeobject::Allocation::agent;
  variable.size = variable.align = 4;
  variable.init.assign(4, std::byte{0});
  variable.init[0] = std::byte{7};
  object.data.resize(8);
  object.relocations.emplace_back().what = codeobject::Relocation::What::variable;
  return codeobject::write(object);
}

class System : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("HEDDLE_AGENTS", "cuda", 1);
    setenv("HEDDLE_FAKE_MARK", std::to_string(getpid()).c_str(), 1);
    setenv("HEDDLE_CUDA_LIBRARY", HEDDLE_FAKE_CUDA, 1);
    ASSERT_EQ(hsa_init(), HSA_STATUS_SUCCESS);
    ASSERT_EQ(hsa_signal_create(-1, 0, nullptr, &early_doorbell), HSA_STATUS_SUCCESS);
    ASSERT_EQ(hsa_soft_queue_create(find_region(find_gpu(), HSA_REGION_GLOBAL_FLAG_FINE_GRAINED), 64,
                                    HSA_QUEUE_TYPE_MULTI, HSA_QUEUE_FEATURE_AGENT_DISPATCH, early_doorbell,
                                    &early_queue),
              HSA_STATUS_SUCCESS);
  }
  static void TearDownTestSuite() {
    EXPECT_EQ(hsa_queue_destroy(early_queue), HSA_STATUS_SUCCESS);
    EXPECT_EQ(hsa_signal_destroy(early_doorbell), HSA_STATUS_SUCCESS);
    EXPECT_EQ(hsa_shut_down(), HSA_STATUS_SUCCESS);
  }

  void SetUp() override {
    gpu = find_gpu();
    ASSERT_NE(gpu.handle, 0u);
    kernarg = region(HSA_REGION_GLOBAL_FLAG_KERNARG);
    coarse = region(HSA_REGION_GLOBAL_FLAG_COARSE_GRAINED);
  }
  /// The global region of the GPU with this flag.
  hsa_region_t region(uint32_t flag) const {
    const hsa_region_t found = find_region(gpu, flag);
    EXPECT_NE(found.handle, 0u);
    return found;
  }
  template <typename T>
  T* allocate(hsa_region_t from, size_t number) {
    void* memory = nullptr;
    EXPECT_EQ(hsa_memory_allocate(from, number * sizeof(T), &memory), HSA_STATUS_SUCCESS);
    return static_cast<T*>(memory);
  }

  /// Loads the kernel and returns its kernel object.
  uint64_t load(std::span<const std::byte> code) {
    uint64_t object = 0;
    hsa_executable_symbol_t symbol = {0};
    EXPECT_EQ(hsa_code_object_reader_create_from_memory(code.data(), code.size(), &reader),
              HSA_STATUS_SUCCESS);
    EXPECT_EQ(hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, nullptr,
                                        &executable),
              HSA_STATUS_SUCCESS);
    EXPECT_EQ(hsa_executable_load_agent_code_object(executable, gpu, reader, nullptr, nullptr),
              HSA_STATUS_SUCCESS);
    EXPECT_EQ(hsa_executable_freeze(executable, nullptr), HSA_STATUS_SUCCESS);
    EXPECT_EQ(hsa_executable_get_symbol_by_name(executable, "&k", &gpu, &symbol), HSA_STATUS_SUCCESS);
    EXPECT_EQ(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &object),
              HSA_STATUS_SUCCESS);
    return object;
  }
  void unload() {
    EXPECT_EQ(hsa_executable_destroy(executable), HSA_STATUS_SUCCESS);
    EXPECT_EQ(hsa_code_object_reader_destroy(reader), HSA_STATUS_SUCCESS);
  }
  /// Runs a kernel in a queue that is made for it.
  void run(uint64_t object, void* arguments, uint16_t group = 64) {
    hsa_queue_t* queue = nullptr;
    hsa_signal_t done;
    ASSERT_EQ(hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_SINGLE, nullptr, nullptr, 0, 0, &queue),
              HSA_STATUS_SUCCESS);
    ASSERT_EQ(hsa_signal_create(1, 0, nullptr, &done), HSA_STATUS_SUCCESS);
    auto packet = agents::test::dispatch(object, 1024, group);
    packet.kernarg_address = arguments;
    packet.completion_signal = done;
    const uint64_t index = hsa_queue_add_write_index_screlease(queue, 1);
    auto* slot = static_cast<hsa_kernel_dispatch_packet_t*>(queue->base_address);
    uint32_t head = 0;
    std::memcpy(&head, &packet, sizeof head);
    packet.header = HSA_PACKET_TYPE_INVALID;
    *slot = packet;
    __atomic_store_n(reinterpret_cast<uint32_t*>(slot), head, __ATOMIC_RELEASE);
    hsa_signal_store_screlease(queue->doorbell_signal, static_cast<hsa_signal_value_t>(index));
    EXPECT_EQ(hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX, HSA_WAIT_STATE_BLOCKED),
              0);
    EXPECT_EQ(hsa_queue_destroy(queue), HSA_STATUS_SUCCESS);
    EXPECT_EQ(hsa_signal_destroy(done), HSA_STATUS_SUCCESS);
  }

  /// A soft queue that was made before the GPU was used.
  static inline hsa_queue_t* early_queue = nullptr;
  static inline hsa_signal_t early_doorbell = {0};

  hsa_code_object_reader_t reader = {0};
  hsa_executable_t executable = {0};
  hsa_agent_t gpu = {0};
  hsa_region_t kernarg = {0}, coarse = {0};
};

TEST_F(System, shows_the_gpu_as_an_agent_of_the_base_profile) {
  char name[64] = "";
  hsa_profile_t profile;
  uint32_t wavefront = 0;
  EXPECT_EQ(hsa_agent_get_info(gpu, HSA_AGENT_INFO_NAME, name), HSA_STATUS_SUCCESS);
  EXPECT_EQ(hsa_agent_get_info(gpu, HSA_AGENT_INFO_PROFILE, &profile), HSA_STATUS_SUCCESS);
  EXPECT_EQ(hsa_agent_get_info(gpu, HSA_AGENT_INFO_WAVEFRONT_SIZE, &wavefront), HSA_STATUS_SUCCESS);
  EXPECT_STREQ(name, "Fake GPU 0");
  EXPECT_EQ(profile, HSA_PROFILE_BASE);
  EXPECT_EQ(wavefront, 32u);
}

TEST_F(System, copies_to_and_from_device_memory) {
  auto* device = allocate<char>(coarse, 5 << 20);
  std::vector<char> sent(5 << 20, 'x'), got(5 << 20);
  sent[4 << 20] = 'y';
  EXPECT_EQ(hsa_memory_copy(device, sent.data(), sent.size()), HSA_STATUS_SUCCESS);
  EXPECT_EQ(hsa_memory_copy(got.data(), device, got.size()), HSA_STATUS_SUCCESS);
  EXPECT_EQ(got, sent);
  EXPECT_EQ(hsa_memory_free(device), HSA_STATUS_SUCCESS);
  void* all = nullptr;
  EXPECT_EQ(hsa_memory_allocate(coarse, uint64_t{1} << 30, &all), HSA_STATUS_SUCCESS);
  void* more = nullptr;
  EXPECT_EQ(hsa_memory_allocate(coarse, 1, &more), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  EXPECT_EQ(hsa_memory_free(all), HSA_STATUS_SUCCESS);
}

TEST_F(System, runs_a_kernel_on_memory_of_host_and_device_with_a_variable_of_the_agent) {
  const std::vector<std::byte> code = code_object();
  const uint64_t object = load(code);
  auto* in = allocate<uint32_t>(coarse, count);
  auto* out = allocate<uint32_t>(kernarg, count);
  auto* arguments = allocate<Arguments>(kernarg, 1);
  *arguments = {in, out, count};
  std::vector<uint32_t> numbers(count);
  for (uint32_t i = 0; i < count; ++i) numbers[i] = i * i;
  ASSERT_EQ(hsa_memory_copy(in, numbers.data(), count * sizeof(uint32_t)), HSA_STATUS_SUCCESS);
  run(object, arguments);
  for (uint32_t i = 0; i < count; ++i) ASSERT_EQ(out[i], i * i + 7);
  unload();
  for (void* memory : {static_cast<void*>(in), static_cast<void*>(out), static_cast<void*>(arguments)})
    EXPECT_EQ(hsa_memory_free(memory), HSA_STATUS_SUCCESS);
}

constexpr uint32_t image_width = 8, image_height = 16;

hsa_ext_image_descriptor_t image_descriptor() {
  return {HSA_EXT_IMAGE_GEOMETRY_2D,
          image_width,
          image_height,
          0,
          0,
          {HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT32, HSA_EXT_IMAGE_CHANNEL_ORDER_R}};
}

/// Adds to each element of an image, which is the first that a variable starts with if there is no other.
constexpr char image_kernel[] = R"(
extension "IMAGE";
prog alloc(agent) global_rwimg &own;
prog kernel &k(kernarg_rwimg %image, kernarg_u32 %add) {
  workitemflatabsid_u32 $s0;
  cmp_ge_b1_u32 $c0, $s0, 128;
  cbr_b1 $c0, @end;
  ld_kernarg_rwimg $d0, [%image];
  ld_global_rwimg $d1, [&own];
  cmp_eq_b1_u64 $c0, $d0, 0;
  cmov_b64 $d0, $c0, $d1, $d0;
  ld_kernarg_u32 $s3, [%add];
  and_b32 $s1, $s0, 7;
  shr_u32 $s2, $s0, 3;
  ldimage_v4_2d_u32_rwimg_u32 ($s4, $s5, $s6, $s7), $d0, ($s1, $s2);
  add_u32 $s4, $s4, $s3;
  stimage_v4_2d_u32_rwimg_u32 ($s4, $s5, $s6, $s7), $d0, ($s1, $s2);
@end:
  ret;
};
)";
struct ImageArguments {
  uint64_t image;
  uint32_t add;
};

/// The code of the kernel, with a variable that starts with an image.
std::vector<std::byte> image_code_object() {
  codeobject::CodeObject object = code_of(image_kernel, sizeof(ImageArguments));
  object.text = fake_ptx(image_kernel, {"&k"}, {"&own"});
  codeobject::Variable& variable = object.variables.emplace_back();
  variable.name = variable.linker_name = "&own";
  variable.module_name = "&m";
  variable.allocation = codeobject::Allocation::agent;
  variable.size = variable.align = 8;
  object.data.resize(8);
  object.relocations.emplace_back().what = codeobject::Relocation::What::variable;
  const hsa_ext_image_descriptor_t d = image_descriptor();
  codeobject::ImageInitializer& image = object.images.emplace_back();
  image.permission = HSA_ACCESS_PERMISSION_RW;
  image.geometry = static_cast<uint8_t>(d.geometry);
  image.channel_type = static_cast<uint8_t>(d.format.channel_type);
  image.channel_order = static_cast<uint8_t>(d.format.channel_order);
  image.width = d.width;
  image.height = d.height;
  codeobject::Relocation& handle = object.relocations.emplace_back();
  handle.where = codeobject::Relocation::Where::variable;
  handle.what = codeobject::Relocation::What::image;
  handle.size = 8;
  return codeobject::write(object);
}

TEST_F(System, has_images_of_all_kinds) {
  bool has = false;
  EXPECT_EQ(hsa_agent_extension_supported(HSA_EXTENSION_IMAGES, gpu, 1, 0, &has), HSA_STATUS_SUCCESS);
  EXPECT_TRUE(has);
  uint32_t handles = 0, capability = 0;
  EXPECT_EQ(hsa_agent_get_info(gpu, static_cast<hsa_agent_info_t>(HSA_EXT_AGENT_INFO_MAX_IMAGE_RD_HANDLES),
                               &handles),
            HSA_STATUS_SUCCESS);
  EXPECT_GE(handles, 128u);
  const hsa_ext_image_format_t format = image_descriptor().format;
  EXPECT_EQ(hsa_ext_image_get_capability(gpu, HSA_EXT_IMAGE_GEOMETRY_2D, &format, &capability),
            HSA_STATUS_SUCCESS);
  EXPECT_NE(capability & HSA_EXT_IMAGE_CAPABILITY_READ_WRITE, 0u);
}

/// The data of the images lie in device memory, which the host cannot access if the GPU has a process.
class SystemImages : public System {
 protected:
  void SetUp() override {
    System::SetUp();
    for (size_t i = 0; i < 2; ++i) {
      data[i] = allocate<uint32_t>(coarse, elements);
      EXPECT_EQ(hsa_ext_image_create(gpu, &descriptor, data[i], HSA_ACCESS_PERMISSION_RW, &image[i]),
                HSA_STATUS_SUCCESS);
    }
    for (uint32_t i = 0; i < elements; ++i) numbers[i] = i;
    EXPECT_EQ(hsa_ext_image_import(gpu, numbers.data(), 0, 0, image[0], &whole), HSA_STATUS_SUCCESS);
  }
  void TearDown() override {
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(hsa_ext_image_destroy(gpu, image[i]), HSA_STATUS_SUCCESS);
      EXPECT_EQ(hsa_memory_free(data[i]), HSA_STATUS_SUCCESS);
    }
  }
  std::vector<uint32_t> content(size_t number) {
    std::vector<uint32_t> found(elements);
    EXPECT_EQ(hsa_ext_image_export(gpu, image[number], found.data(), 0, 0, &whole), HSA_STATUS_SUCCESS);
    return found;
  }

  static constexpr size_t elements = image_width * image_height;
  const hsa_ext_image_descriptor_t descriptor = image_descriptor();
  const hsa_ext_image_region_t whole = {{0, 0, 0}, {image_width, image_height, 1}};
  hsa_ext_image_t image[2] = {};
  uint32_t* data[2] = {};
  std::vector<uint32_t> numbers = std::vector<uint32_t>(elements);
};

TEST_F(SystemImages, are_imported_copied_cleared_and_exported) {
  EXPECT_EQ(content(0), numbers);
  const hsa_dim3_t from = {1, 2, 0}, to = {2, 3, 0}, range = {4, 5, 1};
  const uint32_t colour[4] = {77, 0, 0, 0};
  EXPECT_EQ(hsa_ext_image_clear(gpu, image[1], colour, &whole), HSA_STATUS_SUCCESS);
  EXPECT_EQ(hsa_ext_image_copy(gpu, image[0], &from, image[1], &to, &range), HSA_STATUS_SUCCESS);
  std::vector<uint32_t> wanted(elements, 77);
  for (uint32_t y = 0; y < range.y; ++y)
    for (uint32_t x = 0; x < range.x; ++x)
      wanted[(to.y + y) * image_width + to.x + x] = (from.y + y) * image_width + from.x + x;
  EXPECT_EQ(content(1), wanted);
  std::vector<uint32_t> there(elements);
  EXPECT_EQ(hsa_memory_copy(there.data(), data[1], elements * 4), HSA_STATUS_SUCCESS);
  EXPECT_EQ(there, wanted) << "the layout is linear";
  // Within one image, to a place that overlaps.
  const hsa_dim3_t here = {0, 0, 0}, beside = {1, 0, 0}, row = {6, 1, 1};
  EXPECT_EQ(hsa_ext_image_copy(gpu, image[0], &here, image[0], &beside, &row), HSA_STATUS_SUCCESS);
  const std::vector<uint32_t> moved = content(0);
  for (uint32_t x = 0; x < 6; ++x) EXPECT_EQ(moved[x + 1], x);
}

TEST_F(SystemImages, refuse_what_is_not_theirs) {
  const hsa_ext_image_region_t outside = {{1, 0, 0}, {image_width, 1, 1}};
  EXPECT_EQ(hsa_ext_image_import(gpu, numbers.data(), 0, 0, image[0], &outside),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_ext_image_export(gpu, {image[0].handle + 8}, numbers.data(), 0, 0, &whole),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_ext_image_destroy(gpu, {12345}), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  hsa_ext_image_t other{};
  EXPECT_EQ(hsa_ext_image_create(gpu, &descriptor, reinterpret_cast<char*>(data[0]) + 4,
                                 HSA_ACCESS_PERMISSION_RW, &other),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_ext_image_create(gpu, &descriptor, data[0], HSA_ACCESS_PERMISSION_RO, &other),
            HSA_STATUS_SUCCESS);
  EXPECT_EQ(hsa_ext_image_destroy(gpu, other), HSA_STATUS_SUCCESS);
  EXPECT_EQ(hsa_ext_image_destroy(gpu, other), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  const hsa_ext_sampler_descriptor_t sampled = {HSA_EXT_SAMPLER_COORDINATE_MODE_NORMALIZED,
                                                HSA_EXT_SAMPLER_FILTER_MODE_LINEAR,
                                                HSA_EXT_SAMPLER_ADDRESSING_MODE_REPEAT};
  hsa_ext_sampler_t sampler{};
  EXPECT_EQ(hsa_ext_sampler_create(gpu, &sampled, &sampler), HSA_STATUS_SUCCESS);
  EXPECT_EQ(hsa_ext_sampler_destroy(gpu, sampler), HSA_STATUS_SUCCESS);
  EXPECT_EQ(hsa_ext_sampler_destroy(gpu, sampler), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

/// A handle counts until it is destroyed, also if there is no memory for another one.
TEST_F(SystemImages, are_limited_in_number_and_by_memory) {
  void* all = nullptr;
  uint64_t size = uint64_t{1} << 30;
  while (size != 0 && hsa_memory_allocate(coarse, size, &all) != HSA_STATUS_SUCCESS) size -= 2 << 20;
  ASSERT_NE(size, 0u);
  std::vector<hsa_ext_image_t> made;
  hsa_ext_image_t another{};
  const auto create = [&] {
    return hsa_ext_image_create(gpu, &descriptor, data[0], HSA_ACCESS_PERMISSION_RO, &another);
  };
  while (made.size() <= 4096 && create() == HSA_STATUS_SUCCESS) made.push_back(another);
  EXPECT_LT(made.size(), 4096u) << "memory ends first";
  EXPECT_EQ(create(), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  EXPECT_EQ(hsa_memory_free(all), HSA_STATUS_SUCCESS);
  while (made.size() <= 4096 && create() == HSA_STATUS_SUCCESS) made.push_back(another);
  EXPECT_EQ(made.size(), 4096u);
  for (const hsa_ext_image_t each : made) EXPECT_EQ(hsa_ext_image_destroy(gpu, each), HSA_STATUS_SUCCESS);
}

TEST_F(SystemImages, are_read_and_written_by_kernels) {
  const uint64_t object = load(image_code_object());
  auto* arguments = allocate<ImageArguments>(kernarg, 1);
  *arguments = {image[0].handle, 1000};
  run(object, arguments);
  for (uint32_t& number : numbers) number += 1000;
  EXPECT_EQ(content(0), numbers);
  // The image of the variable is another one, whose elements nobody knows.
  *arguments = {0, 1};
  run(object, arguments);
  EXPECT_EQ(content(0), numbers);
  unload();
  EXPECT_EQ(hsa_memory_free(arguments), HSA_STATUS_SUCCESS);
}

/// Each work-item subtracts 1 from a signal, and waits until another one is 0.
constexpr char signalling[] = R"(
prog kernel &k(kernarg_sig64 %out, kernarg_sig64 %in) {
  ld_kernarg_sig64 $d0, [%out];
  ld_kernarg_sig64 $d1, [%in];
  signalnoret_sub_screl_s64_sig64 $d0, 1;
  signal_wait_eq_scacq_s64_sig64 $d2, $d1, 0;
  ret;
};
)";

TEST_F(System, lets_host_and_kernel_wait_for_each_other_by_signals) {
  struct SignalArguments {
    hsa_signal_t out, in;
  };
  const uint64_t object =
      load(codeobject::write(code_of(signalling, sizeof(SignalArguments), codeobject::kernel_asks_host)));
  auto* arguments = allocate<SignalArguments>(kernarg, 1);
  ASSERT_EQ(hsa_signal_create(1024, 0, nullptr, &arguments->out), HSA_STATUS_SUCCESS);
  ASSERT_EQ(hsa_signal_create(1, 0, nullptr, &arguments->in), HSA_STATUS_SUCCESS);
  std::thread host([&] {
    EXPECT_EQ(hsa_signal_wait_scacquire(arguments->out, HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX,
                                        HSA_WAIT_STATE_BLOCKED),
              0);
    hsa_signal_subtract_screlease(arguments->in, 1);
  });
  run(object, arguments, 1024);
  host.join();
  EXPECT_EQ(hsa_signal_destroy(arguments->out), HSA_STATUS_SUCCESS);
  EXPECT_EQ(hsa_signal_destroy(arguments->in), HSA_STATUS_SUCCESS);
  unload();
  EXPECT_EQ(hsa_memory_free(arguments), HSA_STATUS_SUCCESS);
}

/// Writes a packet into the first slot of a queue and rings its doorbell, or without a queue stores a number.
constexpr char enqueuing[] = R"(
prog kernel &k(kernarg_u64 %queue, kernarg_u64 %packet) {
  workitemflatabsid_u32 $s0;
  cmp_ne_b1_u32 $c0, $s0, 0;
  cbr_b1 $c0, @end;
  ld_kernarg_u64 $d0, [%queue];
  ld_kernarg_u64 $d1, [%packet];
  cmp_eq_b1_u64 $c0, $d0, 0;
  cbr_b1 $c0, @child;
  ld_global_u64 $d2, [$d0+8];
  ld_global_sig64 $d3, [$d0+16];
  ld_global_u64 $d4, [$d1+8];
  st_global_u64 $d4, [$d2+8];
  ld_global_u64 $d4, [$d1+16];
  st_global_u64 $d4, [$d2+16];
  ld_global_u64 $d4, [$d1+24];
  st_global_u64 $d4, [$d2+24];
  ld_global_u64 $d4, [$d1+32];
  st_global_u64 $d4, [$d2+32];
  ld_global_u64 $d4, [$d1+40];
  st_global_u64 $d4, [$d2+40];
  ld_global_u64 $d4, [$d1+56];
  st_global_u64 $d4, [$d2+56];
  ld_global_u32 $s0, [$d1+4];
  st_global_u32 $s0, [$d2+4];
  ld_global_u32 $s0, [$d1];
  atomicnoret_st_global_screl_system_b32 [$d2], $s0;
  signalnoret_st_screl_b64_sig64 $d3, 0;
  br @end;
@child:
  st_global_u64 77, [$d1];
@end:
  ret;
};
)";
struct EnqueueArguments {
  hsa_queue_t* queue;
  void* packet;
};

class SystemQueues : public System {
 protected:
  void SetUp() override {
    System::SetUp();
    object =
        load(codeobject::write(code_of(enqueuing, sizeof(EnqueueArguments), codeobject::kernel_asks_host)));
    arguments = allocate<EnqueueArguments>(kernarg, 2);
    packet = allocate<hsa_kernel_dispatch_packet_t>(kernarg, 1);
    result = allocate<uint64_t>(kernarg, 1);
    *packet = agents::test::dispatch(object, 1, 1);
    packet->kernarg_address = &arguments[1];
    arguments[1] = {nullptr, result};
    *result = 0;
  }
  void TearDown() override {
    unload();
    for (void* memory :
         {static_cast<void*>(arguments), static_cast<void*>(packet), static_cast<void*>(result)})
      EXPECT_EQ(hsa_memory_free(memory), HSA_STATUS_SUCCESS);
  }
  /// Whether the GPU can access the header, the indices and all packets. The fake does not know in another
  /// process, where kernels fault if it cannot.
  static bool is_registered(const hsa_queue_t* queue) {
    using Function = bool (*)(const void*, size_t);
    static const auto in_fake = reinterpret_cast<Function>(
        dlsym(dlopen(HEDDLE_FAKE_CUDA, RTLD_NOW | RTLD_NOLOAD), "heddle_fake_cuda_is_registered"));
    const char* const setting = getenv("HEDDLE_CUDA_HELPER");
    if (setting && *setting == '1') return true;
    const auto* begin = reinterpret_cast<const char*>(queue) - 128;
    const auto* end = static_cast<const char*>(queue->base_address) + size_t{queue->size} * 64;
    return in_fake && in_fake(begin, static_cast<size_t>(end - begin));
  }

  uint64_t object = 0;
  EnqueueArguments* arguments = nullptr;
  hsa_kernel_dispatch_packet_t* packet = nullptr;
  uint64_t* result = nullptr;
};

TEST_F(SystemQueues, get_dispatches_of_kernels) {
  for (const uint32_t size : {64u, 1024u, 16384u}) {
    hsa_queue_t* queue = nullptr;
    ASSERT_EQ(hsa_queue_create(gpu, size, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, 0, 0, &queue),
              HSA_STATUS_SUCCESS);
    EXPECT_TRUE(is_registered(queue)) << size;
    ASSERT_EQ(hsa_signal_create(1, 0, nullptr, &packet->completion_signal), HSA_STATUS_SUCCESS);
    arguments[0] = {queue, packet};
    *result = 0;
    hsa_queue_store_write_index_relaxed(queue, 1);
    run(object, arguments);
    EXPECT_EQ(hsa_signal_wait_scacquire(packet->completion_signal, HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX,
                                        HSA_WAIT_STATE_BLOCKED),
              0);
    EXPECT_EQ(*result, 77u) << size;
    EXPECT_EQ(hsa_queue_destroy(queue), HSA_STATUS_SUCCESS);
    EXPECT_EQ(hsa_signal_destroy(packet->completion_signal), HSA_STATUS_SUCCESS);
  }
}

TEST_F(SystemQueues, that_were_made_before_the_gpu_was_used_get_packets_of_kernels) {
  EXPECT_TRUE(is_registered(early_queue));
  packet->header = HSA_PACKET_TYPE_AGENT_DISPATCH;
  arguments[0] = {early_queue, packet};
  run(object, arguments);
  EXPECT_EQ(hsa_signal_load_scacquire(early_doorbell), 0);
  EXPECT_EQ(std::memcmp(early_queue->base_address, packet, sizeof *packet), 0);
}

TEST_F(SystemQueues, lie_in_memory_that_the_host_can_write) {
  hsa_queue_t* queue = nullptr;
  EXPECT_EQ(hsa_soft_queue_create(coarse, 64, HSA_QUEUE_TYPE_MULTI, HSA_QUEUE_FEATURE_AGENT_DISPATCH,
                                  early_doorbell, &queue),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

/// The process of the GPU that this program has started, by a mark in its environment; 0 if there is none.
pid_t process_of_gpu() {
  const std::string mark = "HEDDLE_FAKE_MARK=" + std::to_string(getpid());
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string number = entry.path().filename();
    if (number.find_first_not_of("0123456789") != std::string::npos || number == std::to_string(getpid()))
      continue;
    std::ifstream file(entry.path() / "environ", std::ios::binary);
    const std::string variables{std::istreambuf_iterator<char>(file), {}};
    if (variables.find(mark) != std::string::npos) return static_cast<pid_t>(std::stol(number));
  }
  return 0;
}

TEST_F(System, goes_on_after_the_death_of_the_process_of_the_gpu) {
  const char* const setting = getenv("HEDDLE_CUDA_HELPER");
  if (!setting || *setting != '1') GTEST_SKIP() << "the driver is in this process";
  struct IdArguments {
    uint32_t* out;
  };
  const uint64_t object = load(codeobject::write(code_of(ids, sizeof(IdArguments))));
  auto* out = allocate<uint32_t>(kernarg, 1024);
  auto* device = allocate<uint32_t>(coarse, 1024);
  auto* arguments = allocate<IdArguments>(kernarg, 1);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(out) >> 44, 3u) << "host memory lies apart: " << out;
  *arguments = {out};
  run(object, arguments);
  const pid_t process = process_of_gpu();
  ASSERT_NE(process, 0);
  ASSERT_EQ(kill(process, SIGKILL), 0);
  // The process loses its environment before it closes its sockets. From then on it copies nothing, but
  // copies fail until its end is noticed.
  uint32_t number = 5;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (process_of_gpu() == process && std::chrono::steady_clock::now() < deadline)
    std::this_thread::yield();
  ASSERT_NE(process_of_gpu(), process);
  while (hsa_memory_copy(device, &number, sizeof number) != HSA_STATUS_SUCCESS)
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "copies go on failing";
  number = 0;
  ASSERT_EQ(hsa_memory_copy(&number, device, sizeof number), HSA_STATUS_SUCCESS);
  EXPECT_EQ(number, 5u);
  std::fill_n(out, 1024, 0);
  run(object, arguments);
  for (uint32_t i = 0; i < 1024; ++i) ASSERT_EQ(out[i], i + 1);
  unload();
  for (void* memory : {static_cast<void*>(out), static_cast<void*>(device), static_cast<void*>(arguments)})
    EXPECT_EQ(hsa_memory_free(memory), HSA_STATUS_SUCCESS);
}

}  // namespace
}  // namespace heddle::cuda::test
