// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The programs that the finalizer refuses, as clients see it (Runtime 3.2.1.1): one status for each kind of
// refusal, in every form of finalization.
#include <hsa/hsa_brig_directives.h>

#include <string>

#include "programs.h"

namespace heddle::runtime::test {
namespace {

std::string module_text(const char* name, const char* body, const char* model = "$large") {
  return std::string("module ") + name + ":1:0:$full:" + model + ":$default;\n" + body;
}

class FinalizerErrors : public Programs {
 protected:
  void SetUp() override {
    Programs::SetUp();
    ASSERT_SUCCESS(hsa_ext_isa_from_name("heddle:hsail:w1", &interpreted_));
    ASSERT_SUCCESS(hsa_ext_isa_from_name("heddle:x86-64-v2:w1", &compiled_));
  }
  hsa_status_t add(const std::string& text) {
    modules_.push_back(assemble(text));
    return hsa_ext_program_add_module(program_, module_of(modules_.back()));
  }
  hsa_status_t finalize(hsa_isa_t isa, const hsa_ext_control_directives_t& directives = {}) {
    hsa_code_object_t code{0};
    const hsa_status_t status =
        hsa_ext_program_finalize(program_, isa, HSA_EXT_FINALIZER_CALL_CONVENTION_AUTO, directives, nullptr,
                                 HSA_CODE_OBJECT_TYPE_PROGRAM, &code);
    if (status == HSA_STATUS_SUCCESS) {
      EXPECT_SUCCESS(hsa_code_object_destroy(code));
    } else {
      EXPECT_EQ(code.handle, 0u) << "an output of a call that failed";
    }
    return status;
  }
  hsa_status_t finalize_agent(hsa_isa_t isa) {
    written_.clear();
    return hsa_ext_agent_code_object_finalize(program_, isa, nullptr, writer_);
  }
  hsa_status_t finalize_program() {
    written_.clear();
    return hsa_ext_program_code_object_finalize(program_, nullptr, writer_);
  }

