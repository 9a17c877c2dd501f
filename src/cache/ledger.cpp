// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cache/ledger.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <ctime>

#include "cache/folder.h"

namespace heddle::cache {
namespace {

struct Record {
  uint64_t magic;
  uint64_t total;
  uint64_t complement;  // ~total, to notice a torn record
};
constexpr uint64_t magic = 0x314c656c64646568;  // "heddleL1"

bool lock_soon(int file) {
  constexpr int attempts = 40;
  constexpr timespec pause = {0, 500'000};
  for (int i = 0; i < attempts; ++i) {
    if (::flock(file, LOCK_EX | LOCK_NB) == 0) return true;
    ::nanosleep(&pause, nullptr);
  }
  return false;
}

}  // namespace

std::optional<Ledger> Ledger::lock(int folder) {
  constexpr int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  Descriptor file(::openat(folder, "ledger", flags, S_IRUSR | S_IWUSR));
  struct stat status;
  if (!file || ::fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode) || !is_private(status))
    return std::nullopt;
  if (!lock_soon(file.number())) return std::nullopt;
  return Ledger(std::move(file));
}

Ledger::~Ledger() {
  // Closing is not enough if another thread has forked meanwhile: the child shares the lock.
  if (file_) ::flock(file_.number(), LOCK_UN);
}

std::optional<uint64_t> Ledger::total() const {
  Record record;
  if (::pread(file_.number(), &record, sizeof record, 0) != sizeof record) return std::nullopt;
  if (record.magic != magic || record.complement != ~record.total) return std::nullopt;
  return record.total;
}

bool Ledger::set_total(uint64_t total) {
  const Record record = {magic, total, ~total};
  return ::pwrite(file_.number(), &record, sizeof record, 0) == sizeof record;
}

}  // namespace heddle::cache
