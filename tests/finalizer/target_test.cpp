// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interface between the finalizer and its targets: the list of ISAs, the input of a target, and that the
// code of a target is attached to the right kernel whatever the order of declarations.
#include <algorithm>
#include <set>

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Verifier.h>
#include <llvm/TargetParser/Triple.h>

#include <hsa/hsa_brig_directives.h>

#include "compile.h"
#include "finalizer/device_library.h"
#include "finalizer/x86/machine.h"
#include "jit_runner.h"

extern "C" {
extern const char heddle_devlib_nvptx64_begin[];
extern const char heddle_devlib_nvptx64_end[];
}

namespace heddle::testing {
namespace {

using finalizer::CompileRequest;
using finalizer::Isa;

// ---- the list of ISAs

TEST(Targets, ListTheirIsas) {
  const std::vector<std::pair<std::string, uint32_t>> expected = {
      {"heddle:x86-64-v4:w16", 16}, {"heddle:x86-64-v3:w8", 8},  {"heddle:x86-64-v3:w32", 32},
      {"heddle:x86-64-v4:w32", 32}, {"heddle:x86-64-v4:w4", 4},  {"heddle:x86-64-v4:w1", 1},
      {"heddle:x86-64-v3:w4", 4},   {"heddle:x86-64-v3:w1", 1},  {"heddle:x86-64-v2:w1", 1},
      {"heddle:nvptx-sm_120", 32},  {"heddle:nvptx-sm_100", 32}, {"heddle:nvptx-sm_90", 32},
      {"heddle:nvptx-sm_80", 32},   {"heddle:nvptx-sm_70", 32},  {"heddle:hsail:w1", 1},
      {"heddle:hsail:w2", 2},       {"heddle:hsail:w4", 4},      {"heddle:hsail:w8", 8},
      {"heddle:hsail:w16", 16},     {"heddle:hsail:w32", 32},    {"heddle:hsail:w64", 64},
      {"heddle:hsail:w128", 128},   {"heddle:hsail:w256", 256}};
  std::vector<std::pair<std::string, uint32_t>> listed;
  for (const Isa* isa : finalizer::isas()) listed.emplace_back(isa->name, isa->wavefront_size);
  EXPECT_EQ(listed, expected);
}

TEST(Targets, OwnTheirIsas) {
  const auto targets = finalizer::targets();
  for (const Isa* isa : finalizer::isas()) {
    EXPECT_EQ(finalizer::find_isa(isa->name), isa);
    ASSERT_EQ(std::count(targets.begin(), targets.end(), isa->target), 1) << isa->name;
    const auto own = isa->target->isas();
    EXPECT_TRUE(isa >= own.data() && isa < own.data() + own.size()) << isa->name;
  }
  EXPECT_EQ(finalizer::find_isa("heddle:x86-64-v4"), nullptr);
  EXPECT_EQ(finalizer::find_isa(""), nullptr);
}

/// Lowering needs the layout before a code generator exists.
TEST(Targets, TraitsOfX86AreThoseOfItsCodeGenerator) {
  namespace x86 = finalizer::x86;
  for (const x86::Level level : {x86::Level::v2, x86::Level::v3, x86::Level::v4}) {
    const x86::PooledTargetMachine machine(level, 2);
    EXPECT_EQ(x86::traits(1).triple, machine->getTargetTriple().str());
    EXPECT_EQ(x86::traits(1).data_layout, machine->createDataLayout().getStringRepresentation());
  }
}

// ---- the input of a target

/// Records its input, and makes one byte of code for each kernel and function.
class FakeTarget final : public finalizer::SpmdTarget {
 public:
  struct Seen {
    std::string triple, data_layout, broken;
    size_t registers_in_memory = 0;  ///< variables that hold an integer
    size_t addresses_as_sums = 0;    ///< pointers made from the sum of two integers
    unsigned opt_level = 0;
    uint32_t variant = 0;
    std::map<std::string, finalizer::SpmdKernel> kernels;  ///< by name in the program
    std::vector<std::string> functions;
  };

  FakeTarget() {
    const llvm::Triple triple("nvptx64-nvidia-cuda");
    traits_ = {triple.str(), triple.computeDataLayout(), {}};
    traits_.address_spaces[HSA_BRIG_SEGMENT_GLOBAL] = traits_.address_spaces[HSA_BRIG_SEGMENT_READONLY] = 1;
    traits_.address_spaces[HSA_BRIG_SEGMENT_GROUP] = 3;
  }

