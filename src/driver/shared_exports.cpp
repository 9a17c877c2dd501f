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
#include "support/exception_safety.h"

namespace heddle::driver {
namespace {

constexpr size_t area_size = size_t{64} << 10;
constexpr auto slot_count = static_cast<uint32_t>(area_size / sizeof(ExportSlot));

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

/// Makes room for more names. Returns false if the system has no memory.
bool SharedExports::add_area() {
  reserve_one_more(areas_);
  const auto used = static_cast<uint32_t>(areas_.size()) * slot_count;
  free_.reserve(used + slot_count);
  const auto offset = file_.allocate(area_size);
  if (!offset) return false;
  auto memory = SharedMapping::create(file_.descriptor(), *offset, area_size);
  if (!memory) {
    file_.free(*offset, area_size);
    return false;
  }
  areas_.push_back({std::move(memory), *offset});
  for (uint32_t i = slot_count; i-- > 0;) free_.push_back(used + i);
  return true;
}

ExportSlot& SharedExports::slot(uint32_t index) const {
  return reinterpret_cast<ExportSlot*>(areas_[index / slot_count].memory.base())[index % slot_count];
}

StatusOr<SharedName> SharedExports::name(const void* base, uint64_t offset, size_t size) {
  std::lock_guard lock(mutex_);
  auto found = exported_.find(base);
  if (found == exported_.end()) {
    const uint64_t key = random_key();
    if (key == 0 || (free_.empty() && !add_area())) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    found = exported_.emplace(base, free_.back()).first;
    free_.pop_back();
    ExportSlot& made = slot(found->second);
    made.offset = offset;
    made.size = size;
    atomic(made.key).store(key);
    atomic(made.users).store(0);
  }
  const uint32_t index = found->second;
  const uint64_t place = areas_[index / slot_count].offset + index % slot_count * sizeof(ExportSlot);
  return SharedName{static_cast<uint32_t>(getpid()), static_cast<uint32_t>(file_.descriptor()), place,
                    slot(index).key, slot(index).size};
}

bool SharedExports::withdraw(const void* base) {
  std::lock_guard lock(mutex_);
  const auto found = exported_.find(base);
  if (found == exported_.end()) return true;
  ExportSlot& freed = slot(found->second);
  if ((atomic(freed.users).fetch_or(ExportSlot::closed) & ~ExportSlot::closed) != 0) return false;
  atomic(freed.key).store(0);
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
      static_cast<uint64_t>(status.st_size) < page ||
      slot_page > static_cast<uint64_t>(status.st_size) - page)
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
