// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/bundle/bundle.h"

#include <fmt/format.h>
#include <hsa/hsa_brig_entries.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace heddle::hip {
namespace {

constexpr std::string_view bundle_magic = "HEDDLEHB";
constexpr std::string_view brig_magic = "HSA BRIG";
constexpr uint32_t bundle_version = 1;
constexpr uint32_t most_modules = 1 << 20;
constexpr size_t module_alignment = 16;

struct Header {
  char magic[8];
  uint32_t version;
  uint32_t module_count;
  uint64_t size;
};

struct Entry {
  uint64_t offset;
  uint64_t size;
};

/// What other tools put into the place of a bundle.
struct OtherFormat {
  std::string_view magic;
  const char* what;
};
constexpr OtherFormat other_formats[] = {
    {"__CLANG_OFFLOAD_BUNDLE__", "a bundle of code for AMD's devices; compile the program with heddle hipcc"},
    {"CCOB", "a compressed bundle of code for AMD's devices; compile the program with heddle hipcc"},
    {"\177ELF", "an ELF file, perhaps a code object for one of AMD's devices; compile it with heddle hipcc"}};

bool starts_with(std::span<const std::byte> bytes, std::string_view magic) {
  return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

template <typename T>
T read_at(std::span<const std::byte> bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

Error describe_other(std::span<const std::byte> bytes) {
  for (const OtherFormat& format : other_formats)
    if (starts_with(bytes, format.magic)) return {std::string("the device code is ") + format.what};
  return {"the device code is neither a bundle of heddle nor BRIG"};
}

/// Checks that the size in the header of a module is that of its bytes, because others rely on the header.
Result<void> check_module_size(std::span<const std::byte> module) {
  if (module.size() < sizeof(hsa_brig_module_header_t) || !starts_with(module, brig_magic))
    return Error{"a module of the device code is not BRIG"};
  const auto header = read_at<hsa_brig_module_header_t>(module, 0);
  if (header.byte_count != module.size())
    return Error{fmt::format("a module of the device code has {} bytes, but its header says {}",
                             module.size(), uint64_t{header.byte_count})};
  return {};
}

}  // namespace

std::vector<std::byte> write_bundle(std::span<const std::span<const std::byte>> modules) {
  const auto aligned = [](size_t size) {
    return (size + module_alignment - 1) / module_alignment * module_alignment;
  };
  std::vector<Entry> entries;
  size_t end = aligned(sizeof(Header) + modules.size() * sizeof(Entry));
  for (const auto& module : modules) {
    entries.push_back({end, module.size()});
    end = aligned(end + module.size());
  }
  Header header{{}, bundle_version, static_cast<uint32_t>(modules.size()), end};
  std::memcpy(header.magic, bundle_magic.data(), sizeof header.magic);
  std::vector<std::byte> bytes(end);
  std::memcpy(bytes.data(), &header, sizeof header);
  for (size_t i = 0; i < modules.size(); ++i) {
    std::memcpy(bytes.data() + sizeof header + i * sizeof(Entry), &entries[i], sizeof(Entry));
    std::memcpy(bytes.data() + entries[i].offset, modules[i].data(), modules[i].size());
  }
  return bytes;
}

Result<std::vector<std::span<const std::byte>>> read_bundle(std::span<const std::byte> bytes) {
  std::vector<std::span<const std::byte>> modules;
  if (starts_with(bytes, brig_magic)) {
    auto checked = check_module_size(bytes);
    if (!checked) return checked.error();
    modules.push_back(bytes);
    return modules;
  }
  if (!starts_with(bytes, bundle_magic)) return describe_other(bytes);
  if (bytes.size() < sizeof(Header)) return Error{"the device code ends in the header of its bundle"};
  const auto header = read_at<Header>(bytes, 0);
  if (header.version != bundle_version)
    return Error{
        fmt::format("the device code is a bundle of version {}, not {}", header.version, bundle_version)};
  if (header.size != bytes.size() || header.module_count > most_modules ||
      sizeof header + header.module_count * sizeof(Entry) > bytes.size())
    return Error{"the device code has another size than its header says"};
  for (uint32_t i = 0; i < header.module_count; ++i) {
    const auto entry = read_at<Entry>(bytes, sizeof header + i * sizeof(Entry));
    if (entry.offset > bytes.size() || entry.size > bytes.size() - entry.offset ||
        entry.offset % module_alignment != 0)
      return Error{fmt::format("module {} of the device code lies outside of it", i)};
    modules.push_back(bytes.subspan(entry.offset, entry.size));
    auto checked = check_module_size(modules.back());
    if (!checked) return checked.error();
  }
  return modules;
}

bool is_code_of_others(std::span<const std::byte> bytes) {
  return std::ranges::any_of(other_formats,
                             [&](const OtherFormat& format) { return starts_with(bytes, format.magic); });
}

size_t size_of_bundle(const void* address) {
  const auto* const bytes = static_cast<const std::byte*>(address);
  const std::span<const std::byte> magic(bytes, bundle_magic.size());
  if (starts_with(magic, bundle_magic)) return read_at<Header>({bytes, sizeof(Header)}, 0).size;
  if (starts_with(magic, brig_magic))
    return read_at<hsa_brig_module_header_t>({bytes, sizeof(hsa_brig_module_header_t)}, 0).byte_count;
  // Of other files, the magic is enough to say what they are.
  return starts_with(magic, "__CLANG_")  ? other_formats[0].magic.size()
         : starts_with(magic, "\177ELF") ? 4
                                         : 0;
}

}  // namespace heddle::hip