  std::span<const Isa> isas() const override { return isas_; }
  const finalizer::TargetTraits& traits(const Isa&) const override { return traits_; }

  Result<void> generate(finalizer::SpmdProgram spmd, const CompileRequest& request,
                        codeobject::CodeObject& object, Diagnostics&) const override {
    if (!refuse_.empty()) return Error{refuse_};
    const auto& symbols = request.program.symbols();
    seen_.triple = spmd.module->getTargetTriple().str();
    seen_.data_layout = spmd.module->getDataLayoutStr();
    llvm::raw_string_ostream out(seen_.broken);
    llvm::verifyModule(*spmd.module, &out);
    count_what_is_left_of_lowering(*spmd.module);
    seen_.opt_level = request.options.opt_level;
    seen_.variant = request.isa.variant;
    for (const finalizer::SpmdKernel& kernel : spmd.kernels) {
      seen_.kernels[symbols[kernel.symbol].name] = kernel;
      object.kernels[request.symbols[kernel.symbol]].groups_entry = object.text.size();
      object.text.push_back(std::byte(kernel.group.size));
    }
    for (const finalizer::SpmdIndirectFunction& function : spmd.functions) {
      seen_.functions.push_back(symbols[function.symbol].name);
      object.functions[request.symbols[function.symbol]].entry = object.text.size();
      object.text.push_back(std::byte(0xf0));
    }
    return {};
  }

  /// If not empty, generate() fails with this message.
  std::string refuse_;
  mutable Seen seen_;

 private:
  void count_what_is_left_of_lowering(const llvm::Module& module) const {
    for (const llvm::Function& function : module) {
      for (const llvm::Instruction& instruction : llvm::instructions(function)) {
        const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
        seen_.registers_in_memory += variable && variable->getAllocatedType()->isIntegerTy();
        const auto* cast = llvm::dyn_cast<llvm::IntToPtrInst>(&instruction);
        seen_.addresses_as_sums += cast && llvm::isa<llvm::BinaryOperator>(cast->getOperand(0));
      }
    }
  }

