// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The device library of OpenCL C, before anything is translated: with libclc, it defines all builtin
// functions, and the instructions that it calls exist.
#include "devlib/opencl/libclc_names.h"
#include "devlib/opencl/library.h"

#include <gtest/gtest.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

#include <cstdint>
#include <fstream>
#include <memory>
#include <set>
#include <string>

#include "hsail/assemble/assemble.h"

namespace heddle::testing {
namespace {

constexpr const char* libclc = "/usr/lib/clc/amdgcn-amd-amdhsa.bc";
constexpr llvm::StringLiteral instruction_prefix = "__hsail_";

std::unique_ptr<llvm::Module> parse(llvm::MemoryBufferRef bytes, llvm::LLVMContext& context) {
  auto module = llvm::parseBitcodeFile(bytes, context);
  if (!module) ADD_FAILURE() << llvm::toString(module.takeError());
  return module ? std::move(*module) : nullptr;
}

std::unique_ptr<llvm::Module> parse_file(const std::string& path, llvm::LLVMContext& context) {
  auto bytes = llvm::MemoryBuffer::getFile(path);
  if (!bytes) ADD_FAILURE() << path << ": " << bytes.getError().message();
  return bytes ? parse((*bytes)->getMemBufferRef(), context) : nullptr;
}

std::unique_ptr<llvm::Module> device_library(llvm::LLVMContext& context) {
  const auto bytes = devlib::opencl_bitcode();
  return parse({llvm::StringRef(reinterpret_cast<const char*>(bytes.data()), bytes.size()), "opencl.bc"},
               context);
}

/// The builtin functions of one version of OpenCL C or of HIP, linked as the compiler links them.
class Builtins : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(std::ifstream(libclc)) << "the Debian package libclc-22 is not installed";
    program_ = parse_file(std::string(BUILTINS "/builtins-") + GetParam() + ".bc", context_);
    auto own = device_library(context_);
    auto others = parse_file(libclc, context_);
    ASSERT_TRUE(program_ && own && others);
    for (const llvm::Function& function : *program_) declared_ += function.isDeclaration() ? 1 : 0;
    ASSERT_FALSE(llvm::Linker::linkModules(*program_, std::move(own), llvm::Linker::LinkOnlyNeeded));
    devlib::rename_replaced_functions(*others, *program_);
    ASSERT_FALSE(llvm::Linker::linkModules(*program_, std::move(others), llvm::Linker::LinkOnlyNeeded));
  }

  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> program_;
  unsigned declared_ = 0;
};

TEST_P(Builtins, AreAllDefined) {
  const bool is_hip = std::string_view(GetParam()) == "hip";
  EXPECT_GT(declared_, is_hip ? 250U : 12000U) << "clang's header has more functions than this";
  for (const llvm::Function& function : *program_) {
    const bool is_instruction = function.isIntrinsic() || function.getName().starts_with(instruction_prefix);
    EXPECT_TRUE(!function.isDeclaration() || is_instruction) << function.getName().str();
  }
  EXPECT_FALSE(llvm::verifyModule(*program_, &llvm::errs()));
}

/// libclc has functions that read what only dispatches of AMD's devices have, and leaves some to what the
/// devices compute. The library must replace all of them.
TEST_P(Builtins, NeedOnlyWhatHsailHas) {
  const std::set<llvm::Intrinsic::ID> have_no_instruction = {
      llvm::Intrinsic::sin, llvm::Intrinsic::cos,  llvm::Intrinsic::exp,   llvm::Intrinsic::exp2,
      llvm::Intrinsic::log, llvm::Intrinsic::log2, llvm::Intrinsic::log10, llvm::Intrinsic::pow};
  for (const llvm::Function& function : *program_) {
    if (!function.isIntrinsic() || function.use_empty()) continue;
    const std::string name = function.getName().str();
    EXPECT_FALSE(have_no_instruction.contains(function.getIntrinsicID())) << name;
    EXPECT_TRUE(!function.getName().starts_with("llvm.amdgcn.") || name == "llvm.amdgcn.rsq.f64") << name;
  }
}

