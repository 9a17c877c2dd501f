// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code objects with hand-assembled machine code, through the loader and a queue.
#include "agents/cpu/loader.h"

#include <fstream>

#include "cpu_fixture.h"

namespace heddle::cpu::test {
namespace {

using codeobject::CodeObject;
using codeobject::Relocation;

std::vector<std::byte> bytes(std::initializer_list<int> values) {
  std::vector<std::byte> out;
  for (int value : values) out.push_back(static_cast<std::byte>(value));
  return out;
}

// Groups entry: mov rax,[rdi] (dispatch); mov rax,[rax] (kernarg); mov rcx,[rip+to data]; mov [rax],rcx; ret
const std::vector<std::byte> store_first_data_word =
    bytes({0x48, 0x8b, 0x07, 0x48, 0x8b, 0x00, 0x48, 0x8b, 0x0d, 0, 0, 0, 0, 0x48, 0x89, 0x08, 0xc3});
constexpr size_t displacement_at = 9;

/// Returns an object with the code above and three words of data, which relocations fill.
CodeObject object() {
  CodeObject o;
  o.has_agent_part = true;
  o.isa = "heddle:x86-64-v2:w1";
  o.text = store_first_data_word;
  o.data.resize(24);
  const auto displacement = static_cast<uint32_t>(codeobject::data_offset(o) - (displacement_at + 4));
  std::memcpy(o.text.data() + displacement_at, &displacement, 4);
  codeobject::Variable variable;
  variable.name = "&v";
  variable.size = 4;
  o.variables.push_back(variable);
  codeobject::Kernel kernel;
  kernel.name = "&store";
  kernel.groups_entry = 0;
  kernel.wave_entry = codeobject::no_entry;
  o.kernels.push_back(kernel);
  o.functions.push_back({"&f", "&f", "&m", codeobject::Linkage::program, 16});
  return o;
}

class CpuLoaderTest : public CpuTest {
 protected:
  Result<std::shared_ptr<agents::LoadedCode>, Error> load(const CodeObject& o, uint64_t address = 0x1000) {
    const hsam_variable_address variables[] = {{0, address}};
    return executor.load(codeobject::write(o), variables);
  }
  /// Runs the kernel and returns the first word of data that it reads.
  uint64_t first_word(const agents::LoadedCode& code) {
    uint64_t word = 0;
    EXPECT_TRUE(run(code.kernel_object(0), 1, 1, word));
    return word;
  }
};

TEST_F(CpuLoaderTest, CodeReachesItsRelocatedData) {
  start();
  struct Case {
    Relocation::What what;
    int64_t addend;
    uint64_t expected;  ///< 0 where the value depends on the load address
  };
  const Case cases[] = {
      {Relocation::What::variable, 8, 0x1008}, {Relocation::What::null_group, 0, 0xffffffff},
      {Relocation::What::null_flat, 0, 0},     {Relocation::What::kernel, 0, 0},
      {Relocation::What::function, 1, 0},      {Relocation::What::text_base, 16, 0},
      {Relocation::What::data_base, -8, 0}};
  for (const Case& c : cases) {
    CodeObject o = object();
    o.relocations.push_back({Relocation::Where::data, c.what, 0, 0, 8, 0, c.addend});
    const auto code = load(o);
    ASSERT_TRUE(code.ok()) << code.error().message;
    const uint64_t text = (*code)->function_handle(0) - 16;
    uint64_t expected = c.expected;
    if (c.what == Relocation::What::kernel) expected = (*code)->kernel_object(0);
    if (c.what == Relocation::What::function) expected = (*code)->function_handle(0) + 1;
    if (c.what == Relocation::What::text_base) expected = text + 16;
    if (c.what == Relocation::What::data_base) expected = text + codeobject::data_offset(o) - 8;
    EXPECT_EQ(first_word(**code), expected) << "relocation " << static_cast<int>(c.what);
  }
}

TEST_F(CpuLoaderTest, RelocationsWriteTheirSizeOnly) {
  start();
  CodeObject o = object();
  std::memset(o.data.data(), 0xee, 8);
  o.relocations.push_back({Relocation::Where::data, Relocation::What::variable, 0, 2, 2, 0, 0});
  const auto code = load(o, 0x12345678);
  ASSERT_TRUE(code.ok());
  EXPECT_EQ(first_word(**code), 0xeeeeeeee5678eeeeu);
}

TEST_F(CpuLoaderTest, NoPageIsWritableAndExecutable) {
  const auto code = load(object());
  ASSERT_TRUE(code.ok());
  const uint64_t text = (*code)->function_handle(0) - 16;
  std::ifstream maps("/proc/self/maps");
  int found = 0;
  for (std::string line; std::getline(maps, line);) {
    uint64_t begin = 0, end = 0;
    char mode[5] = {};
    ASSERT_EQ(std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, mode), 3);
    if (text >= begin && text < end) {
      EXPECT_EQ(std::string(mode), "r-xp");
      ++found;
    }
    if (text + 4096 >= begin && text + 4096 < end) {
      EXPECT_EQ(std::string(mode), "r--p");
      ++found;
    }
  }
  EXPECT_EQ(found, 2);
}

TEST_F(CpuLoaderTest, WhatDoesNotFitIsRefused) {
  CodeObject o = object();
  o.isa = "heddle:x86-64-v9:w1";
  EXPECT_FALSE(load(o).ok());
  for (const char* isa :
       {"heddle:x86-64-v2", "heddle:x86-64-v2:w0", "heddle:x86-64-v2:w1x", "other:x86-64-v2:w1"}) {
    o.isa = isa;
    EXPECT_FALSE(load(o).ok()) << isa;
  }
  EXPECT_FALSE(executor.load({}, {}).ok());
  o = object();
  o.relocations.push_back({Relocation::Where::data, Relocation::What::variable, 0, 0, 8, 0, 0});
  const auto code = executor.load(codeobject::write(o), {});
  ASSERT_FALSE(code.ok());
  EXPECT_NE(code.error().message.find("&v"), std::string::npos);
}

TEST_F(CpuLoaderTest, KernelObjectsEndWithTheirCode) {
  start();
  auto code = load(object());
  ASSERT_TRUE(code.ok());
  const uint64_t kernel = (*code)->kernel_object(0);
  EXPECT_NE(kernel, 0u);
  EXPECT_EQ((*code)->kernel_object(1), 0u);
  EXPECT_EQ((*code)->function_handle(1), 0u);
  code->reset();
  queue.submit(dispatch(kernel, 1, 1));
  EXPECT_EQ(error().status, HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
}

}  // namespace
}  // namespace heddle::cpu::test
