// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reader and the writer that vendors get (hsam/code_object.h) against those of the runtime.
#include <gtest/gtest.h>
#include <hsam/code_object.h>

#include <memory>
#include <random>
#include <string_view>

#include "codeobject/code_object.h"
#include "codeobject/format.h"
#include "codeobject/kernel_abi.h"
#include "sample.h"

namespace heddle::codeobject {
namespace {

static_assert(HSAM_CODE_OBJECT_VERSION == format::version);
static_assert(HSAM_CODE_OBJECT_ABI_VERSION == kernel_abi::version);
static_assert(HSAM_CODE_OBJECT_NO_ENTRY == no_entry);

struct Free {
  void operator()(void* bytes) const { std::free(bytes); }
};
struct Written {
  std::unique_ptr<void, Free> bytes;
  size_t size = 0;
  std::span<const std::byte> span() const { return {static_cast<const std::byte*>(bytes.get()), size}; }
};

constexpr char text[40] = "the code of the vendor";
constexpr hsam_code_kernel kernels[] = {{"&first", 6, 24, 16, 0, 1, 0, 0},
                                        {"&second", 7, 0, 8, 100, 4, 12, 32}};

Written write_sample() {
  const hsam_code_source source = {"example:isa", 0, 2, text, sizeof text, kernels, 2};
  Written written;
  written.bytes.reset(hsam_code_object_write(&source, &written.size));
  return written;
}

std::string_view name_of(const hsam_code_kernel& kernel) { return {kernel.name, kernel.name_size}; }

TEST(VendorHeader, what_it_writes_is_read_by_the_runtime) {
  const Written written = write_sample();
  ASSERT_NE(written.bytes, nullptr);
  const auto object = read(written.span());
  ASSERT_TRUE(object) << object.error().print();
  EXPECT_TRUE(object->has_agent_part);
  EXPECT_FALSE(object->has_program_part);
  EXPECT_EQ(object->isa, "example:isa");
  EXPECT_EQ(object->profile, 0);
  EXPECT_EQ(object->rounding, 2);
  EXPECT_EQ(object->machine_model, 1);
  ASSERT_EQ(object->text.size(), sizeof text);
  EXPECT_EQ(std::memcmp(object->text.data(), text, sizeof text), 0);
  ASSERT_EQ(object->kernels.size(), 2u);
  for (int i = 0; i < 2; ++i) {
    const Kernel& kernel = object->kernels[static_cast<size_t>(i)];
    EXPECT_EQ(kernel.name, name_of(kernels[i]));
    EXPECT_EQ(kernel.linker_name, kernel.name);
    EXPECT_EQ(kernel.linkage, Linkage::program);
    EXPECT_EQ(kernel.kernarg_size, kernels[i].kernarg_size);
    EXPECT_EQ(kernel.kernarg_align, kernels[i].kernarg_align);
    EXPECT_EQ(kernel.group_size, kernels[i].group_size);
    EXPECT_EQ(kernel.group_align, kernels[i].group_align);
    EXPECT_EQ(kernel.private_size, kernels[i].private_size);
    EXPECT_EQ(kernel.groups_entry, kernels[i].entry);
    EXPECT_EQ(kernel.wave_entry, no_entry);
    EXPECT_EQ(kernel.max_dynamic_group_size, UINT32_MAX);
  }
  EXPECT_TRUE(object->variables.empty() && object->functions.empty() && object->relocations.empty());
}

/// Reads all that the header can tell of a code object, which must agree with the runtime's reader.
void compare(std::span<const std::byte> bytes) {
  const auto expected = read(bytes);
  ASSERT_TRUE(expected);
  hsam_code_object object;
  ASSERT_EQ(hsam_code_object_open(bytes.data(), bytes.size(), &object), nullptr);
  EXPECT_EQ(std::string_view(object.isa, object.isa_size), expected->isa);
  EXPECT_EQ(object.text_size, expected->text.size());
  EXPECT_EQ(object.data_size, expected->data.size());
  EXPECT_EQ(object.variable_count, expected->variables.size());
  EXPECT_EQ(object.function_count, expected->functions.size());
  ASSERT_EQ(object.kernel_count, expected->kernels.size());
  hsam_code_kernel kernel;
  for (uint32_t i = 0; i < object.kernel_count; ++i) {
    const Kernel& same = expected->kernels[i];
    const bool inside = same.groups_entry < expected->text.size();
    EXPECT_EQ(hsam_code_object_kernel(&object, i, &kernel), inside);
    EXPECT_EQ(name_of(kernel), same.name);
    EXPECT_EQ(kernel.kernarg_size, same.kernarg_size);
    EXPECT_EQ(kernel.kernarg_align, same.kernarg_align);
    EXPECT_EQ(kernel.group_size, same.group_size);
    EXPECT_EQ(kernel.group_align, same.group_align);
    EXPECT_EQ(kernel.private_size, same.private_size);
    EXPECT_EQ(kernel.entry, same.groups_entry);
  }
  EXPECT_EQ(hsam_code_object_kernel(&object, object.kernel_count, &kernel), 0);
}

TEST(VendorHeader, it_reads_what_itself_and_the_finalizer_write) {
  compare(write_sample().span());
  compare(write(test::sample()));
}

/// Reads whatever can be read.
void read_all(const std::vector<std::byte>& bytes) {
  hsam_code_object object;
  if (hsam_code_object_open(bytes.data(), bytes.size(), &object) != nullptr) return;
  hsam_code_kernel kernel;
  unsigned sum = 0;
  for (uint32_t i = 0; i < std::min(object.kernel_count, 100u); ++i)
    if (hsam_code_object_kernel(&object, i, &kernel))
      sum += object.text[kernel.entry] + name_of(kernel).size();
  EXPECT_LT(sum, 1u << 30);
}

TEST(VendorHeader, damaged_files_are_refused_or_harmless) {
  for (const std::vector<std::byte>& whole : {write(test::sample()), [] {
                                                const Written written = write_sample();
                                                return std::vector<std::byte>(written.span().begin(),
                                                                              written.span().end());
                                              }()}) {
    hsam_code_object object;
    // Each prefix lies at the end of its memory, so that sanitizers see a read beyond it.
    for (size_t size = 0; size < whole.size(); ++size) {
      const std::vector<std::byte> cut(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size));
      EXPECT_NE(hsam_code_object_open(cut.data(), cut.size(), &object), nullptr) << size;
    }
    std::mt19937 random(5);
    for (int i = 0; i < 20'000; ++i) {
      std::vector<std::byte> damaged = whole;
      for (int n = 0; n < 4; ++n) damaged[random() % damaged.size()] = static_cast<std::byte>(random());
      read_all(damaged);
    }
  }
}

TEST(VendorHeader, other_versions_are_told_apart) {
  const Written written = write_sample();
  std::vector<std::byte> bytes(written.span().begin(), written.span().end());
  hsam_code_object object;
  constexpr size_t version = 64 + 12 + 8;  // behind the ELF header, and the head and name of the first note
  ASSERT_EQ(std::to_integer<unsigned>(bytes[version]), HSAM_CODE_OBJECT_VERSION);
  bytes[version] = std::byte{99};
  EXPECT_STREQ(hsam_code_object_open(bytes.data(), bytes.size(), &object),
               "it has another version of the format");
  EXPECT_STREQ(hsam_code_object_open("text", 4, &object), "it is no ELF file with a section .note.heddle");
}

}  // namespace
}  // namespace heddle::codeobject
