// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>

#include <gtest/gtest.h>

namespace heddle::testing {

tools::Module library_module(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    ADD_FAILURE() << dlerror();
    return {};
  }
  const auto* const begin = static_cast<const std::byte*>(dlsym(library, "__brig_start"));
  const auto* const end = static_cast<const std::byte*>(dlsym(library, "__brig_end"));
  EXPECT_NE(begin, nullptr) << path;
  EXPECT_NE(end, nullptr) << path;
  return {path, {begin, end}, 0};
}

LinkedKernels::LinkedKernels(const tools::KernelAgent& agent, const std::string& text) : agent_(agent) {
  link(text);
}

void LinkedKernels::link(const std::string& text) {
  const auto* const bytes = reinterpret_cast<const std::byte*>(text.data());
  auto module = tools::make_module("test.hsail", {bytes, bytes + text.size()});
  ASSERT_TRUE(static_cast<bool>(module)) << text;
  std::vector<tools::Module> modules;
  modules.push_back(std::move(*module));
  modules.push_back(library_module(HEDDLE_LIBHSASTD));
  modules.push_back(library_module(HEDDLE_LIBHSAMATH));
  auto program = tools::Program::create(modules);
  ASSERT_TRUE(static_cast<bool>(program));
  auto code = program->finalize(HSAIL_CODE_OBJECT_BOTH, agent_.isa_name, "");
  ASSERT_TRUE(static_cast<bool>(code)) << code.error().message;
  code_ = std::move(*code);
  auto loaded = tools::LoadedProgram::load(agent_, code_.bytes());
  ASSERT_TRUE(static_cast<bool>(loaded)) << loaded.error().message;
  program_ = std::make_unique<tools::LoadedProgram>(std::move(*loaded));
}

bool LinkedKernels::run(const std::string& kernel, const std::vector<const void*>& arguments,
                        uint32_t items) {
  if (!program_) return false;  // which the constructor has reported
  const auto info = program_->kernel(kernel);
  EXPECT_TRUE(static_cast<bool>(info)) << kernel;
  auto kernarg = tools::Memory::allocate(agent_.kernarg, arguments.size() * sizeof(void*));
  EXPECT_TRUE(static_cast<bool>(kernarg));
  auto dispatcher = tools::Dispatcher::create(agent_);
  EXPECT_TRUE(static_cast<bool>(dispatcher));
  if (!info || !kernarg || !dispatcher) return false;
  std::memcpy(kernarg->address(), arguments.data(), arguments.size() * sizeof(void*));
  const tools::Extent grid{{items, 1, 1}, 1}, group{{std::min<uint32_t>(items, 64), 1, 1}, 1};
  return static_cast<bool>((*dispatcher)->run(*info, grid, group, 0, 0, kernarg->address(), 0));
}

}  // namespace heddle::testing
