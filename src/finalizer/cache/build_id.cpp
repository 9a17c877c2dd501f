// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/cache/build_id.h"

#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstring>

#include <llvm-c/Core.h>

#include "support/align.h"

namespace heddle::finalizer {
namespace {

struct Search {
  uintptr_t address;
  std::span<const std::byte> found;
};

/// Finds the build id in the notes of a loaded file. Segments of notes are trusted as far as the dynamic
/// linker trusts the file that it has loaded.
std::span<const std::byte> build_id_in(std::span<const std::byte> notes) {
  constexpr char gnu[] = "GNU";
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) header;
    std::memcpy(&header, notes.data(), sizeof header);
    const size_t name_end = sizeof header + align_up(header.n_namesz, 4);
    const size_t end = name_end + align_up(header.n_descsz, 4);
    if (end > notes.size()) break;
    if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == sizeof gnu &&
        std::memcmp(notes.data() + sizeof header, gnu, sizeof gnu) == 0)
      return notes.subspan(name_end, header.n_descsz);
    notes = notes.subspan(end);
  }
  return {};
}

int visit(dl_phdr_info* file, size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  const std::span headers(file->dlpi_phdr, file->dlpi_phnum);
  bool contains = false;
  for (const ElfW(Phdr) & header : headers)
    contains = contains || (header.p_type == PT_LOAD &&
                            search.address - (file->dlpi_addr + header.p_vaddr) < header.p_memsz);
  if (!contains) return 0;
  for (const ElfW(Phdr) & header : headers) {
    if (header.p_type != PT_NOTE || !search.found.empty()) continue;
    const auto* bytes = reinterpret_cast<const std::byte*>(file->dlpi_addr + header.p_vaddr);
    search.found = build_id_in({bytes, header.p_memsz});
  }
  return 1;  // ends the iteration
}

void append(std::string& text, std::span<const std::byte> bytes) {
  text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace

std::span<const std::byte> build_id_of(const void* address) {
  Search search = {reinterpret_cast<uintptr_t>(address), {}};
  dl_iterate_phdr(visit, &search);
  return search.found;
}

std::string finalizer_build() {
  const auto own = build_id_of(reinterpret_cast<const void*>(&finalizer_build));
  const auto llvm = build_id_of(reinterpret_cast<const void*>(&LLVMGetVersion));
  std::string build;
  if (own.empty() || llvm.empty()) return build;
  append(build, own);
  append(build, llvm);
  return build;
}

}  // namespace heddle::finalizer
