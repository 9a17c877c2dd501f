// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loader extension of AMD, through its table, as clients use it. The null agent has no code in memory;
// amd_kernels_test.cpp has agents that do.
#include <fcntl.h>
#include <hsa/hsa_ven_amd_loader.h>
#include <unistd.h>

#include <algorithm>

#include "code.h"

namespace heddle::runtime::test {
namespace {

constexpr auto invalid_argument = HSA_STATUS_ERROR_INVALID_ARGUMENT;
using Descriptor = hsa_ven_amd_loader_segment_descriptor_t;

class AmdLoader : public Executables {
 protected:
  void SetUp() override {
    Executables::SetUp();
    ASSERT_SUCCESS(
        hsa_system_get_major_extension_table(HSA_EXTENSION_AMD_LOADER, 1, sizeof loader_, &loader_));
  }

  /// A frozen executable with both parts of the sample.
  hsa_executable_t frozen() {
    const hsa_executable_t e = executable();
    EXPECT_SUCCESS(load_program(e, program_part()));
    EXPECT_SUCCESS(load_agent(e, agent_part()));
    EXPECT_SUCCESS(hsa_executable_freeze(e, nullptr));
    return e;
  }
  std::vector<hsa_loaded_code_object_t> loaded(hsa_executable_t e) const {
    std::vector<hsa_loaded_code_object_t> found;
    EXPECT_SUCCESS(loader_.hsa_ven_amd_loader_executable_iterate_loaded_code_objects(
        e,
        [](hsa_executable_t, hsa_loaded_code_object_t object, void* data) {
          static_cast<std::vector<hsa_loaded_code_object_t>*>(data)->push_back(object);
          return HSA_STATUS_SUCCESS;
        },
        &found));
    return found;
  }
  template <typename T>
  T info(hsa_loaded_code_object_t object, hsa_ven_amd_loader_loaded_code_object_info_t attribute) const {
    T value{};
    EXPECT_SUCCESS(loader_.hsa_ven_amd_loader_loaded_code_object_get_info(object, attribute, &value))
        << attribute;
    return value;
  }
  std::vector<Descriptor> segments() const {
    size_t count = 0;
    EXPECT_SUCCESS(loader_.hsa_ven_amd_loader_query_segment_descriptors(nullptr, &count));
    std::vector<Descriptor> found(count);
    if (count != 0)
      EXPECT_SUCCESS(loader_.hsa_ven_amd_loader_query_segment_descriptors(found.data(), &count));
    return found;
  }
  bool is_known(uint64_t address) const {
    const void* host = nullptr;
    hsa_executable_t e{};
    const auto* pointer = reinterpret_cast<const void*>(address);
    const hsa_status_t status = loader_.hsa_ven_amd_loader_query_host_address(pointer, &host);
    EXPECT_EQ(loader_.hsa_ven_amd_loader_query_executable(pointer, &e), status);
    EXPECT_EQ(host, status == HSA_STATUS_SUCCESS ? pointer : nullptr);
    return status == HSA_STATUS_SUCCESS;
  }

