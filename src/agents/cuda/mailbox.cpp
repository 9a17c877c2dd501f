// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/mailbox.h"

#include <new>

namespace heddle::cuda {
namespace {

constexpr uint64_t words_size = (1 + Mailbox::slot_count) * sizeof(uint64_t);

}  // namespace

Driven<std::unique_ptr<Mailbox>> Mailbox::create(const GpuContext& context, HostMemory& host,
                                                 DeviceMemory& device, Stream stream) {
  const auto memory = host.allocate(sizeof(Pages));
  if (!memory) return memory.error();
  // From here on the destructor gives back what there is.
  std::unique_ptr<Mailbox> mailbox(new Mailbox(host, device, new (*memory) Pages));
  const auto words = device.allocate(words_size, alignof(uint64_t));
  if (!words) return words.error();
  mailbox->pages_->head.words = *words;
  mailbox->pages_->head.slots = slot_count;
  if (auto done = context.call(context.api().fill_bytes, *words, static_cast<unsigned char>(0),
                               size_t{words_size}, stream);
      !done)
    return done.error();
  return mailbox;
}

Mailbox::~Mailbox() {
  if (pages_->head.words != 0) device_.free(pages_->head.words);
  host_.release(pages_, sizeof(Pages));
}

}  // namespace heddle::cuda