  const std::array<Isa, 2> isas_ = {{{"test:fake:w32", 32, this, 70}, {"test:fake:w64", 64, this, 90}}};
  finalizer::TargetTraits traits_;
};

const std::string three_kernels = module_header + R"(
decl prog kernel &last();
indirect function &twice(arg_u32 %r)(arg_u32 %n)
{
  ld_arg_u32 $s0, [%n];
  add_u32 $s0, $s0, $s0;
  st_arg_u32 $s0, [%r];
};
decl prog kernel &first();
kernel &middle()
{
  requiredworkgroupsize 64, 2, 1;
  enabledetectexceptions 3;
  requirenopartialworkgroups;
  group_u32 %g[2];
  workitemid_u32 $s0, 0;
  st_group_u32 $s0, [%g];
};
prog kernel &first()
{
  requireddim 1;
  group_u32 %g[3];
  workitemid_u32 $s0, 0;
  st_group_u32 $s0, [%g];
};
prog kernel &last() { ret; };
)";

Compiled compile_for(const FakeTarget& target, size_t isa, const std::string& text,
                     const hsail_control_directives* directives = nullptr, const char* options = "-O1") {
  testing::CompileRequest request;
  request.modules = {text};
  request.other_isa = &target.isas()[isa];
  request.directives = directives;
  request.options = options;
  return compile(request);
}

TEST(Targets, ReceiveTheSpmdProgramOfTheirMachine) {
  FakeTarget target;
  hsail_control_directives call = {};
  call.mask = uint64_t{1} << HSA_BRIG_CONTROL_DIRECTIVE_MAXFLATWORKGROUPSIZE;
  call.max_flat_workgroup_size = 512;
  const Compiled compiled = compile_for(target, 1, three_kernels, &call);
  ASSERT_TRUE(compiled) << compiled.diagnostics;
  const auto& seen = target.seen_;
  EXPECT_EQ(compiled.object.isa, "test:fake:w64");
  EXPECT_EQ(seen.variant, 90u);
  EXPECT_EQ(seen.opt_level, 1u);
  EXPECT_EQ(seen.triple, "nvptx64-nvidia-cuda");
  EXPECT_EQ(seen.data_layout, llvm::Triple("nvptx64-nvidia-cuda").computeDataLayout());
  EXPECT_EQ(seen.broken, "");
  EXPECT_EQ(seen.functions, std::vector<std::string>{"&twice"});
  ASSERT_EQ(seen.kernels.size(), 3u);
  // The directives of the kernel and of the call are merged.
  const auto& middle = seen.kernels.at("&middle").directives;
  EXPECT_TRUE(middle.has(HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDWORKGROUPSIZE));
  EXPECT_EQ(middle.required_workgroup_size[0], 64u);
  EXPECT_EQ(middle.required_workgroup_size[1], 2u);
  EXPECT_EQ(middle.max_flat_workgroup_size, 512u);
  EXPECT_TRUE(middle.has(HSA_BRIG_CONTROL_DIRECTIVE_REQUIRENOPARTIALWORKGROUPS));
  EXPECT_EQ(middle.detect_exceptions, 3u);
  EXPECT_NE(middle.enabled_exceptions(), 0u);
  const auto& first = seen.kernels.at("&first").directives;
  EXPECT_FALSE(first.has(HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDWORKGROUPSIZE));
  EXPECT_FALSE(first.has(HSA_BRIG_CONTROL_DIRECTIVE_REQUIRENOPARTIALWORKGROUPS));
  EXPECT_EQ(first.required_dim, 1u);
  EXPECT_EQ(first.enabled_exceptions(), 0u);
  // The code is attached to the kernels for which it was made: its byte is the kernel's group size.
  ASSERT_EQ(compiled.object.kernels.size(), 3u);
  for (const codeobject::Kernel& kernel : compiled.object.kernels) {
    ASSERT_LT(kernel.groups_entry, compiled.object.text.size()) << kernel.name;
    EXPECT_EQ(uint32_t(compiled.object.text[kernel.groups_entry]), kernel.group_size) << kernel.name;
  }
  EXPECT_EQ(compiled.object.text.at(compiled.object.functions.at(0).entry), std::byte(0xf0));
}

/// Debuggers change registers wherever they stop code that is not optimised, so these stay in memory.
TEST(Targets, ReceiveValuesAndPointersUnlessDebuggersNeedRegistersInMemory) {
  const std::string text = module_header + R"(
prog kernel &k(kernarg_u64 %p)
{
  ld_kernarg_align(8)_u64 $d0, [%p];
  st_global_align(4)_u32 1, [$d0+8];
};
)";
  for (const char* options : {"-O0", "-O1", "-O1 -g"}) {
    FakeTarget target;
    const Compiled compiled = compile_for(target, 0, text, nullptr, options);
    ASSERT_TRUE(compiled) << compiled.diagnostics;
    EXPECT_EQ(target.seen_.registers_in_memory, 0u) << options;
    EXPECT_EQ(target.seen_.addresses_as_sums, 0u) << options;
  }
  FakeTarget target;
  const Compiled compiled = compile_for(target, 0, text, nullptr, "-O0 -g");
  ASSERT_TRUE(compiled) << compiled.diagnostics;
  EXPECT_EQ(target.seen_.registers_in_memory, 1u);
  EXPECT_EQ(target.seen_.addresses_as_sums, 1u);
  EXPECT_EQ(target.seen_.broken, "");
}

TEST(Targets, AreNotAskedForProgramsWithoutCode) {
  FakeTarget target;
  target.refuse_ = "asked";
  const Compiled compiled = compile_for(target, 0, module_header + "prog global_u32 &x = 1;\n");
  EXPECT_TRUE(compiled) << compiled.diagnostics;
  EXPECT_EQ(compiled.object.variables.size(), 1u);
}

TEST(Targets, TellTheirErrors) {
  FakeTarget target;
  target.refuse_ = "the machine has burnt down";
  const Compiled compiled = compile_for(target, 0, three_kernels);
  EXPECT_EQ(compiled.result, finalizer::FinalizeResult::failed);
  EXPECT_EQ(compiled.ids, std::vector<std::string>{"FINALIZER-internal"});
  EXPECT_NE(compiled.diagnostics.find("burnt down"), std::string::npos) << compiled.diagnostics;
}

