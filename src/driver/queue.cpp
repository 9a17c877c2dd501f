// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/queue.h"

#include <cstring>
#include <exception>

#include "driver/log.h"
#include "support/thread_name.h"

namespace heddle::driver {
namespace {

// The first word of an empty slot, at which the packet processor waits: type INVALID. The setup field is 0,
// because clients may fill in only one of its bytes.
constexpr uint32_t empty_slot = HSA_PACKET_TYPE_INVALID << HSA_PACKET_HEADER_TYPE;

}  // namespace

Queue::Queue(std::byte* block, const QueueLayout& layout, const hsa_queue_t& header)
    : block_(block), ring_offset_(layout.ring), contents_([&] {
        hsa_queue_t contents = header;
        contents.base_address = block + layout.ring;
        return contents;
      }()) {
  std::memset(block, 0, layout.ring);
  hsa_user_mode_queue visible{};
  visible.queue = contents_;
  visible.write_index_ptr = reinterpret_cast<uint64_t*>(block + QueueLayout::write_index);
  visible.read_index_ptr = reinterpret_cast<uint64_t*>(block + QueueLayout::read_index);
  std::memcpy(block + QueueLayout::header, &visible, sizeof visible);
  for (uint32_t slot = 0; slot < contents_.size; ++slot)
    std::memcpy(block + layout.ring + size_t{slot} * 64, &empty_slot, sizeof empty_slot);
}

Queue::~Queue() {
  if (!delivery_.joinable()) return;
  if (delivery_.get_id() == std::this_thread::get_id())
    delivery_.detach();  // the callback released the last reference on its own thread
  else
    delivery_.join();
}

HSAM_queue_info_str Queue::info() const {
  HSAM_queue_info_str info{};
  info.queue_header_user_addr = reinterpret_cast<hsa_user_mode_queue*>(header());
  info.payload_user_addr = block_ + ring_offset_;
  info.size = contents_.size;
  info.read_index_ptr_kern_addr = reinterpret_cast<uint64_t*>(block_ + QueueLayout::read_index);
  info.write_index_ptr_kern_addr = reinterpret_cast<uint64_t*>(block_ + QueueLayout::write_index);
  info.type = contents_.type;
  info.callbacks_required_flag = callback_ != nullptr;
  return info;
}

void Queue::fail(hsa_status_t status, std::string_view message, const std::optional<MemoryFault>& fault) {
  const bool fatal = status == HSA_STATUS_ERROR_FATAL;
  if (fatal) status = HSA_STATUS_ERROR;  // only hsa_queue_destroy reports FATAL
  // Without a callback only the log can tell the user.
  log(callback_ == nullptr ? HSAM_LOG_ERROR : HSAM_LOG_WARNING, "queue {} failed with status {:#x}{}{}",
      contents_.id, static_cast<unsigned>(status), message.empty() ? "" : ": ", message);
  std::lock_guard lock(mutex_);
  fatal_ |= fatal;
  if (!active_) return;
  active_ = false;
  const bool reports_fault = fault && on_memory_fault_ != nullptr;
  if ((callback_ == nullptr && !reports_fault) || discarded_) return;
  try {
    delivery_ = std::thread([this, status, fault] {
      name_thread("heddle-errors");
      deliver(status, fault);
    });
    log_debug(HSAM_LOG_RESOURCE, "a thread calls the callback of queue {}", contents_.id);
  } catch (const std::exception& error) {
    log_error("no thread for the callback of queue {}: {}", contents_.id, error.what());
  }
}

void Queue::deliver(hsa_status_t status, const std::optional<MemoryFault>& fault) {
  {
    std::lock_guard lock(mutex_);
    if (discarded_) return;
  }
  if (fault && on_memory_fault_ != nullptr) on_memory_fault_(*agent, *fault);
  if (callback_ == nullptr) return;
  if (invoke_ != nullptr)
    invoke_(callback_, status, header(), data_);
  else
    callback_(status, header(), data_);
}

void Queue::inactivate() {
  std::lock_guard lock(mutex_);
  active_ = false;
}

bool Queue::quiesce() {
  std::thread delivery;
  {
    std::lock_guard lock(mutex_);
    if (delivery_.get_id() == std::this_thread::get_id()) return false;
    active_ = false;
    discarded_ = true;
    delivery.swap(delivery_);
  }
  if (delivery.joinable()) delivery.join();
  return true;
}

bool Queue::failed_fatally() const {
  std::lock_guard lock(mutex_);
  return fatal_;
}

}  // namespace heddle::driver
