// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The files in the folder of the cache. Each function works while other processes add and remove files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace heddle::cache {

/// An entry, or a file that has not got its final name yet.
struct File {
  std::string name;
  uint64_t size;    ///< bytes
  timespec used;    ///< when it was written or last read by read_entry()
  bool unfinished;  ///< not an entry yet
};

/// Returns the files of the cache that the folder (a descriptor) holds. Leaves out what the cache did not
/// make.
std::vector<File> list_files(int folder);

/// Removes unfinished files, and then the least recently used entries until the size of all is at most `goal`
/// bytes. Returns the size of what is left. The caller must hold the ledger; then nobody is writing a file,
/// so that unfinished ones are from processes that have died.
uint64_t remove_oldest(int folder, uint64_t goal);

void remove_file(int folder, const std::string& name);

/// Reads an entry and marks it as used now. Returns nothing if there is no such file, or if it is not one
/// that only the user of this process can have written.
std::optional<std::vector<std::byte>> read_entry(int folder, const std::string& name);

/// Writes a file under another name and then renames it, so that no reader sees an incomplete one. Whatever
/// prevents this leaves no file. The caller must hold the ledger.
void write_entry(int folder, const std::string& name, std::span<const std::byte> bytes);

}  // namespace heddle::cache