/// A target for a machine that executes other code gets no SPMD IR.
TEST(Targets, NeedNoSpmdProgram) {
  class Direct final : public finalizer::Target {
   public:
    std::span<const Isa> isas() const override { return isas_; }
    void compile(const CompileRequest& request, codeobject::CodeObject& object,
                 Diagnostics& diagnostics) const override {
      for (const finalizer::KernelRequest& kernel : request.kernels)
        object.kernels[request.symbols[kernel.symbol]].private_size =
            static_cast<uint32_t>(request.program.symbols()[kernel.symbol].name.size());
      diagnostics.warning("TEST-direct", {}, "nothing to see");
    }

   private:
    const std::array<Isa, 1> isas_ = {{{"test:direct:w1", 1, this}}};
  };
  const Direct target;
  testing::CompileRequest request;
  request.modules = {three_kernels};
  request.other_isa = target.isas().data();
  const Compiled compiled = compile(request);
  ASSERT_TRUE(compiled) << compiled.diagnostics;
  EXPECT_EQ(compiled.ids, std::vector<std::string>{"TEST-direct"});
  for (const codeobject::Kernel& kernel : compiled.object.kernels)
    EXPECT_EQ(kernel.private_size, kernel.name.size());
}

// ---- the order of kernels

/// Returns a kernel that stores its number plus the result of an indirect function with the same number.
std::string numbered_kernel(int number) {
  const std::string n = std::to_string(number);
  return "prog kernel &k" + n + R"((kernarg_u64 %out)
{
  ld_kernarg_align(8)_u64 $d0, [%out];
  { arg_u32 %r; call &f)" +
         n + "(%r)(); ld_arg_u32 $s0, [%r]; }\n  st_global_u32 $s0, [$d0];\n};\n";
}
std::string numbered_function(int number) {
  const std::string n = std::to_string(number);
  return "indirect function &f" + n + "(arg_u32 %r)() { st_arg_u32 " + std::to_string(100 + number) +
         ", [%r]; };\n";
}

/// Kernels and functions are declared, used in an initial value, and defined in unrelated orders, over two
/// modules.
TEST(Targets, KernelsAreFoundWhateverTheirOrder) {
  testing::CompileRequest request;
  request.isa = best_isa();
  std::string one = module_header, two = "module &n:1:2:$full:$large:$near;\n";
  for (const int n : {3, 0, 2}) one += "decl prog kernel &k" + std::to_string(n) + "(kernarg_u64 %out);\n";
  one += "decl prog indirect function &f1(arg_u32 %r)();\n";
  one += "prog alloc(agent) global_u64 &table[4] = u64[](addr(&k3), addr(&k0), addr(&f1), addr(&k2));\n";
  for (const int n : {2, 0}) one += "prog " + numbered_function(n);
  for (const int n : {2, 0}) one += numbered_kernel(n);
  two += "prog " + numbered_function(3) + "prog " + numbered_function(1);
  for (const int n : {3, 1}) two += numbered_kernel(n);
  request.modules = {one, two};
  Compiled compiled = compile(request);
  ASSERT_TRUE(compiled) << compiled.diagnostics;
  const codeobject::CodeObject& object = compiled.object;
  ASSERT_EQ(object.kernels.size(), 4u);
  ASSERT_EQ(object.functions.size(), 4u);
  // The initial value refers to kernels and functions by their indices in the code object.
  std::map<uint64_t, std::string> table;
  for (const codeobject::Relocation& relocation : object.relocations) {
    if (relocation.where != codeobject::Relocation::Where::variable) continue;
    const bool kernel = relocation.what == codeobject::Relocation::What::kernel;
    table[relocation.offset] =
        kernel ? object.kernels.at(relocation.symbol).name : object.functions.at(relocation.symbol).name;
  }
  const std::map<uint64_t, std::string> expected = {{0, "&k3"}, {8, "&k0"}, {16, "&f1"}, {24, "&k2"}};
  EXPECT_EQ(table, expected);
  LoadedCode code(std::move(compiled.object));
  for (int n = 0; n < 4; ++n) {
    uint32_t out = 0;
    const auto address = reinterpret_cast<uint64_t>(&out);
    EXPECT_FALSE(code.run("&k" + std::to_string(n), &address, {}).taken);
    EXPECT_EQ(out, 100u + n);
  }
}

/// The lists of the code object may have another order than the program's symbols, and the requests may have
/// a third.
TEST(Targets, CodeGoesWhereTheSymbolStands) {
  const std::string text = module_header + "prog " + numbered_function(0) + "prog " + numbered_function(1) +
                           "prog " + numbered_function(2) + numbered_kernel(0) + numbered_kernel(1) +
                           numbered_kernel(2);
  Diagnostics diagnostics("test.hsail", text);
  std::vector<std::byte> brig;
  ASSERT_TRUE(assemble::assemble(text, "test.hsail", brig, diagnostics)) << diagnostics.print();
  link::Program program({});
  ASSERT_EQ(program.add(brig::Module::open(brig, diagnostics), diagnostics), link::Program::AddResult::ok);
  ASSERT_TRUE(program.resolve(diagnostics));
  codeobject::CodeObject object;
  finalizer::ObjectSymbols placed(program.symbols().size());
  std::vector<finalizer::KernelRequest> kernels;
  const auto place = [&](const std::string& name) {
    const int32_t symbol = program.find(name);
    const bool kernel = program.symbols()[symbol].kind == link::Symbol::Kind::kernel;
    placed.add(symbol, kernel ? object.kernels.size() : object.functions.size());
    if (kernel) {
      const auto layout = program.kernarg_layout(program.symbols()[symbol].definition);
      object.kernels.push_back({.name = name, .kernarg_size = layout.size, .kernarg_align = layout.align});
    } else {
      object.functions.push_back({.name = name});
    }
  };
  for (const char* name : {"&k2", "&f1", "&k0", "&f2", "&k1", "&f0"}) place(name);
  for (const char* name : {"&k1", "&k2", "&k0"}) kernels.push_back({program.find(name), {}});
  const Isa* isa = finalizer::find_isa(best_isa());
  isa->target->compile({program, *isa, {}, kernels, placed}, object, diagnostics);
  ASSERT_FALSE(diagnostics.has_errors()) << diagnostics.print();
  std::set<uint64_t> entries;
  for (const codeobject::IndirectFunction& function : object.functions) entries.insert(function.entry);
  EXPECT_EQ(entries.size(), 3u);
  LoadedCode code(std::move(object));
  for (int n = 0; n < 3; ++n) {
    uint32_t out = 0;
    const auto address = reinterpret_cast<uint64_t>(&out);
    EXPECT_FALSE(code.run("&k" + std::to_string(n), &address, {}).taken);
    EXPECT_EQ(out, 100u + n);
  }
}

// ---- the device library

const char* const device_functions[] = {"hsail_dev_fma_f32",    "hsail_dev_fma_f64", "hsail_dev_f16_to_f32",
                                        "hsail_dev_f32_to_f16", "hsail_dev_sin",     "hsail_dev_cos",
                                        "hsail_dev_exp2",       "hsail_dev_log2"};

Result<void> link_all(llvm::Module& module, const char* triple, llvm::StringRef bitcode) {
  module.setTargetTriple(llvm::Triple(triple));
  module.setDataLayout(llvm::Triple(triple).computeDataLayout());
  for (const char* name : device_functions) finalizer::device_function(module, name);
  return finalizer::link_device_library(module, bitcode);
}

/// All targets share the source of the device library. Each build of it defines every function and needs
/// nothing from outside.
TEST(DeviceLibrary, IsWholeForEachTarget) {
  const llvm::StringRef nvptx64(heddle_devlib_nvptx64_begin,
                                heddle_devlib_nvptx64_end - heddle_devlib_nvptx64_begin);
  const std::pair<const char*, llvm::StringRef> builds[] = {
      {"x86_64-unknown-linux-gnu", finalizer::x86::device_library()}, {"nvptx64-nvidia-cuda", nvptx64}};
  for (const auto& [triple, bitcode] : builds) {
    llvm::LLVMContext context;
    llvm::Module module("test", context);
    const auto linked = link_all(module, triple, bitcode);
    ASSERT_TRUE(linked.ok()) << triple << ": " << linked.error().message;
    for (const llvm::Function& function : module)
      EXPECT_TRUE(!function.isDeclaration() || function.isIntrinsic())
          << triple << ": " << function.getName().str();
    EXPECT_FALSE(llvm::verifyModule(module)) << triple;
  }
}

TEST(DeviceLibrary, OfAnotherTargetIsRefused) {
  llvm::LLVMContext context;
  llvm::Module module("test", context);
  EXPECT_FALSE(link_all(module, "nvptx64-nvidia-cuda", finalizer::x86::device_library()).ok());
}

}  // namespace
}  // namespace heddle::testing
