// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/x86/machine.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <mutex>
#include <new>
#include <vector>

#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Triple.h>

#include "finalizer/x86/context.h"
#include "support/fork_handler.h"

extern "C" {
void LLVMInitializeX86TargetInfo();
void LLVMInitializeX86Target();
void LLVMInitializeX86TargetMC();
void LLVMInitializeX86AsmPrinter();
void LLVMInitializeX86AsmParser();

extern const char heddle_devlib_x86_64_begin[];
extern const char heddle_devlib_x86_64_end[];
}

namespace heddle::finalizer::x86 {
namespace {

constexpr llvm::StringLiteral triple = "x86_64-unknown-linux-gnu";

const llvm::Target& target() {
  static const llvm::Target* found = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();  // parses inline assembly
    std::string error;
    return llvm::TargetRegistry::lookupTarget(llvm::Triple(triple), error);
  }();
  assert(found != nullptr && "LLVM is built with the X86 target");
  return *found;
}

const char* cpu_name(Level level) {
  switch (level) {
    case Level::v2:
      return "x86-64-v2";
    case Level::v3:
      return "x86-64-v3";
    default:
      return "x86-64-v4";
  }
}

llvm::CodeGenOptLevel codegen_level(OptLevel opt_level) {
  switch (opt_level) {
    case 0:
      return llvm::CodeGenOptLevel::None;
    case 1:
      return llvm::CodeGenOptLevel::Less;
    case 2:
      return llvm::CodeGenOptLevel::Default;
    default:
      return llvm::CodeGenOptLevel::Aggressive;
  }
}

std::unique_ptr<llvm::TargetMachine> create_target_machine(Level level, OptLevel opt_level) {
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  options.TrapUnreachable = true;
  // Processors keep decoded instructions in lines, and a short loop across two of them has taken 1.5 times as
  // long as one within a line.
  options.LoopAlignment = 32;
  return std::unique_ptr<llvm::TargetMachine>(
      target().createTargetMachine(llvm::Triple(triple), cpu_name(level), "", options, llvm::Reloc::PIC_,
                                   llvm::CodeModel::Small, codegen_level(opt_level)));
}

using TargetMachines = std::vector<std::unique_ptr<llvm::TargetMachine>>;

/// The target machines that no compilation uses at the moment. They are never destroyed, because other
/// threads may still compile while the process exits.
struct IdleMachines {
  static constexpr size_t levels = 3, opt_levels = 4;

  std::mutex mutex;
  std::array<TargetMachines, levels * opt_levels> machines;
  const ForkHandler fork_handler{[](void* object) noexcept {
                                   auto& idle = *static_cast<IdleMachines*>(object);
                                   abandon(idle.mutex);
                                   abandon(idle.machines);
                                 },
                                 this};

  static IdleMachines& instance() {
    static auto& instance = *new IdleMachines;
    return instance;
  }
};

}  // namespace

namespace {

TargetTraits make_traits(unsigned lanes) {
  TargetTraits traits;
  traits.triple = triple.str();
  traits.data_layout = llvm::Triple(triple).computeDataLayout();
  // All segments are in the same memory. The numbers only tell which segment a pointer of the IR addresses.
  traits.address_spaces[HSA_BRIG_SEGMENT_GLOBAL] = 1;
  traits.address_spaces[HSA_BRIG_SEGMENT_GROUP] = 3;
  traits.address_spaces[HSA_BRIG_SEGMENT_READONLY] = 4;
  traits.address_spaces[HSA_BRIG_SEGMENT_KERNARG] = 4;
  traits.address_spaces[HSA_BRIG_SEGMENT_PRIVATE] = 5;
  traits.address_spaces[HSA_BRIG_SEGMENT_SPILL] = 5;
  traits.address_spaces[HSA_BRIG_SEGMENT_ARG] = 5;
  traits.group_alignment = traits.private_alignment = 64;
  traits.unaligned_access = true;
  // The stack has the variables of all lanes.
  traits.largest_stack_variable = std::max<uint64_t>(traits.largest_stack_variable / lanes, 64);
  traits.stack_for_variables = std::max<uint64_t>(traits.stack_for_variables / lanes, 512);
  return traits;
}

}  // namespace

const TargetTraits& traits(unsigned lanes) {
  static const auto known = [] {
    std::array<TargetTraits, std::bit_width(max_lanes)> known;
    for (unsigned i = 0; i < known.size(); ++i) known[i] = make_traits(1u << i);
    return known;
  }();
  assert(std::has_single_bit(lanes) && lanes <= max_lanes);
  return known[std::bit_width(lanes) - 1];
}

llvm::StringRef device_library() {
  return {heddle_devlib_x86_64_begin,
          static_cast<size_t>(heddle_devlib_x86_64_end - heddle_devlib_x86_64_begin)};
}

PooledTargetMachine::PooledTargetMachine(Level level, OptLevel opt_level)
    : index_(static_cast<size_t>(level) * IdleMachines::opt_levels +
             std::min<size_t>(opt_level, IdleMachines::opt_levels - 1)) {
  IdleMachines& idle = IdleMachines::instance();
  assert(index_ < idle.machines.size());
  {
    const std::lock_guard guard(idle.mutex);
    TargetMachines& machines = idle.machines[index_];
    if (!machines.empty()) {
      machine_ = std::move(machines.back());
      machines.pop_back();
    }
  }
  if (!machine_) machine_ = create_target_machine(level, opt_level);
}

PooledTargetMachine::~PooledTargetMachine() {
  IdleMachines& idle = IdleMachines::instance();
  const std::lock_guard guard(idle.mutex);
  // If there is no memory to keep the machine, it is destroyed, and a later compilation creates another one.
  try {
    idle.machines[index_].push_back(std::move(machine_));
  } catch (const std::bad_alloc&) {
    machine_.reset();
  }
}

}  // namespace heddle::finalizer::x86
