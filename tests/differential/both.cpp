// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "both.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>

#include "../finalizer/jit_runner.h"
#include "finalizer/finalize.h"
#include "harness.h"
#include "hsail/assemble/assemble.h"

namespace heddle::testing {

const std::vector<const char*>& host_isas() {
  static const auto isas = [] {
    std::vector<const char*> found = {"heddle:x86-64-v2:w1"};
    if (__builtin_cpu_supports("x86-64-v3")) found.insert(found.begin(), "heddle:x86-64-v3:w1");
    if (__builtin_cpu_supports("x86-64-v4")) found.insert(found.begin(), "heddle:x86-64-v4:w1");
    return found;
  }();
  return isas;
}

const std::vector<WaveTarget>& wave_targets() {
  static const auto targets = [] {
    std::vector<WaveTarget> found;
    for (const char* options : {"", "-no-row-bodies"}) {
      if (__builtin_cpu_supports("x86-64-v3")) {
        for (const auto& [isa, lanes] : {std::pair{"heddle:x86-64-v3:w8", 8u},
                                         {"heddle:x86-64-v3:w32", 32u},
                                         {"heddle:x86-64-v3:w4", 4u}})
          found.push_back({isa, lanes, options});
      }
      if (__builtin_cpu_supports("x86-64-v4")) {
        for (const auto& [isa, lanes] : {std::pair{"heddle:x86-64-v4:w16", 16u},
                                         {"heddle:x86-64-v4:w32", 32u},
                                         {"heddle:x86-64-v4:w4", 4u}})
          found.push_back({isa, lanes, options});
      }
    }
    return found;
  }();
  return targets;
}

std::optional<WaveTarget> wave_target(uint64_t turn) {
  const auto& targets = wave_targets();
  if (targets.empty()) return std::nullopt;
  return targets[turn % targets.size()];
}

std::optional<codeobject::CodeObject> compile(const std::string& text, std::string& why, const char* isa,
                                              const char* options) {
  Diagnostics diagnostics("test.hsail", text);
  std::vector<std::byte> bytes;
  link::Program program({});
  codeobject::CodeObject object;
  if (assemble::assemble(text, "test.hsail", bytes, diagnostics) &&
      program.add(brig::Module::open(bytes, diagnostics), diagnostics) == link::Program::AddResult::ok &&
      finalizer::finalize(program, HSAIL_CODE_OBJECT_BOTH, finalizer::find_isa(isa ? isa : host_isa()),
                          finalizer::parse_options(options), nullptr, object,
                          diagnostics) == finalizer::FinalizeResult::ok) {
    why = diagnostics.print();
    // A kernel that should be one of waves and is not, or a body that a verifier has refused.
    if (why.find("FINALIZER-spmd-") == std::string::npos) return object;
    return std::nullopt;
  }
  why = diagnostics.print();
  return std::nullopt;
}

void expect_same(const std::string& text, const std::vector<std::string>& kernels,
                 const std::vector<uint64_t>& data, uint32_t grid, uint32_t group, const WaveTarget& target) {
  std::string why;
  auto object = compile(text, why, target.isa, target.options);
  ASSERT_TRUE(object) << why << text;
  LoadedProgram interpreted(text);
  ASSERT_TRUE(interpreted.good());
  LoadedCode compiled(std::move(*object));
  for (const std::string& kernel : kernels) {
    SCOPED_TRACE(target.isa);
    std::vector<uint64_t> expected = data;
    const auto fault = interpreted.run(kernel, {address(expected.data())}, grid, group);
    ASSERT_EQ(id(fault), "none") << message(fault) << "\n" << text;
    for (const auto guard : {GuardedBuffer::Guard::before, GuardedBuffer::Guard::behind}) {
      const GuardedCopy<uint64_t> buffer(data, guard);
      uint64_t kernarg[2] = {address(buffer.data())};
      const Trap trap = compiled.run(kernel, kernarg, {{grid, 1, 1}, {group, 1, 1}, 1});
      ASSERT_FALSE(trap.taken) << kernel << " reason " << trap.reason << "\n" << text;
      const std::vector<uint64_t> got = buffer.values();
      const auto [at, other] = std::ranges::mismatch(expected, got);
      if (at == expected.end()) continue;
      ADD_FAILURE() << fmt::format("{}: word {} was {:x}, interpreted {:x}, compiled {:x}\n", kernel,
                                   at - expected.begin(), data[static_cast<size_t>(at - expected.begin())],
                                   *at, *other)
                    << text;
    }
  }
}

void expect_same(const std::string& text, const std::vector<std::string>& kernels,
                 const std::vector<uint64_t>& data, uint32_t grid, uint32_t group) {
  expect_same(text, kernels, data, grid, group, {host_isa()});
  if (const auto waves = wave_target(text.size())) expect_same(text, kernels, data, grid, group, *waves);
}

}  // namespace heddle::testing
