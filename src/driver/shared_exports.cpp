// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/shared_exports.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <string_view>

#include "driver/log.h"
#include "driver/shared_import.h"
#include "driver/virtual_memory.h"
#include "support/descriptor.h"

namespace heddle::driver {
namespace {

constexpr size_t slots_size = size_t{64} << 10;
constexpr auto slot_count = static_cast<uint32_t>(slots_size / sizeof(ExportSlot));

std::atomic_ref<uint64_t> atomic(uint64_t& word) { return std::atomic_ref<uint64_t>(word); }

/// Returns a number that nobody guesses and that no other name has; 0 if the system has none.
uint64_t random_key() {
  uint64_t key = 0;
  if (getrandom(&key, sizeof key, 0) != sizeof key) return 0;
  return key;
}

/// Counts one more user of a slot with this key. Returns false if there is no such slot any more.
bool acquire(ExportSlot& slot, uint64_t key) {
  uint64_t users = atomic(slot.users).load();
  do {
    if ((users & ExportSlot::closed) != 0 || atomic(slot.key).load() != key) return false;
  } while (!atomic(slot.users).compare_exchange_weak(users, users + 1));
  // Since the key was read, the slot may have been freed and given to another allocation. Now that it has a
  // user it keeps its key.
  if (atomic(slot.key).load() == key) return true;
  atomic(slot.users).fetch_sub(1);
  return false;
}

/// Opens the shared file of a process; none if there is none of that number. Nothing but a file of this kind
/// is opened, because opening some files has effects.
Descriptor open_shared_file(uint32_t process, uint32_t file) {
  const std::string path = fmt::format("/proc/{}/fd/{}", process, file);
  char target[64] = {};
  const ssize_t length = readlink(path.c_str(), target, sizeof target - 1);
  if (length < 0 || std::string_view(target) != "/memfd:heddle (deleted)") return Descriptor();
  return Descriptor(open(path.c_str(), O_RDWR | O_CLOEXEC));
}

}  // namespace

/// Makes room for names. Returns null if the system has no memory.
ExportSlot* SharedExports::add_slots() {
  if (slots_) return reinterpret_cast<ExportSlot*>(slots_.base());
  free_.reserve(slot_count);
  const auto offset = file_.allocate(slots_size);
  if (!offset) return nullptr;
  slots_ = SharedMapping::create(file_.descriptor(), *offset, slots_size);
  if (!slots_) {
    file_.free(*offset, slots_size);
    return nullptr;
  }
  slots_offset_ = *offset;
  for (uint32_t i = slot_count; i-- > 0;) free_.push_back(i);
  return reinterpret_cast<ExportSlot*>(slots_.base());
}

StatusOr<SharedName> SharedExports::name(const void* base, uint64_t offset, size_t size) {
  std::lock_guard lock(mutex_);
  ExportSlot* slots = add_slots();
  if (slots == nullptr) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  auto found = exported_.find(base);
  if (found == exported_.end()) {
    const uint64_t key = random_key();
    if (free_.empty() || key == 0) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    found = exported_.emplace(base, free_.back()).first;
    free_.pop_back();
    ExportSlot& slot = slots[found->second];
    slot.offset = offset;
    slot.size = size;
    atomic(slot.key).store(key);
    atomic(slot.users).store(0);
  }
  const uint32_t index = found->second;
  return SharedName{static_cast<uint32_t>(getpid()), static_cast<uint32_t>(file_.descriptor()),
                    slots_offset_ + index * sizeof(ExportSlot), slots[index].key, slots[index].size};
}

bool SharedExports::withdraw(const void* base) {
  std::lock_guard lock(mutex_);
  const auto found = exported_.find(base);
  if (found == exported_.end()) return true;
  ExportSlot& slot = reinterpret_cast<ExportSlot*>(slots_.base())[found->second];
  if ((atomic(slot.users).fetch_or(ExportSlot::closed) & ~ExportSlot::closed) != 0) return false;
  atomic(slot.key).store(0);
  assert(free_.capacity() > free_.size());
  free_.push_back(found->second);
  exported_.erase(found);
  return true;
}

// ---- the importing side ----

StatusOr<SharedImport> SharedImport::open(const SharedName& name) {
  const Descriptor file = open_shared_file(name.process, name.file);
  if (!file) {
    log_warning("process {} shares no memory by the number {}", name.process, name.file);
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  struct stat status = {};
  const uint64_t page = page_size();
  const uint64_t slot_page = name.slot / page * page;
  if (fstat(file.number(), &status) != 0 || name.slot % sizeof(ExportSlot) != 0 ||
      static_cast<uint64_t>(status.st_size) < slot_page + page)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  SharedImport made;
  made.control_ = SharedMapping::create(file.number(), slot_page, page);
  if (!made.control_) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  auto* slot = reinterpret_cast<ExportSlot*>(made.control_.base() + (name.slot - slot_page));
  if (name.key == 0 || !acquire(*slot, name.key)) {
    log_warning("process {} does not share this memory any more", name.process);
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  made.slot_ = slot;
  const uint64_t file_size = static_cast<uint64_t>(status.st_size);
  const uint64_t offset = slot->offset, size = slot->size;
  if (offset % page != 0 || size % page != 0 || size == 0 || offset > file_size || size > file_size - offset)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  made.memory_ = SharedMapping::create(file.number(), offset, size);
  if (!made.memory_) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  return made;
}

SharedImport::SharedImport(SharedImport&& other) noexcept
    : control_(std::move(other.control_)),
      memory_(std::move(other.memory_)),
      slot_(std::exchange(other.slot_, nullptr)) {}

SharedImport& SharedImport::operator=(SharedImport&& other) noexcept {
  std::swap(control_, other.control_);
  std::swap(memory_, other.memory_);
  std::swap(slot_, other.slot_);
  return *this;
}

SharedImport::~SharedImport() {
  memory_ = {};  // the exporting process may use the memory again as soon as nobody is counted
  if (slot_ != nullptr) atomic(slot_->users).fetch_sub(1);
}

}  // namespace heddle::driver
