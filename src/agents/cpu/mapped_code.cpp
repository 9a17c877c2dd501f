// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cpu/mapped_code.h"
#include "support/align.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <new>

namespace heddle::cpu {
namespace {

constexpr size_t page = 4096;

}  // namespace

std::unique_ptr<MappedCode> MappedCode::create(const codeobject::CodeObject& object) {
  std::unique_ptr<MappedCode> mapped(new MappedCode);
  mapped->text_size_ = object.text.size();
  mapped->data_offset_ = codeobject::data_offset(object);
  mapped->size_ = align_up(mapped->data_offset_ + object.data.size(), page);
  if (mapped->size_ == 0) mapped->size_ = page;
  void* base = mmap(nullptr, mapped->size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) throw std::bad_alloc();
  mapped->base_ = reinterpret_cast<uint64_t>(base);
  if (!object.text.empty()) std::memcpy(base, object.text.data(), object.text.size());
  if (!object.data.empty())
    std::memcpy(static_cast<std::byte*>(base) + mapped->data_offset_, object.data.data(), object.data.size());
  return mapped;
}

MappedCode::~MappedCode() {
  debugger_.reset();  // debuggers must forget the code before it is unmapped
  if (base_ != 0) munmap(reinterpret_cast<void*>(base_), size_);
}

void MappedCode::patch(uint64_t offset, uint8_t size, uint64_t value) {
  std::memcpy(reinterpret_cast<std::byte*>(data()) + offset, &value, size);
}

Result<void, Error> MappedCode::protect() {
  const size_t text_pages = data_offset_;  // a multiple of the page size
  const bool ok =
      (text_pages == 0 || mprotect(reinterpret_cast<void*>(base_), text_pages, PROT_READ | PROT_EXEC) == 0) &&
      (text_pages == size_ ||
       mprotect(reinterpret_cast<void*>(base_ + text_pages), size_ - text_pages, PROT_READ) == 0);
  if (!ok && errno == ENOMEM) throw std::bad_alloc();
  if (!ok) return Error{fmt::format("code cannot be made executable: {}", std::strerror(errno))};
  return {};
}

}  // namespace heddle::cpu
