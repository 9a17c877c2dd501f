// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomic operations of every type and operation, on global and group memory: 64 work-items change four
// neighbours, and the result is the one of any order, because all operations here commute.
#include <bit>
#include <functional>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsAMDGPU.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <hsail/hsail.hpp>

#include "compiler/translate.h"
#include "hsa_session.h"

namespace {

using RMW = llvm::AtomicRMWInst;

constexpr uint32_t items = 64;
constexpr uint32_t neighbours = 4;
constexpr const char* layout =
    "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-"
    "p9:192:256:256:32-"
    "i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-"
    "A5-G1-ni:7:8:9";

// What an operation does to integers of `bits` bits.
struct IntegerCase {
  RMW::BinOp operation;
  std::function<uint64_t(uint64_t old, uint64_t value, unsigned bits)> apply;
};

int64_t extended(uint64_t value, unsigned bits) {
  return static_cast<int64_t>(value << (64 - bits)) >> (64 - bits);
}

const std::vector<IntegerCase>& integer_cases() {
  static const std::vector<IntegerCase> cases = {
      {RMW::Add, [](uint64_t a, uint64_t b, unsigned) { return a + b; }},
      {RMW::Sub, [](uint64_t a, uint64_t b, unsigned) { return a - b; }},
      {RMW::And, [](uint64_t a, uint64_t b, unsigned) { return a & b; }},
      {RMW::Or, [](uint64_t a, uint64_t b, unsigned) { return a | b; }},
      {RMW::Xor, [](uint64_t a, uint64_t b, unsigned) { return a ^ b; }},
      {RMW::Max, [](uint64_t a, uint64_t b, unsigned n) { return extended(a, n) > extended(b, n) ? a : b; }},
      {RMW::Min, [](uint64_t a, uint64_t b, unsigned n) { return extended(a, n) < extended(b, n) ? a : b; }},
      {RMW::UMax, [](uint64_t a, uint64_t b, unsigned) { return std::max(a, b); }},
      {RMW::UMin, [](uint64_t a, uint64_t b, unsigned) { return std::min(a, b); }},
      {RMW::USubSat, [](uint64_t a, uint64_t b, unsigned) { return a > b ? a - b : 0; }},
  };
  return cases;
}

struct RealCase {
  RMW::BinOp operation;
  std::function<double(double, double)> apply;
};

// Sums of these values are exact in all types.
const std::vector<RealCase>& real_cases() {
  static const std::vector<RealCase> cases = {
      {RMW::FAdd, [](double a, double b) { return a + b; }},
      {RMW::FSub, [](double a, double b) { return a - b; }},
      {RMW::FMax, [](double a, double b) { return std::max(a, b); }},
      {RMW::FMin, [](double a, double b) { return std::min(a, b); }},
  };
  return cases;
}

std::string kernel_name(RMW::BinOp operation, llvm::StringRef type, unsigned space) {
  return fmt::format("{}_{}_{}", RMW::getOperationName(operation).str(), type.str(), space);
}

// kernel(global T* memory, global T* values): each work-item applies values[i] to memory[i % 4], directly or
// in group memory.
class KernelMaker {
 public:
  explicit KernelMaker(llvm::Module& module) : module_(module), builder_(module.getContext()) {}

  void make(RMW::BinOp operation, llvm::Type* type, llvm::StringRef type_name, unsigned space) {
    llvm::Type* pointer = builder_.getPtrTy(1);
    auto* function = llvm::Function::Create(
        llvm::FunctionType::get(builder_.getVoidTy(), {pointer, pointer}, false),
        llvm::GlobalValue::ExternalLinkage, kernel_name(operation, type_name, space), module_);
    function->setCallingConv(llvm::CallingConv::AMDGPU_KERNEL);
    builder_.SetInsertPoint(llvm::BasicBlock::Create(module_.getContext(), "", function));
    llvm::Value* item =
        builder_.CreateIntrinsic(llvm::Intrinsic::amdgcn_workitem_id_x, llvm::ArrayRef<llvm::Value*>());
    llvm::Value* place = builder_.CreateAnd(item, neighbours - 1);
    llvm::Value* value = builder_.CreateLoad(type, builder_.CreateGEP(type, function->getArg(1), item));
    llvm::Value* global = builder_.CreateGEP(type, function->getArg(0), place);
    if (space == 1) {
      change(operation, global, value, type);
    } else {
      auto* tile = new llvm::GlobalVariable(module_, llvm::ArrayType::get(type, neighbours), false,
                                            llvm::GlobalValue::InternalLinkage,
                                            llvm::PoisonValue::get(llvm::ArrayType::get(type, neighbours)),
                                            "tile", nullptr, llvm::GlobalValue::NotThreadLocal, 3);
      llvm::Value* mine = builder_.CreateGEP(type, tile, place);
      // All work-items that share a place store the same.
      builder_.CreateStore(builder_.CreateLoad(type, global), mine);
      barrier();
      change(operation, mine, value, type);
      barrier();
      builder_.CreateStore(builder_.CreateLoad(type, mine), global);
    }
    builder_.CreateRetVoid();
  }

 private:
  void change(RMW::BinOp operation, llvm::Value* place, llvm::Value* value, llvm::Type* type) {
    const auto align = llvm::Align(module_.getDataLayout().getTypeStoreSize(type));
    builder_.CreateAtomicRMW(operation, place, value, align, llvm::AtomicOrdering::SequentiallyConsistent);
  }
  void barrier() {
    const auto scope = module_.getContext().getOrInsertSyncScopeID("workgroup");
    builder_.CreateFence(llvm::AtomicOrdering::Release, scope);
    builder_.CreateIntrinsic(llvm::Intrinsic::amdgcn_s_barrier, llvm::ArrayRef<llvm::Value*>());
    builder_.CreateFence(llvm::AtomicOrdering::Acquire, scope);
  }

