// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "codeobject/code_object.h"
#include "codeobject/ptx_kernel.h"
#include "hsail/assemble/assemble.h"

namespace heddle::cuda::test {

/// Makes PTX of which the fake knows that it is this HSAIL.
inline std::vector<std::byte> fake_ptx(const std::string& hsail, const std::vector<std::string>& kernels,
                                       const std::vector<std::string>& addresses) {
  std::vector<std::byte> brig;
  Diagnostics diagnostics;
  EXPECT_TRUE(
      assemble::assemble("module &m:1:2:$full:$large:$near;\n" + hsail, "test.hsail", brig, diagnostics))
      << diagnostics.print();
  std::string text = ".version 7.7\n.target sm_70\n//fake brig ";
  for (const std::byte byte : brig) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  text += '\n';
  for (size_t i = 0; i < kernels.size(); ++i) text += fmt::format("//fake kernel {} {}\n", i, kernels[i]);
  for (size_t i = 0; i < addresses.size(); ++i)
    text += fmt::format("//fake address {} {}\n", i, addresses[i]);
  const auto* begin = reinterpret_cast<const std::byte*>(text.c_str());
  return {begin, begin + text.size() + 1};
}

/// Makes a code object of HSAIL with one kernel for every GPU. The agent fills in all hidden parameters for
/// it.
inline codeobject::CodeObject code_of(const std::string& hsail, uint64_t kernarg_size, uint32_t flags = 0) {
  codeobject::CodeObject object;
  object.has_agent_part = true;
  object.isa = "heddle:nvptx-sm_70";
  object.text = fake_ptx(hsail, {"&k"}, {});
  codeobject::Kernel& kernel = object.kernels.emplace_back();
  kernel.name = kernel.linker_name = "&k";
  kernel.module_name = "&m";
  kernel.kernarg_size = kernarg_size;
  kernel.flags = flags | codeobject::kernel_reads_dispatch;
  if ((flags & codeobject::kernel_waits_for_predecessor) != 0) {
    constexpr std::string_view wait = "\tgriddepcontrol.wait;\n";
    const auto* begin = reinterpret_cast<const std::byte*>(wait.data());
    object.text.insert(object.text.end() - 1, begin, begin + wait.size());
  }
  return object;
}

}  // namespace heddle::cuda::test