INSTANTIATE_TEST_SUITE_P(OpenCl, Builtins, ::testing::Values("CL2.0", "CL3.0", "hip"), [](const auto& info) {
  std::string name = info.param;
  std::erase(name, '.');
  return name;
});

/// Writes one call of an instruction as HSAIL, with any registers. Arguments that are constants in the
/// library stay constants.
class InstructionText {
 public:
  explicit InstructionText(const llvm::CallInst& call) {
    text_ = call.getCalledFunction()->getName().drop_front(instruction_prefix.size()).str() + " ";
    if (!call.getType()->isVoidTy()) add(of_type(*call.getType()));
    for (const llvm::Value* argument : call.args()) add(operand(*argument));
    text_ += ";\n";
  }

  const std::string& text() const { return text_; }

 private:
  void add(const std::string& operand) {
    if (text_.back() != ' ') text_ += ", ";
    text_ += operand;
  }

  std::string operand(const llvm::Value& value) {
    const auto* const constant = llvm::dyn_cast<llvm::ConstantInt>(&value);
    return constant != nullptr ? std::to_string(constant->getZExtValue()) : of_type(*value.getType());
  }

  std::string of_type(const llvm::Type& type) {
    if (const auto* const vector = llvm::dyn_cast<llvm::FixedVectorType>(&type)) {
      std::string elements;
      for (unsigned i = 0; i < vector->getNumElements(); i++)
        elements += (i == 0 ? "(" : ", ") + of_type(*vector->getElementType());
      return elements + ")";
    }
    if (type.isIntegerTy(1)) return "$c" + std::to_string(next_++);
    const bool is_wide = type.isIntegerTy(64) || type.isDoubleTy() || type.isPointerTy();
    return (is_wide ? "$d" : "$s") + std::to_string(next_++);
  }

  std::string text_;
  unsigned next_ = 0;
};

TEST(OpenClLibrary, CallsInstructionsThatExist) {
  llvm::LLVMContext context;
  const auto module = device_library(context);
  ASSERT_TRUE(module);
  std::set<std::string> lines;
  for (const llvm::Function& function : *module)
    for (const llvm::Instruction& instruction : llvm::instructions(function))
      if (const auto* const call = llvm::dyn_cast<llvm::CallInst>(&instruction))
        if (const llvm::Function* callee = call->getCalledFunction())
          if (callee->getName().starts_with(instruction_prefix) && callee->getName() != "__hsail_WAVESIZE")
            lines.insert(InstructionText(*call).text());
  EXPECT_GT(lines.size(), 250U);
  std::string text = "module &m:1:2:$full:$large:$default;\nextension \"IMAGE\";\nprog kernel &k()\n{\n";
  for (const std::string& line : lines) text += line;
  text += "};\n";
  Diagnostics diagnostics("library.hsail", text);
  std::vector<std::byte> brig;
  EXPECT_TRUE(assemble::assemble(text, "library.hsail", brig, diagnostics)) << diagnostics.print();
}

/// Instructions that take a dimension take a constant: optimisation must not have made one call of several.
TEST(OpenClLibrary, DimensionsAreConstants) {
  llvm::LLVMContext context;
  const auto module = device_library(context);
  ASSERT_TRUE(module);
  unsigned calls = 0;
  for (const char* name : {"workitemabsid_u32", "workitemid_u32", "workgroupid_u32", "workgroupsize_u32",
                           "currentworkgroupsize_u32", "gridsize_u32", "gridgroups_u32"}) {
    const llvm::Function* const function = module->getFunction(instruction_prefix.str() + name);
    ASSERT_NE(function, nullptr) << name;
    for (const llvm::User* user : function->users()) {
      const auto* const call = llvm::cast<llvm::CallInst>(user);
      calls++;
      EXPECT_TRUE(llvm::isa<llvm::ConstantInt>(call->getArgOperand(0))) << name;
      EXPECT_TRUE(call->cannotMerge()) << name;
    }
  }
  EXPECT_GE(calls, 21U);
}

}  // namespace
}  // namespace heddle::testing
