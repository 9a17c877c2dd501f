// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cpu/debugger.h"

#include <mutex>
#include <vector>

// Names and layout are those that debuggers look for (GDB manual, "JIT Interface"). They are protected, so
// that each library that defines them, such as LLVM, uses its own; debuggers look at all of them.
extern "C" {

struct jit_code_entry {
  jit_code_entry* next_entry;
  jit_code_entry* prev_entry;
  const char* symfile_addr;
  uint64_t symfile_size;
};

struct jit_descriptor {
  uint32_t version;
  uint32_t action_flag;
  jit_code_entry* relevant_entry;
  jit_code_entry* first_entry;
};

__attribute__((visibility("protected"), used)) jit_descriptor __jit_debug_descriptor = {1, 0, nullptr,
                                                                                        nullptr};

__attribute__((visibility("protected"), used, noinline)) void __jit_debug_register_code() {
  __asm__ volatile("" ::: "memory");
}
}

namespace heddle::cpu {
namespace {

enum Action : uint32_t { action_none, action_register, action_unregister };

std::mutex& list_lock() {
  static std::mutex lock;
  return lock;
}

void announce(jit_code_entry& entry, Action action) {
  __jit_debug_descriptor.relevant_entry = &entry;
  __jit_debug_descriptor.action_flag = action;
  __jit_debug_register_code();
  __jit_debug_descriptor.action_flag = action_none;
  __jit_debug_descriptor.relevant_entry = nullptr;
}

}  // namespace

struct DebuggerEntry::Entry {
  jit_code_entry link = {};
  std::vector<std::byte> file;
};

DebuggerEntry::DebuggerEntry() : entry_(std::make_unique<Entry>()) {}

std::unique_ptr<DebuggerEntry> DebuggerEntry::add(const codeobject::CodeObject& object, uint64_t text) {
  if (object.debug.empty()) return nullptr;
  std::vector<std::byte> file = codeobject::symbol_file(object, text);
  std::unique_ptr<DebuggerEntry> added(new DebuggerEntry);
  Entry& entry = *added->entry_;
  entry.file = std::move(file);
  entry.link.symfile_addr = reinterpret_cast<const char*>(entry.file.data());
  entry.link.symfile_size = entry.file.size();
  std::lock_guard lock(list_lock());
  jit_code_entry*& first = __jit_debug_descriptor.first_entry;
  entry.link.next_entry = first;
  if (first) first->prev_entry = &entry.link;
  first = &entry.link;
  announce(entry.link, action_register);
  return added;
}

DebuggerEntry::~DebuggerEntry() {
  std::lock_guard lock(list_lock());
  jit_code_entry& link = entry_->link;
  if (link.prev_entry) {
    link.prev_entry->next_entry = link.next_entry;
  } else {
    __jit_debug_descriptor.first_entry = link.next_entry;
  }
  if (link.next_entry) link.next_entry->prev_entry = link.prev_entry;
  announce(link, action_unregister);
}

}  // namespace heddle::cpu
