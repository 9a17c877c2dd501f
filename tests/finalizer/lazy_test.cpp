// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code objects whose kernels get their code later (-lazy), and the code of single kernels (-kernel).
#include <gmock/gmock.h>
#include <hsa/hsa_brig_directives.h>

#include "compile.h"

namespace heddle::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

/// Returns a module with three kernels, a function and two variables, and what else is to be in it.
std::string three_kernels(const std::string& addition = {}) {
  return module_header + R"(
prog global_u32 &counter = 5;
global_u32 &own = 6;
function &twice(arg_u32 %r)(arg_u32 %x) {
  ld_arg_u32 $s0, [%x];
  add_u32 $s0, $s0, $s0;
  st_arg_u32 $s0, [%r];
};
prog kernel &first(kernarg_u64 %p) {
  ld_global_u32 $s0, [&counter];
  { arg_u32 %r; arg_u32 %x;
    st_arg_u32 $s0, [%x];
    call &twice (%r) (%x);
    ld_arg_u32 $s0, [%r]; }
  st_global_u32 $s0, [&own];
};
prog kernel &second(kernarg_u64 %p) { st_global_u32 1, [&counter]; };
kernel &third() { st_global_u32 2, [&own]; };
)" + addition;
}

Compiled with(const char* options, const std::string& text = three_kernels(),
              const char* isa = "heddle:x86-64-v2:w1") {
  CompileRequest request;
  request.modules = {text};
  request.isa = isa;
  request.options = options;
  return compile(request);
}

std::vector<std::string> kernels_of(const Compiled& compiled) {
  std::vector<std::string> names;
  for (const auto& kernel : compiled.object.kernels) names.push_back(kernel.linker_name);
  return names;
}

TEST(Lazy, CodeObjectsDescribeEverythingButHaveNoCode) {
  const Compiled whole = with("-O1"), lazy = with("-O1 -no-row-bodies -lazy");
  ASSERT_TRUE(whole) << whole.diagnostics;
  ASSERT_TRUE(lazy) << lazy.diagnostics;
  EXPECT_FALSE(whole.object.lazy);
  EXPECT_TRUE(lazy.object.lazy);
  EXPECT_TRUE(lazy.object.text.empty());
  EXPECT_EQ(lazy.object.brig.size(), 1u);
  EXPECT_EQ(kernels_of(lazy), kernels_of(whole));
  EXPECT_EQ(lazy.object.lazy_options, "-O1 -no-row-bodies");
  EXPECT_EQ(lazy.object.variables.at(0).init, whole.object.variables.at(0).init);
  EXPECT_TRUE(codeobject::read(codeobject::write(lazy.object)).ok());
}

TEST(Lazy, OptionsAreTextAndBack) {
  for (const char* text : {"-O2", "-O0 -g", "-O3 -g -v", "-O1 -no-row-bodies"}) {
    EXPECT_EQ(finalizer::text_of(finalizer::parse_options(text)), text);
  }
}

TEST(Lazy, OneKernelIsCompiledWithWhatItReaches) {
  const Compiled part = with("-kernel=&first");
  ASSERT_TRUE(part) << part.diagnostics;
  EXPECT_THAT(kernels_of(part), ElementsAre("&first"));
  EXPECT_FALSE(part.object.lazy);
  EXPECT_FALSE(part.object.text.empty());
  ASSERT_EQ(part.object.variables.size(), 2u);
  for (const auto& variable : part.object.variables) {
    EXPECT_FALSE(variable.defined) << variable.name << " belongs to another code object";
    EXPECT_TRUE(variable.init.empty());
  }
  const Compiled whole = with(nullptr);
  EXPECT_LT(part.object.text.size(), whole.object.text.size());
  EXPECT_TRUE(std::ranges::equal(part.object.program_digest, whole.object.program_digest));
  EXPECT_THAT(kernels_of(with("-kernel=&m::&third")), ElementsAre("&m::&third")) << "the linker's name";
}

TEST(Lazy, KernelsThatAreNotThereAreErrors) {
  for (const char* options : {"-kernel=&fourth", "-kernel=&twice", "-kernel=&counter", "-kernel=&third"}) {
    const Compiled compiled = with(options);
    EXPECT_FALSE(compiled) << options;
    EXPECT_THAT(compiled.ids, Contains("FINALIZER-kernel")) << options;
  }
}

TEST(Lazy, ErrorsOfOneKernelAreNotThoseOfOthers) {
  const std::string text = three_kernels(
      "prog kernel &large() { private_u8 %big[4294967295]; lda_private_u32 $s0, [%big]; "
      "st_private_u8 1, [$s0]; };\n");
  EXPECT_FALSE(with(nullptr, text)) << "the test needs a kernel that cannot be compiled";
  EXPECT_TRUE(with("-lazy", text));
  EXPECT_TRUE(with("-kernel=&second", text));
  EXPECT_FALSE(with("-kernel=&large", text));
}

/// What has addresses of code needs all of it at once, so that each function and kernel has one address.
TEST(Lazy, AddressesOfCodeExcludeIt) {
  const std::string function = "prog indirect function &f(arg_u32 %r)(arg_u32 %x) { st_arg_u32 1, [%r]; };\n";
  const std::string in_data = "prog alloc(agent) global_u64 &handle = addr(&second);\n";
  for (const std::string& addition : {function, in_data}) {
    const Compiled compiled = with("-lazy", three_kernels(addition));
    ASSERT_TRUE(compiled) << compiled.diagnostics;
    EXPECT_FALSE(compiled.object.lazy) << addition;
    EXPECT_FALSE(compiled.object.text.empty());
  }
}

TEST(Lazy, KernelsWithAddressesAreInEachCodeObject) {
  const std::string text = three_kernels("prog alloc(agent) global_u64 &handle = addr(&second);\n");
  EXPECT_THAT(kernels_of(with("-kernel=&first", text)), ElementsAre("&first", "&second"));
}

TEST(Lazy, FastTargetsIgnoreIt) {
  const Compiled compiled = with("-lazy", three_kernels(), "heddle:hsail:w1");
  ASSERT_TRUE(compiled) << compiled.diagnostics;
  EXPECT_FALSE(compiled.object.lazy);
}

TEST(Lazy, ControlDirectivesExcludeIt) {
  CompileRequest request;
  request.modules = {three_kernels()};
  request.options = "-lazy";
  hsail_control_directives directives = {};
  request.directives = &directives;
  EXPECT_TRUE(compile(request).object.lazy) << "there are none";
  directives.mask = uint64_t{1} << HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDDIM;
  directives.required_dim = 1;
  EXPECT_FALSE(compile(request).object.lazy);
}

}  // namespace
}  // namespace heddle::testing
