// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code for a machine whose memory instructions need alignment and whose stack holds no variables. The tests
// describe x86-64 as such a machine, so that the result of lowering can be executed.
#include <array>
#include <cstring>
#include <numeric>

#include "compile.h"
#include "finalizer/x86/machine.h"
#include "finalizer/x86/target.h"
#include "jit_runner.h"

namespace heddle::testing {
namespace {

using finalizer::Isa;

class StrictMachine final : public finalizer::SpmdTarget {
 public:
  StrictMachine() : traits_(finalizer::x86::traits(1)), isa_(finalizer::x86::target().isas().back()) {
    traits_.unaligned_access = false;
    traits_.largest_stack_variable = traits_.stack_for_variables = 0;
    isa_.target = this;
  }

  const Isa& isa() const { return isa_; }
  std::span<const Isa> isas() const override { return {&isa_, 1}; }
  const finalizer::TargetTraits& traits(const Isa&) const override { return traits_; }
  Result<void> generate(finalizer::SpmdProgram spmd, const finalizer::CompileRequest& request,
                        codeobject::CodeObject& object, Diagnostics& diagnostics) const override {
    return finalizer::x86::target().generate(std::move(spmd), request, object, diagnostics);
  }

 private:
  finalizer::TargetTraits traits_;
  Isa isa_;
};

/// Finalizes a module for the strict machine.
codeobject::CodeObject compile_strictly(const std::string& text) {
  static const StrictMachine machine;
  const std::string whole = module_header + text;
  Diagnostics diagnostics("test.hsail", whole);
  link::Program program(link::Program::Options{});
  std::vector<std::byte> brig;
  codeobject::CodeObject object;
  if (!assemble::assemble(whole, "test.hsail", brig, diagnostics) ||
      program.add(brig::Module::open(brig, diagnostics), diagnostics) != link::Program::AddResult::ok ||
      finalizer::finalize(program, HSAIL_CODE_OBJECT_BOTH, &machine.isa(), finalizer::parse_options(""),
                          nullptr, object, diagnostics) != finalizer::FinalizeResult::ok)
    throw std::runtime_error(diagnostics.print());
  return object;
}

/// Copies of every size from every byte to every byte: 1 to 4 elements of 8 to 128 bits.
TEST(StrictMemory, TakesAnyAddress) {
  LoadedCode code(compile_strictly(R"(
prog kernel &k(kernarg_u64 %from, kernarg_u64 %to) {
  ld_kernarg_align(8)_u64 $d0, [%from];
  ld_kernarg_align(8)_u64 $d1, [%to];
  ld_v4_global_u32 ($s0, $s1, $s2, $s3), [$d0];
  st_v4_global_u32 ($s0, $s1, $s2, $s3), [$d1];
  ld_v3_global_u16 ($s0, $s1, $s2), [$d0+16];
  st_v3_global_u16 ($s0, $s1, $s2), [$d1+16];
  ld_v2_global_u64 ($d2, $d3), [$d0+22];
  st_v2_global_u64 ($d2, $d3), [$d1+22];
  ld_global_b128 $q0, [$d0+38];
  st_global_b128 $q0, [$d1+38];
  ld_u8 $s0, [$d0+54];
  st_u8 $s0, [$d1+54];
};)"));
  constexpr size_t copied = 55, offsets = 16;
  alignas(64) std::array<uint8_t, 128> from;
  std::iota(from.begin(), from.end(), uint8_t{1});
  for (size_t source = 0; source < offsets; ++source) {
    for (size_t target = 0; target < offsets; ++target) {
      alignas(64) std::array<uint8_t, 128> to = {}, expected = {};
      std::memcpy(&expected[target], &from[source], copied);
      const uint64_t kernarg[] = {reinterpret_cast<uint64_t>(&from[source]),
                                  reinterpret_cast<uint64_t>(&to[target])};
      EXPECT_FALSE(code.run("&k", kernarg, Shape{}).taken);
      ASSERT_EQ(to, expected) << source << " to " << target;
    }
  }
}

/// Arguments and private variables are in the private segment of the work-item.
TEST(StrictMemory, HoldsVariablesInThePrivateSegment) {
  LoadedCode code(compile_strictly(R"(
function &sum(arg_u32 %r)(arg_u32 %x[4]) {
  private_u32 %p;
  spill_u32 %s;
  ld_arg_u32 $s0, [%x];
  ld_arg_u32 $s1, [%x][4];
  add_u32 $s0, $s0, $s1;
  st_private_u32 $s0, [%p];
  ld_arg_u32 $s1, [%x][12];
  st_spill_u32 $s1, [%s];
  ld_private_u32 $s0, [%p];
  ld_spill_u32 $s2, [%s];
  add_u32 $s0, $s0, $s2;
  st_arg_u32 $s0, [%r];
};
prog kernel &k(kernarg_u64 %to) {
  ld_kernarg_align(8)_u64 $d0, [%to];
  {
    arg_u32 %r;
    arg_u32 %x[4];
    st_arg_u32 100, [%x];
    st_arg_u32 20, [%x][4];
    st_arg_u32 3, [%x][12];
    call &sum(%r)(%x);
    ld_arg_u32 $s0, [%r];
  }
  st_global_align(4)_u32 $s0, [$d0];
};)"));
  EXPECT_GE(code.kernel("&k").private_size, 4u + 16 + 4 + 4);
  uint32_t result = 0;
  const uint64_t kernarg[] = {reinterpret_cast<uint64_t>(&result)};
  EXPECT_FALSE(code.run("&k", kernarg, Shape{}).taken);
  EXPECT_EQ(result, 123u);
}

}  // namespace
}  // namespace heddle::testing
