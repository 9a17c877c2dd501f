// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/progress_words.h"

namespace heddle::cuda {
namespace {

constexpr uint64_t page_size = 4096;
/// Words that the GPU writes for different streams are in different pairs of cache lines, which processors
/// fetch together.
constexpr uint64_t distance = 128;
constexpr uint64_t words_of_a_page = page_size / distance;

}  // namespace

ProgressWords::~ProgressWords() {
  for (void* page : pages_) host_.release(page, page_size);
}

Driven<uint64_t*> ProgressWords::take() {
  std::lock_guard lock(mutex_);
  if (free_.empty()) {
    pages_.reserve(pages_.size() + 1);
    free_.reserve((pages_.size() + 1) * words_of_a_page);
    const auto made = host_.allocate(page_size);
    if (!made) return made.error();
    pages_.push_back(*made);
    auto* const bytes = static_cast<std::byte*>(*made);
    for (uint64_t i = words_of_a_page; i-- > 0;)
      free_.push_back(reinterpret_cast<uint64_t*>(bytes + i * distance));
  }
  uint64_t* const word = free_.back();
  free_.pop_back();
  return word;
}

void ProgressWords::give_back(uint64_t* word) noexcept {
  std::lock_guard lock(mutex_);
  free_.push_back(word);
}

}  // namespace heddle::cuda