  llvm::Module& module_;
  llvm::IRBuilder<> builder_;
};

std::vector<char> all_kernels() {
  llvm::LLVMContext context;
  llvm::Module module("atomics", context);
  module.setTargetTriple(llvm::Triple("amdgcn-amd-amdhsa"));
  module.setDataLayout(layout);
  KernelMaker maker(module);
  for (const unsigned space : {1U, 3U}) {
    for (const unsigned bits : {8U, 16U, 32U, 64U}) {
      for (const IntegerCase& one : integer_cases()) {
        maker.make(one.operation, llvm::Type::getIntNTy(context, bits), fmt::format("i{}", bits), space);
      }
    }
    for (const RealCase& one : real_cases()) {
      maker.make(one.operation, llvm::Type::getFloatTy(context), "float", space);
      maker.make(one.operation, llvm::Type::getDoubleTy(context), "double", space);
    }
  }
  std::string broken;
  llvm::raw_string_ostream said(broken);
  if (llvm::verifyModule(module, &said)) throw examples::Error(broken);
  heddle::Diagnostics diagnostics("atomics");
  const auto text = heddle::compiler::translate(module, {.module_name = "atomics"}, diagnostics);
  if (!text) throw examples::Error(diagnostics.print());
  const auto brig = hsail::assemble(*text, "atomics.hsail");
  if (!brig) throw examples::Error(brig.diagnostics());
  const auto* bytes = static_cast<const char*>(brig->data());
  return {bytes, bytes + brig->size()};
}

// A place for values of any of the types.
struct Memory {
  uint64_t words[neighbours];
};
struct Values {
  uint64_t words[items];
};

// An agent with the kernels loaded.
struct Device {
  Device(const examples::Agent& agent, const std::vector<char>& module)
      : agent(agent), code(agent, module), queue(agent) {}
  const examples::Agent& agent;
  examples::Executable code;
  examples::Queue queue;
};

class Atomics : public testing::Test {
 protected:
  void SetUp() override { module_ = all_kernels(); }

  // Runs a kernel on copies of the elements, and copies what it changes back.
  static void run(Device& device, const std::string& name, void* memory, size_t memory_size,
                  const void* values, size_t values_size) {
    const examples::Agent& agent = device.agent;
    const examples::Kernel kernel = device.code.kernel(("&" + name).c_str());
    examples::Buffer<Memory> changed(agent, 1);
    examples::Buffer<Values> given(agent, 1);
    std::memcpy(changed.data(), memory, memory_size);
    std::memcpy(given.data(), values, values_size);
    const examples::Arguments arguments(agent, kernel, changed.data(), given.data());
    device.queue.run(kernel, {.x = items, .group_x = items}, arguments);
    std::memcpy(memory, changed.data(), memory_size);
  }

  template <typename T>
  static void check_integers(Device& device, unsigned space) {
    constexpr unsigned bits = sizeof(T) * 8;
    for (const IntegerCase& one : integer_cases()) {
      T memory[neighbours] = {static_cast<T>(200), static_cast<T>(0x8081828384858687), static_cast<T>(-3),
                              77};
      T expected[neighbours];
      std::copy(std::begin(memory), std::end(memory), expected);
      T values[items];
      for (uint32_t i = 0; i < items; ++i) {
        // Bits that are set in nearly all values leave something of conjunctions.
        const uint64_t number = 0x9e3779b97f4a7c15U * (i + 1) >> 7;
        values[i] = static_cast<T>(one.operation == RMW::And ? number | 0x0f0f0f0f0f0f0f0f : number);
        T& place = expected[i % neighbours];
        place = static_cast<T>(one.apply(place, values[i], bits));
      }
      const std::string name = kernel_name(one.operation, fmt::format("i{}", bits), space);
      run(device, name, memory, sizeof memory, values, sizeof values);
      for (uint32_t i = 0; i < neighbours; ++i) EXPECT_EQ(memory[i], expected[i]) << name << " " << i;
    }
  }

  template <typename T>
  static void check_reals(Device& device, llvm::StringRef type, unsigned space) {
    for (const RealCase& one : real_cases()) {
      T memory[neighbours] = {T(1.5), T(-8), T(0), T(40)};
      T expected[neighbours];
      std::copy(std::begin(memory), std::end(memory), expected);
      T values[items];
      for (uint32_t i = 0; i < items; ++i) {
        values[i] = T(static_cast<double>(static_cast<int>(i * 7 % 23) - 11) / 2);
        T& place = expected[i % neighbours];
        place = T(one.apply(static_cast<double>(place), static_cast<double>(values[i])));
      }
      const std::string name = kernel_name(one.operation, type, space);
      run(device, name, memory, sizeof memory, values, sizeof values);
      for (uint32_t i = 0; i < neighbours; ++i)
        EXPECT_EQ(static_cast<double>(memory[i]), static_cast<double>(expected[i])) << name << " " << i;
    }
  }

  std::vector<char> module_;
};

TEST_F(Atomics, CommuteOnEveryAgent) {
  const examples::Runtime runtime;
  for (const examples::Agent& agent : examples::kernel_agents()) {
    SCOPED_TRACE(agent.name);
    Device device(agent, module_);
    for (const unsigned space : {1U, 3U}) {
      check_integers<uint8_t>(device, space);
      check_integers<uint16_t>(device, space);
      check_integers<uint32_t>(device, space);
      check_integers<uint64_t>(device, space);
      check_reals<float>(device, "float", space);
      check_reals<double>(device, "double", space);
    }
  }
}

}  // namespace
