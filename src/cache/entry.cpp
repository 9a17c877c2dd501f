// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cache/entry.h"

#include <cstring>

#include "cache/saved_diagnostics.h"

namespace heddle::cache {
namespace {

using Checksum = Blake3::Digest;

struct Header {
  char magic[8];
  Key key;
  uint64_t diagnostics_size;
  uint64_t object_size;
};
static_assert(sizeof(Header) == 56, "no padding, whose bytes would be undefined");

constexpr char magic[8] = {'h', 'e', 'd', 'd', 'l', 'e', 'C', '1'};

void append(std::vector<std::byte>& to, const void* bytes, size_t size) {
  const auto* first = static_cast<const std::byte*>(bytes);
  to.insert(to.end(), first, first + size);
}

}  // namespace

std::vector<std::byte> encode(const Key& key, std::span<const Diagnostic> diagnostics,
                              std::span<const std::byte> object) {
  const std::vector<std::byte> saved = save(diagnostics);
  Header header = {{}, key, saved.size(), object.size()};
  std::memcpy(header.magic, magic, sizeof magic);
  std::vector<std::byte> file;
  file.reserve(sizeof header + saved.size() + object.size() + sizeof(Checksum));
  append(file, &header, sizeof header);
  append(file, saved.data(), saved.size());
  append(file, object.data(), object.size());
  const Checksum checksum = Blake3::of(file);
  append(file, checksum.data(), checksum.size());
  return file;
}

std::optional<Entry> decode(const Key& key, std::span<const std::byte> file) {
  Header header;
  Checksum checksum;
  if (file.size() < sizeof header + sizeof checksum) return std::nullopt;
  std::memcpy(&header, file.data(), sizeof header);
  const std::span contents = file.first(file.size() - sizeof checksum);
  std::memcpy(&checksum, contents.data() + contents.size(), sizeof checksum);
  if (std::memcmp(header.magic, magic, sizeof magic) != 0 || header.key != key ||
      checksum != Blake3::of(contents))
    return std::nullopt;
  const std::span body = contents.subspan(sizeof header);
  if (header.diagnostics_size > body.size() || header.object_size != body.size() - header.diagnostics_size)
    return std::nullopt;
  auto diagnostics = restore(body.first(header.diagnostics_size));
  if (!diagnostics) return std::nullopt;
  const std::span object = body.subspan(header.diagnostics_size);
  return Entry{std::move(*diagnostics), {object.begin(), object.end()}};
}

}  // namespace heddle::cache
