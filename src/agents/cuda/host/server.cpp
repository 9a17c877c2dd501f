// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/host/server.h"

#include <new>
#include <system_error>
#include <thread>

#include "agents/common/polling.h"
#include "agents/cuda/remote/channel.h"
#include "support/thread_name.h"

namespace heddle::cuda::host {

using remote::Control;
using remote::Reader;
using remote::Writer;

void Server::serve() {
  while (auto message = remote::receive_message(socket_, -1)) {
    Writer answer;
    answer.put(perform(*message));
    if (!remote::send_message(socket_, answer.bytes(), -1)) return;
  }
}

Status Server::perform(remote::Received& message) noexcept try {
  Reader reader(message.bytes);
  switch (reader.take<Control>()) {
    case Control::channel:
      return add_channel(std::move(message.file));
    case Control::map:
      return executor_.map(reader.take<remote::MapRequest>(), message.file.number());
    case Control::unmap: {
      const auto address = reader.take<uint64_t>();
      return executor_.unmap(address, reader.take<uint64_t>());
    }
    case Control::image: {
      const auto number = reader.take<uint64_t>();
      SharedPages image = SharedPages::open(std::move(message.file), reader.take<uint64_t>());
      if (!image) return Status::out_of_memory;
      image.close_file();
      executor_.keep_image(number, std::move(image));
      return Status::success;
    }
    case Control::cubin: {
      const auto number = reader.take<uint64_t>();
      return executor_.give_cubin(number,
                                  SharedPages::open(std::move(message.file), reader.take<uint64_t>()));
    }
    default:
      return Status::invalid_value;
  }
} catch (const std::bad_alloc&) {
  return Status::out_of_memory;
}

/// Lets a thread serve a channel as long as the process lives.
Status Server::add_channel(Descriptor file) {
  SharedPages pages = SharedPages::open(std::move(file), sizeof(remote::ChannelMemory));
  if (!pages) return Status::out_of_memory;
  pages.close_file();
  auto served = std::make_unique<remote::ChannelHost>(std::move(pages));
  try {
    std::thread([this, served = std::move(served)] {
      name_thread("heddle-channel");
      agents::wake_precisely();
      served->serve([this](uint16_t function, Reader& request, Writer& answer) {
        return executor_.execute(function, request, answer);
      });
    }).detach();
  } catch (const std::system_error&) {
    return Status::out_of_memory;
  }
  return Status::success;
}

}  // namespace heddle::cuda::host