  hsa_isa_t interpreted_{}, compiled_{};
  std::vector<std::vector<uint64_t>> modules_;
};

TEST_F(FinalizerErrors, ACalledFunctionWithoutDefinitionFailsTheFinalization) {
  constexpr auto failed = HSA_EXT_STATUS_ERROR_FINALIZATION_FAILED;
  ASSERT_SUCCESS(add(module_text("&user", R"(decl prog function &missing()();
prog global_u32 &total = 3;
prog kernel &k() { { call &missing()(); } ret; };
)")));
  for (hsa_isa_t isa : {interpreted_, compiled_}) {
    EXPECT_EQ(finalize(isa), failed);
    EXPECT_EQ(finalize_agent(isa), failed);
    EXPECT_TRUE(written_.empty()) << "memory was asked for, though there is nothing to write";
  }
  // The refusal left the program unchanged: with the definition it can be finalized.
  ASSERT_SUCCESS(add(module_text("&definer", "prog function &missing()() { ret; };\n")));
  for (hsa_isa_t isa : {interpreted_, compiled_}) {
    EXPECT_SUCCESS(finalize(isa));
    EXPECT_SUCCESS(finalize_agent(isa));
    EXPECT_FALSE(written_.empty());
  }
  EXPECT_SUCCESS(finalize_program());
}

TEST_F(FinalizerErrors, DirectivesOfCallAndKernelMustAgree) {
  constexpr auto mismatch = HSA_EXT_STATUS_ERROR_DIRECTIVE_MISMATCH;
  ASSERT_SUCCESS(add(module_text("&m", "prog kernel &k() { requireddim 1; ret; };\n")));
  hsa_ext_control_directives_t directives{};
  directives.control_directives_mask = uint64_t{1} << HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDDIM;
  for (hsa_isa_t isa : {interpreted_, compiled_}) {
    directives.required_dim = 2;
    EXPECT_EQ(finalize(isa, directives), mismatch);
    directives.required_dim = 1;
    EXPECT_SUCCESS(finalize(isa, directives));
    // The field of a directive that is not enabled has no meaning.
    hsa_ext_control_directives_t disabled{};
    disabled.required_dim = 2;
    EXPECT_SUCCESS(finalize(isa, disabled));
  }
}

TEST_F(FinalizerErrors, DirectivesOfAKernelAndItsFunctionsMustAgree) {
  constexpr auto mismatch = HSA_EXT_STATUS_ERROR_DIRECTIVE_MISMATCH;
  ASSERT_SUCCESS(add(module_text("&m", R"(prog function &f()() { requireddim 2; ret; };
prog kernel &k() { requireddim 1; { call &f()(); } ret; };
)")));
  for (hsa_isa_t isa : {interpreted_, compiled_}) {
    EXPECT_EQ(finalize_agent(isa), mismatch);
    EXPECT_TRUE(written_.empty());
    EXPECT_EQ(finalize(isa), mismatch);
  }
}

TEST_F(FinalizerErrors, DeclarationAndDefinitionMustAgree) {
  constexpr auto mismatch = HSA_EXT_STATUS_ERROR_SYMBOL_MISMATCH;
  const auto count = [&] {
    size_t modules = 0;
    EXPECT_SUCCESS(hsa_ext_program_iterate_modules(
        program_,
        [](hsa_ext_program_t, hsa_ext_module_t, void* data) {
          ++*static_cast<size_t*>(data);
          return HSA_STATUS_SUCCESS;
        },
        &modules));
    return modules;
  };
  ASSERT_SUCCESS(add(module_text("&first", R"(prog global_u32 &variable = 1;
prog function &function(arg_u32 %r)(arg_u32 %x) { ret; };
prog kernel &kernel(kernarg_u64 %x) { ret; };
)")));
  EXPECT_EQ(add(module_text("&type", "decl prog global_u64 &variable;\n")), mismatch);
  EXPECT_EQ(add(module_text("&segment", "decl prog readonly_u32 &variable;\n")), mismatch);
  EXPECT_EQ(add(module_text("&twice", "prog global_u32 &variable = 2;\n")), mismatch);
  EXPECT_EQ(add(module_text("&kind", "decl prog function &variable()();\n")), mismatch);
  EXPECT_EQ(add(module_text("&signature", "decl prog function &function(arg_u32 %r)(arg_f32 %x);\n")),
            mismatch);
  EXPECT_EQ(add(module_text("&formals", "decl prog kernel &kernel(kernarg_u32 %x);\n")), mismatch);
  EXPECT_EQ(count(), 1u) << "a module that was refused is no part of the program";
  EXPECT_SUCCESS(add(module_text("&user", "decl prog global_u32 &variable;\n")));
  EXPECT_EQ(count(), 2u);
  EXPECT_SUCCESS(finalize(interpreted_));
}

TEST_F(FinalizerErrors, AModuleOfAnotherMachineModelIsIncompatible) {
  EXPECT_EQ(add(module_text("&small", "", "$small")), HSA_EXT_STATUS_ERROR_INCOMPATIBLE_MODULE);
}

TEST_F(FinalizerErrors, OtherArgumentsOfTheFormsThatWrite) {
  ASSERT_SUCCESS(add(module_text("&m", "prog kernel &k() { ret; };\n")));
  EXPECT_EQ(hsa_ext_agent_code_object_finalize(program_, interpreted_, nullptr, {0}),
            HSA_EXT_STATUS_ERROR_INVALID_CODE_OBJECT_WRITER);
  EXPECT_EQ(hsa_ext_agent_code_object_finalize({0}, interpreted_, nullptr, writer_),
            HSA_EXT_STATUS_ERROR_INVALID_PROGRAM);
  uint32_t value = 0;
  EXPECT_EQ(hsa_ext_isa_get_info({0}, HSA_ISA_INFO_NAME_LENGTH, 0, &value), HSA_STATUS_ERROR_INVALID_ISA);
  EXPECT_EQ(hsa_ext_isa_get_info(interpreted_, HSA_ISA_INFO_NAME_LENGTH, 0, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_ext_isa_get_info(interpreted_, static_cast<hsa_isa_info_t>(1000), 0, &value),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace heddle::runtime::test
