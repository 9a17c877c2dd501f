// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "codeobject/code_object.h"
#include "codeobject/kernel_abi.h"

namespace heddle::cpu {

class MappedCode;

/// A kernel of loaded code.
struct Kernel {
  std::shared_ptr<const MappedCode> mapped;  ///< keeps the code mapped while a dispatch uses it
  std::string name;
  uint32_t wave_size = 1;  ///< WAVESIZE of the ISA; a wave of the code has info.lanes work-items
  kernel_abi::GroupsEntry groups_entry = nullptr;
  kernel_abi::WaveEntry wave_entry = nullptr;
  bool needs_fibers = false;
  bool dynamic_call_stack = false;
  uint64_t text_begin = 0;  ///< addresses, for messages
  uint64_t text_end = 0;
  std::shared_ptr<const codeobject::LineTable> lines;  ///< of the text
  codeobject::Kernel info;
  std::atomic<uint32_t> group_cost{0};
};

}  // namespace heddle::cpu