  hsa_ven_amd_loader_1_03_pfn_t loader_{};
};

TEST_F(AmdLoader, TablesOfAllVersions) {
  bool supported = false;
  uint16_t minor = 0;
  const char* name = nullptr;
  EXPECT_SUCCESS(hsa_system_major_extension_supported(HSA_EXTENSION_AMD_LOADER, 1, &minor, &supported));
  EXPECT_TRUE(supported);
  EXPECT_EQ(minor, 3);
  EXPECT_SUCCESS(hsa_extension_get_name(HSA_EXTENSION_AMD_LOADER, &name));
  EXPECT_STREQ(name, "hsa_ven_amd_loader");
  uint8_t mask[128] = {};
  EXPECT_SUCCESS(hsa_system_get_info(HSA_SYSTEM_INFO_EXTENSIONS, mask));
  EXPECT_EQ(mask[HSA_EXTENSION_AMD_LOADER / 8], 1 << HSA_EXTENSION_AMD_LOADER % 8);
  const size_t sizes[] = {sizeof(hsa_ven_amd_loader_1_00_pfn_t), sizeof(hsa_ven_amd_loader_1_01_pfn_t),
                          sizeof(hsa_ven_amd_loader_1_02_pfn_t), sizeof(hsa_ven_amd_loader_1_03_pfn_t)};
  for (uint16_t version = 0; version <= 3; ++version) {
    uint8_t table[sizeof loader_ + 1];
    std::memset(table, 0xee, sizeof table);
    ASSERT_SUCCESS(hsa_system_get_extension_table(HSA_EXTENSION_AMD_LOADER, 1, version, table));
    EXPECT_EQ(std::memcmp(table, &loader_, sizes[version]), 0) << version;
    EXPECT_EQ(table[sizes[version]], 0xee) << version;
  }
  EXPECT_EQ(hsa_system_get_extension_table(HSA_EXTENSION_AMD_LOADER, 1, 4, &loader_), invalid_argument);
  EXPECT_EQ(hsa_system_get_extension_table(HSA_EXTENSION_AMD_LOADER, 2, 0, &loader_), invalid_argument);
  EXPECT_EQ(hsa_system_get_extension_table(HSA_EXTENSION_AMD_AQLPROFILE, 1, 0, &loader_), invalid_argument);
}

TEST_F(AmdLoader, LoadedCodeObjects) {
  const hsa_executable_t e = frozen();
  const auto objects = loaded(e);
  ASSERT_EQ(objects.size(), 2u);
  const std::vector<std::byte>* const sources[] = {&blobs_[0], &blobs_[1]};
  for (size_t i = 0; i < 2; ++i) {
    const hsa_loaded_code_object_t object = objects[i];
    EXPECT_EQ(info<hsa_executable_t>(object, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_EXECUTABLE).handle,
              e.handle);
    EXPECT_EQ(info<uint32_t>(object, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_KIND),
              i == 0 ? uint32_t{HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_KIND_PROGRAM}
                     : uint32_t{HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_KIND_AGENT});
    EXPECT_EQ(info<uint32_t>(object, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_TYPE),
              uint32_t{HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_MEMORY});
    const auto base =
        info<uint64_t>(object, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_BASE);
    const auto size =
        info<uint64_t>(object, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_SIZE);
    ASSERT_EQ(size, sources[i]->size());
    EXPECT_EQ(std::memcmp(reinterpret_cast<void*>(base), sources[i]->data(), size), 0);
    const auto length = info<uint32_t>(object, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI_LENGTH);
    std::string uri(length + 1, 'x');
    EXPECT_SUCCESS(loader_.hsa_ven_amd_loader_loaded_code_object_get_info(
        object, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI, uri.data()));
    char expected[200];
    std::snprintf(expected, sizeof expected, "memory://%d#offset=0x%lx&size=%lu", getpid(), base, size);
    EXPECT_STREQ(uri.c_str(), expected);
    EXPECT_EQ(uri[length], '\0');
    EXPECT_EQ(info<uint64_t>(object, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_BASE), 0u);
    EXPECT_EQ(info<uint64_t>(object, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_SIZE), 0u);
    EXPECT_EQ(info<int64_t>(object, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_DELTA), 0);
  }
  EXPECT_EQ(info<hsa_agent_t>(objects[1], HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_AGENT).handle,
            kernel_agent_.handle);
}

TEST_F(AmdLoader, ErrorsOfQueries) {
  const hsa_executable_t e = frozen();
  const auto objects = loaded(e);
  const auto get = [&](hsa_loaded_code_object_t object, int attribute, void* value) {
    return loader_.hsa_ven_amd_loader_loaded_code_object_get_info(
        object, static_cast<hsa_ven_amd_loader_loaded_code_object_info_t>(attribute), value);
  };
  uint64_t value = 0;
  EXPECT_EQ(get({0}, 1, &value), HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
  EXPECT_EQ(get({e.handle}, 1, &value), HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
  EXPECT_EQ(get(objects[0], 1, nullptr), invalid_argument);
  EXPECT_EQ(get(objects[0], 0, &value), invalid_argument);
  EXPECT_EQ(get(objects[0], 13, &value), invalid_argument);
  EXPECT_EQ(get(objects[0], HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_AGENT, &value), invalid_argument);
  EXPECT_EQ(get(objects[0], HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_FILE, &value),
            invalid_argument);
  const auto iterate = loader_.hsa_ven_amd_loader_executable_iterate_loaded_code_objects;
  EXPECT_EQ(iterate(e, nullptr, nullptr), invalid_argument);
  const auto stop = [](hsa_executable_t, hsa_loaded_code_object_t, void* data) {
    ++*static_cast<uint64_t*>(data);
    return HSA_STATUS_INFO_BREAK;
  };
  EXPECT_EQ(iterate(e, stop, &value), HSA_STATUS_INFO_BREAK);
  EXPECT_EQ(value, 1u);
  EXPECT_EQ(iterate({0}, stop, &value), HSA_STATUS_ERROR_INVALID_EXECUTABLE);
}

TEST_F(AmdLoader, Segments) {
  EXPECT_TRUE(segments().empty());
  const hsa_executable_t unfrozen = executable();
  EXPECT_SUCCESS(load_program(unfrozen, program_part()));
  EXPECT_TRUE(segments().empty());
  const hsa_executable_t e = frozen();
  const auto found = segments();
  ASSERT_FALSE(found.empty());
  // Each variable and kernel object lies in exactly one segment, of the right agent.
  const struct {
    const char* name;
    bool of_agent;
    hsa_executable_symbol_info_t attribute;
  } symbols[] = {{"&shared", false, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS},
                 {"&per_agent", true, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS},
                 {"&constant", true, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS},
                 {"&main", true, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT}};
  for (const auto& wanted : symbols) {
    const auto at = Executables::info<uint64_t>(symbol(e, wanted.name, wanted.of_agent), wanted.attribute);
    EXPECT_TRUE(is_known(at)) << wanted.name;
    const auto holds = [&](const Descriptor& d) {
      return at - reinterpret_cast<uintptr_t>(d.segment_base) < d.segment_size;
    };
    ASSERT_EQ(std::count_if(found.begin(), found.end(), holds), 1) << wanted.name;
    const Descriptor& segment = *std::find_if(found.begin(), found.end(), holds);
    EXPECT_EQ(segment.executable.handle, e.handle);
    EXPECT_EQ(segment.agent.handle, wanted.of_agent ? kernel_agent_.handle : 0);
    const bool code = wanted.attribute == HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT;
    EXPECT_EQ(segment.code_object_storage_type, code ? HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_MEMORY
                                                     : HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_NONE);
    EXPECT_EQ(segment.code_object_storage_size, code ? blobs_.back().size() : 0);
    EXPECT_EQ(segment.code_object_storage_base != nullptr, code);
    EXPECT_EQ(segment.code_object_storage_offset, 0u);
    if (code) EXPECT_FALSE(is_known(at + 256) && found.size() == 1);
  }
  int local = 0;
  EXPECT_FALSE(is_known(reinterpret_cast<uint64_t>(&local)));
  EXPECT_FALSE(is_known(8));
}

TEST_F(AmdLoader, ErrorsOfSegments) {
  frozen();
  const auto query = loader_.hsa_ven_amd_loader_query_segment_descriptors;
  std::vector<Descriptor> found(segments().size() + 1);
  size_t count = found.size();
  EXPECT_EQ(query(found.data(), &count), HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
  count = found.size() - 2;
  EXPECT_EQ(query(found.data(), &count),
            count == 0 ? invalid_argument : HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
  EXPECT_EQ(query(found.data(), nullptr), invalid_argument);
  EXPECT_EQ(query(nullptr, nullptr), invalid_argument);
  count = 0;
  EXPECT_EQ(query(found.data(), &count), invalid_argument);
  count = 1;
  EXPECT_EQ(query(nullptr, &count), invalid_argument);
  const void* host = nullptr;
  hsa_executable_t e{};
  EXPECT_EQ(loader_.hsa_ven_amd_loader_query_host_address(nullptr, &host), invalid_argument);
  EXPECT_EQ(loader_.hsa_ven_amd_loader_query_host_address(found[0].segment_base, nullptr), invalid_argument);
  EXPECT_EQ(loader_.hsa_ven_amd_loader_query_executable(nullptr, &e), invalid_argument);
  EXPECT_EQ(loader_.hsa_ven_amd_loader_query_executable(found[0].segment_base, nullptr), invalid_argument);
}

TEST_F(AmdLoader, IteratesExecutables) {
  std::vector<uint64_t> made = {executable().handle, frozen().handle, executable().handle};
  std::vector<hsa_executable_t> found;
  const auto iterate = loader_.hsa_ven_amd_loader_iterate_executables;
  ASSERT_SUCCESS(iterate(collect<hsa_executable_t>, &found));
  std::vector<uint64_t> handles;
  for (const hsa_executable_t e : found) handles.push_back(e.handle);
  std::sort(made.begin(), made.end());
  std::sort(handles.begin(), handles.end());
  EXPECT_EQ(handles, made);
  EXPECT_EQ(iterate(nullptr, nullptr), invalid_argument);
  const auto stop = [](hsa_executable_t, void*) { return HSA_STATUS_INFO_BREAK; };
  EXPECT_EQ(iterate(stop, nullptr), HSA_STATUS_INFO_BREAK);
}

/// A code object in the middle of a file.
TEST_F(AmdLoader, ReadersOfAPartOfAFile) {
  const auto create = loader_.hsa_ven_amd_loader_code_object_reader_create_from_file_with_offset_size;
  const std::vector<std::byte> code = co::write(sample());
  const size_t before = 100, after = 50;
  std::vector<std::byte> contents(before + code.size() + after, std::byte{0xee});
  std::copy(code.begin(), code.end(), contents.begin() + before);
  char path[] = "/tmp/heddle_loader_XXXXXX";
  const int file = mkstemp(path);
  ASSERT_GE(file, 0);
  ASSERT_EQ(write(file, contents.data(), contents.size()), static_cast<ssize_t>(contents.size()));
  hsa_code_object_reader_t reader{};
  ASSERT_SUCCESS(create(file, before, code.size(), &reader));
  const hsa_executable_t e = executable();
  EXPECT_SUCCESS(hsa_executable_load_agent_code_object(e, kernel_agent_, reader, nullptr, nullptr));
  EXPECT_SUCCESS(hsa_code_object_reader_destroy(reader));
  EXPECT_EQ(create(file, before, code.size(), nullptr), invalid_argument);
  constexpr auto invalid_code = HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
  EXPECT_EQ(create(file, 0, 0, &reader), invalid_code);
  EXPECT_EQ(create(file, 0, contents.size() + 1, &reader), invalid_code);
  EXPECT_EQ(create(file, contents.size(), 1, &reader), invalid_code);
  EXPECT_EQ(create(file, SIZE_MAX, 1, &reader), invalid_code);
  EXPECT_EQ(create(file, 1, SIZE_MAX, &reader), invalid_code);
  const int write_only = open(path, O_WRONLY);
  EXPECT_EQ(create(write_only, 0, 1, &reader), HSA_STATUS_ERROR_INVALID_FILE);
  close(write_only);
  close(file);
  EXPECT_EQ(create(-1, 0, 1, &reader), HSA_STATUS_ERROR_INVALID_FILE);
  unlink(path);
}

TEST(AmdLoaderWithoutRuntime, IsRefused) {
  constexpr auto refused = HSA_STATUS_ERROR_NOT_INITIALIZED;
  EXPECT_EQ(hsa_ven_amd_loader_query_host_address(nullptr, nullptr), refused);
  EXPECT_EQ(hsa_ven_amd_loader_query_segment_descriptors(nullptr, nullptr), refused);
  EXPECT_EQ(hsa_ven_amd_loader_query_executable(nullptr, nullptr), refused);
  EXPECT_EQ(hsa_ven_amd_loader_executable_iterate_loaded_code_objects({}, nullptr, nullptr), refused);
  EXPECT_EQ(hsa_ven_amd_loader_loaded_code_object_get_info(
                {}, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_KIND, nullptr),
            refused);
  EXPECT_EQ(hsa_ven_amd_loader_code_object_reader_create_from_file_with_offset_size(0, 0, 0, nullptr),
            refused);
  EXPECT_EQ(hsa_ven_amd_loader_iterate_executables(nullptr, nullptr), refused);
}

}  // namespace
}  // namespace heddle::runtime::test
