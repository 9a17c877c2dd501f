// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The finalizer extension (Runtime 3.2).
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <set>
#include <utility>

#include "code.h"
#include "hsail.h"

namespace heddle::runtime::test {
namespace {

constexpr const char* text = R"(module &m:1:0:$full:$large:$default;
prog alloc(agent) global_u32 &counter = 5;
prog global_u64 &total = 7;
prog kernel &copy(kernarg_u64 %out, kernarg_u64 %in) {
  workitemabsid_u32 $s0, 0;
  cvt_u64_u32 $d0, $s0;
  shl_u64 $d0, $d0, 2;
  ld_kernarg_align(8)_width(all)_u64 $d1, [%out];
  ld_kernarg_align(8)_width(all)_u64 $d2, [%in];
  add_u64 $d1, $d1, $d0;
  add_u64 $d2, $d2, $d0;
  ld_global_u32 $s1, [$d2];
  st_global_u32 $s1, [$d1];
  ret;
};
)";

class Finalizer : public Executables {
 protected:
  void SetUp() override {
    Executables::SetUp();
    ASSERT_SUCCESS(hsa_ext_isa_from_name("heddle:hsail:w1", &isa_));
    module_ = assemble(text);
    ASSERT_FALSE(module_.empty());
  }
  hsa_ext_program_t program(hsa_profile_t profile = HSA_PROFILE_FULL,
                            hsa_machine_model_t model = HSA_MACHINE_MODEL_LARGE) {
    hsa_ext_program_t made{};
    EXPECT_SUCCESS(hsa_ext_program_create(model, profile, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, "-x", &made));
    return made;
  }
  hsa_ext_program_t loaded_program() {
    const hsa_ext_program_t made = program();
    EXPECT_SUCCESS(hsa_ext_program_add_module(made, module_of(module_)));
    return made;
  }

  hsa_isa_t isa_{};
  std::vector<uint64_t> module_;
};

TEST_F(Finalizer, IsasOfTheFinalizer) {
  std::vector<hsa_isa_t> isas;
  ASSERT_SUCCESS(hsa_ext_finalizer_iterate_isa(collect<hsa_isa_t>, &isas));
  ASSERT_FALSE(isas.empty());
  std::set<std::string> names;
  for (hsa_isa_t isa : isas) {
    uint32_t length = 0, convention = 0;
    ASSERT_SUCCESS(hsa_ext_isa_get_info(isa, HSA_ISA_INFO_NAME_LENGTH, 0, &length));
    std::string name(length, 'x');
    ASSERT_SUCCESS(hsa_ext_isa_get_info(isa, HSA_ISA_INFO_NAME, 0, name.data()));
    EXPECT_TRUE(names.insert(name).second);
    hsa_isa_t found{};
    EXPECT_SUCCESS(hsa_ext_isa_from_name(name.c_str(), &found));
    EXPECT_EQ(found.handle, isa.handle);
    EXPECT_SUCCESS(
        hsa_ext_isa_get_info(isa, HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONT_SIZE, 0, &convention));
    EXPECT_GE(convention, 1u);
    EXPECT_EQ(hsa_ext_isa_get_info(isa, HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONT_SIZE, 1000, &convention),
              HSA_STATUS_ERROR_INVALID_INDEX);
  }
  // An ISA that the agents and the finalizer share is one ISA with one handle.
  hsa_isa_t of_agent{};
  ASSERT_SUCCESS(hsa_isa_from_name("heddle:hsail:w1", &of_agent));
  EXPECT_EQ(of_agent.handle, isa_.handle);
  EXPECT_EQ(hsa_ext_isa_from_name("nobody:nothing", &of_agent), HSA_STATUS_ERROR_INVALID_ISA_NAME);
  EXPECT_EQ(hsa_ext_isa_from_name(nullptr, &of_agent), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_ext_finalizer_iterate_isa(nullptr, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_ext_finalizer_iterate_isa([](hsa_isa_t, void*) { return HSA_STATUS_INFO_BREAK; }, nullptr),
            HSA_STATUS_INFO_BREAK);
}

TEST_F(Finalizer, Programs) {
  const hsa_ext_program_t p = program(HSA_PROFILE_FULL);
  hsa_machine_model_t model;
  hsa_profile_t profile;
  hsa_default_float_rounding_mode_t mode;
  EXPECT_SUCCESS(hsa_ext_program_get_info(p, HSA_EXT_PROGRAM_INFO_MACHINE_MODEL, &model));
  EXPECT_SUCCESS(hsa_ext_program_get_info(p, HSA_EXT_PROGRAM_INFO_PROFILE, &profile));
  EXPECT_SUCCESS(hsa_ext_program_get_info(p, HSA_EXT_PROGRAM_INFO_DEFAULT_FLOAT_ROUNDING_MODE, &mode));
  EXPECT_EQ(model, HSA_MACHINE_MODEL_LARGE);
  EXPECT_EQ(profile, HSA_PROFILE_FULL);
  EXPECT_EQ(mode, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR);
  EXPECT_EQ(hsa_ext_program_get_info(p, HSA_EXT_PROGRAM_INFO_PROFILE, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_ext_program_get_info(p, static_cast<hsa_ext_program_info_t>(3), &mode),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  std::vector<hsa_ext_module_t> modules;
  const auto list = [](hsa_ext_program_t, hsa_ext_module_t module, void* data) {
    static_cast<std::vector<hsa_ext_module_t>*>(data)->push_back(module);
    return HSA_STATUS_SUCCESS;
  };
  EXPECT_SUCCESS(hsa_ext_program_add_module(p, module_of(module_)));
  EXPECT_EQ(hsa_ext_program_add_module(p, module_of(module_)), HSA_EXT_STATUS_ERROR_MODULE_ALREADY_INCLUDED);
  std::vector<uint64_t> second = assemble("module &n:1:0:$full:$large:$default;\n");
  EXPECT_SUCCESS(hsa_ext_program_add_module(p, module_of(second)));
  EXPECT_SUCCESS(hsa_ext_program_iterate_modules(p, list, &modules));
  EXPECT_EQ(modules, (std::vector{module_of(module_), module_of(second)}));
  EXPECT_EQ(hsa_ext_program_iterate_modules(p, nullptr, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_SUCCESS(hsa_ext_program_destroy(p));
  EXPECT_EQ(hsa_ext_program_destroy(p), HSA_EXT_STATUS_ERROR_INVALID_PROGRAM);
  EXPECT_EQ(hsa_ext_program_add_module(p, module_of(second)), HSA_EXT_STATUS_ERROR_INVALID_PROGRAM);
}

/// Sets an environment variable for the lifetime of the object.
class Setting {
 public:
  Setting(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Setting() { unsetenv(name_); }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  const char* name_;
};

/// Sets HEDDLE_FLOAT_ROUNDING for the lifetime of the object.
class RoundingSetting : public Setting {
 public:
  explicit RoundingSetting(const char* value) : Setting("HEDDLE_FLOAT_ROUNDING", value) {}
};

/// Returns the mode of a program and the mode of an executable that were created with `given`.
std::pair<hsa_default_float_rounding_mode_t, hsa_default_float_rounding_mode_t> modes_of(
    hsa_default_float_rounding_mode_t given) {
  hsa_ext_program_t p{};
  hsa_executable_t e{};
  std::pair<hsa_default_float_rounding_mode_t, hsa_default_float_rounding_mode_t> modes{};
  EXPECT_SUCCESS(hsa_ext_program_create(HSA_MACHINE_MODEL_LARGE, HSA_PROFILE_FULL, given, nullptr, &p));
  EXPECT_SUCCESS(hsa_executable_create_alt(HSA_PROFILE_FULL, given, nullptr, &e));
  EXPECT_SUCCESS(hsa_ext_program_get_info(p, HSA_EXT_PROGRAM_INFO_DEFAULT_FLOAT_ROUNDING_MODE, &modes.first));
  EXPECT_SUCCESS(hsa_executable_get_info(e, HSA_EXECUTABLE_INFO_DEFAULT_FLOAT_ROUNDING_MODE, &modes.second));
  EXPECT_SUCCESS(hsa_ext_program_destroy(p));
  EXPECT_SUCCESS(hsa_executable_destroy(e));
  return modes;
}

TEST_F(Finalizer, TheEnvironmentOverridesTheRoundingMode) {
  constexpr auto near = HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, zero = HSA_DEFAULT_FLOAT_ROUNDING_MODE_ZERO;
  EXPECT_EQ(modes_of(zero), std::pair(zero, zero));
  {
    const RoundingSetting setting("near");
    EXPECT_EQ(modes_of(zero), std::pair(near, near));
    EXPECT_EQ(modes_of(near), std::pair(near, near));
    // An invalid mode is still an error.
    hsa_ext_program_t p{};
    EXPECT_EQ(hsa_ext_program_create(HSA_MACHINE_MODEL_LARGE, HSA_PROFILE_FULL,
                                     static_cast<hsa_default_float_rounding_mode_t>(3), nullptr, &p),
              HSA_STATUS_ERROR_INVALID_ARGUMENT);
    // The environment also determines the mode of the program's modules and code: a $near module fits.
    std::vector<uint64_t> module =
        assemble("module &n:1:0:$full:$large:$near;\nprog kernel &k() { ret; };\n");
    EXPECT_SUCCESS(hsa_ext_program_create(HSA_MACHINE_MODEL_LARGE, HSA_PROFILE_FULL, zero, nullptr, &p));
    EXPECT_SUCCESS(hsa_ext_program_add_module(p, module_of(module)));
    hsa_code_object_t c{};
    ASSERT_SUCCESS(hsa_ext_program_finalize(p, isa_, 0, {}, nullptr, HSA_CODE_OBJECT_TYPE_PROGRAM, &c));
    hsa_default_float_rounding_mode_t mode = zero;
    EXPECT_SUCCESS(hsa_code_object_get_info(c, HSA_CODE_OBJECT_INFO_DEFAULT_FLOAT_ROUNDING_MODE, &mode));
    EXPECT_EQ(mode, near);
    EXPECT_SUCCESS(hsa_executable_load_code_object(executable(zero), kernel_agent_, c, nullptr));
    EXPECT_SUCCESS(hsa_code_object_destroy(c));
    EXPECT_SUCCESS(hsa_ext_program_destroy(p));
  }
  {
    const RoundingSetting setting("zero");
    EXPECT_EQ(modes_of(near), std::pair(zero, zero));
  }
  for (const char* ignored : {"", "NEAR", "nearest", "1"}) {
    const RoundingSetting setting(ignored);
    EXPECT_EQ(modes_of(zero), std::pair(zero, zero)) << ignored;
  }
}

/// This runs in a process of its own, because the log's level is fixed once something has been logged.
TEST_F(Finalizer, AnUnknownRoundingModeIsReported) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const RoundingSetting setting("sideways");
  setenv("HEDDLE_LOG", "warning", 1);
  EXPECT_EXIT(
      {
        modes_of(HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR);
        std::_Exit(0);
      },
      ::testing::ExitedWithCode(0), "warning: HEDDLE_FLOAT_ROUNDING is 'sideways', neither near nor zero");
  unsetenv("HEDDLE_LOG");
}

/// What a program of one mode says to a module of the other. The module has a name of its own each time.
hsa_status_t add_other_mode(hsa_default_float_rounding_mode_t given, const char* header) {
  hsa_ext_program_t p{};
  std::vector<uint64_t> module = assemble(header);
  EXPECT_SUCCESS(hsa_ext_program_create(HSA_MACHINE_MODEL_LARGE, HSA_PROFILE_FULL, given, nullptr, &p));
  const hsa_status_t status = hsa_ext_program_add_module(p, module_of(module));
  EXPECT_SUCCESS(hsa_ext_program_destroy(p));
  return status;
}

TEST_F(Finalizer, AModuleMayHaveAnotherRoundingModeThanTheProgram) {
  constexpr auto near = HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, zero = HSA_DEFAULT_FLOAT_ROUNDING_MODE_ZERO;
  constexpr const char* says_near = "module &m:1:0:$full:$large:$near;\n";
  constexpr const char* says_zero = "module &m:1:0:$full:$large:$zero;\n";
  constexpr const char* says_none = "module &m:1:0:$full:$large:$default;\n";
  for (const char* lenient : {"", "0"}) {
    const Setting setting("HEDDLE_STRICT_ROUNDING", lenient);
    EXPECT_SUCCESS(add_other_mode(zero, says_near));
    EXPECT_SUCCESS(add_other_mode(near, says_zero));
  }
  const Setting setting("HEDDLE_STRICT_ROUNDING", "1");
  constexpr auto refused = HSA_EXT_STATUS_ERROR_INCOMPATIBLE_MODULE;
  EXPECT_EQ(add_other_mode(zero, says_near), refused);
  EXPECT_EQ(add_other_mode(near, says_zero), refused);
  EXPECT_SUCCESS(add_other_mode(near, says_near));
  EXPECT_SUCCESS(add_other_mode(zero, says_none));
  // What the environment makes of the program's mode is what counts.
  const RoundingSetting overridden("near");
  EXPECT_SUCCESS(add_other_mode(zero, says_near));
}

/// In a process of its own: the log's level is fixed once something has been logged.
TEST_F(Finalizer, AnotherRoundingModeIsAWarning) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto add = [] {
    std::_Exit(add_other_mode(HSA_DEFAULT_FLOAT_ROUNDING_MODE_ZERO, "module &m:1:0:$full:$large:$near;\n") !=
               HSA_STATUS_SUCCESS);
  };
  {
    const Setting setting("HEDDLE_LOG", "warning");
    EXPECT_EXIT(add(), ::testing::ExitedWithCode(0),
                "finalizer: warning: .*module &m .*HSAIL-4.2.1-default-rounding");
  }
  const Setting setting("HEDDLE_LOG", "error");
  EXPECT_EXIT(add(), ::testing::ExitedWithCode(0), "^$");
}

TEST_F(Finalizer, ProgramErrors) {
  constexpr auto invalid = HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const auto near = HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR;
  hsa_ext_program_t p{};
  EXPECT_EQ(hsa_ext_program_create(static_cast<hsa_machine_model_t>(2), HSA_PROFILE_FULL, near, nullptr, &p),
            invalid);
  EXPECT_EQ(hsa_ext_program_create(HSA_MACHINE_MODEL_LARGE, static_cast<hsa_profile_t>(2), near, nullptr, &p),
            invalid);
  EXPECT_EQ(hsa_ext_program_create(HSA_MACHINE_MODEL_LARGE, HSA_PROFILE_FULL,
                                   static_cast<hsa_default_float_rounding_mode_t>(3), nullptr, &p),
            invalid);
  EXPECT_EQ(hsa_ext_program_create(HSA_MACHINE_MODEL_LARGE, HSA_PROFILE_FULL, near, nullptr, nullptr),
            invalid);
  hsa_ext_code_object_writer_t writer{};
  ASSERT_SUCCESS(hsa_ext_code_object_writer_create_from_memory(
      [](size_t, size_t, void**, void*) { return HSA_STATUS_SUCCESS; }, nullptr, &writer));
  for (uint64_t handle : garbage_handles) {
    constexpr auto none = HSA_EXT_STATUS_ERROR_INVALID_PROGRAM;
    p.handle = handle;
    uint32_t value;
    hsa_code_object_t c{};
    EXPECT_EQ(hsa_ext_program_destroy(p), none);
    EXPECT_EQ(hsa_ext_program_add_module(p, module_of(module_)), none);
    EXPECT_EQ(hsa_ext_program_get_info(p, HSA_EXT_PROGRAM_INFO_PROFILE, &value), none);
    EXPECT_EQ(hsa_ext_program_iterate_modules(
                  p, [](hsa_ext_program_t, hsa_ext_module_t, void*) { return HSA_STATUS_SUCCESS; }, nullptr),
              none);
    EXPECT_EQ(hsa_ext_program_code_object_finalize(p, nullptr, writer), none);
    EXPECT_EQ(hsa_ext_agent_code_object_finalize(p, isa_, nullptr, writer), none);
    EXPECT_EQ(hsa_ext_program_finalize(p, isa_, 0, {}, nullptr, HSA_CODE_OBJECT_TYPE_PROGRAM, &c), none);
  }
  p = program();
  EXPECT_EQ(hsa_ext_program_add_module(p, nullptr), HSA_EXT_STATUS_ERROR_INVALID_MODULE);
  std::vector<uint64_t> garbage(64, 0x0101010101010101);
  garbage[2] = sizeof(uint64_t) * garbage.size();  // byteCount
  EXPECT_EQ(hsa_ext_program_add_module(p, module_of(garbage)), HSA_EXT_STATUS_ERROR_INVALID_MODULE);
  std::vector<uint64_t> base = assemble("module &b:1:0:$base:$large:$near;\n");
  EXPECT_EQ(hsa_ext_program_add_module(p, module_of(base)), HSA_EXT_STATUS_ERROR_INCOMPATIBLE_MODULE);
  std::vector<uint64_t> small = assemble("module &s:1:0:$full:$small:$near;\n");
  EXPECT_EQ(hsa_ext_program_add_module(p, module_of(small)), HSA_EXT_STATUS_ERROR_INCOMPATIBLE_MODULE);
  EXPECT_SUCCESS(hsa_ext_program_destroy(p));
  EXPECT_SUCCESS(hsa_ext_code_object_writer_destroy(writer));
}

TEST_F(Finalizer, OldFormOfFinalization) {
  const hsa_ext_program_t p = loaded_program();
  hsa_code_object_t c{};
  constexpr auto type = HSA_CODE_OBJECT_TYPE_PROGRAM;
  for (int32_t convention : {HSA_EXT_FINALIZER_CALL_CONVENTION_AUTO + 0, 0}) {
    ASSERT_SUCCESS(
        hsa_ext_program_finalize(p, isa_, convention, {}, convention == 0 ? "" : nullptr, type, &c));
    hsa_code_symbol_t s{};
    EXPECT_SUCCESS(hsa_code_object_get_symbol(c, "&copy", &s));
    uint32_t size = 0;
    EXPECT_SUCCESS(hsa_code_symbol_get_info(s, HSA_CODE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE, &size));
    EXPECT_EQ(size, 16u);
    if (convention != 0) {
      EXPECT_SUCCESS(hsa_code_object_destroy(c));
    }
  }
  hsa_code_object_t none{};
  EXPECT_EQ(hsa_ext_program_finalize(p, {0}, 0, {}, nullptr, type, &none), HSA_STATUS_ERROR_INVALID_ISA);
  EXPECT_EQ(hsa_ext_program_finalize(p, isa_, 1, {}, nullptr, type, &none),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_ext_program_finalize(p, isa_, -2, {}, nullptr, type, &none),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_ext_program_finalize(p, isa_, 0, {}, nullptr, type, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_SUCCESS(hsa_ext_program_destroy(p));
  // The code object no longer needs the program or the module.
  module_.assign(module_.size(), 0);
  hsa_executable_t e{};
  ASSERT_SUCCESS(hsa_executable_create(HSA_PROFILE_FULL, HSA_EXECUTABLE_STATE_UNFROZEN, nullptr, &e));
  ASSERT_SUCCESS(hsa_executable_load_code_object(e, kernel_agent_, c, nullptr));
  ASSERT_SUCCESS(hsa_executable_freeze(e, nullptr));
  EXPECT_NE(info<uint64_t>(symbol(e, "&copy"), HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT), 0u);
  EXPECT_EQ(contents(symbol(e, "&total", false)), 7u);
  EXPECT_SUCCESS(hsa_executable_destroy(e));
  EXPECT_SUCCESS(hsa_code_object_destroy(c));
}

/// Memory that a writer's callback provides, and the number of calls of the callback.
struct Sink {
  std::vector<std::byte> bytes;
  int calls = 0;

  static hsa_status_t allocate(size_t size, size_t, void** address, void* data) {
    auto* sink = static_cast<Sink*>(data);
    ++sink->calls;
    sink->bytes.resize(size);
    *address = sink->bytes.data();
    return HSA_STATUS_SUCCESS;
  }
};

TEST_F(Finalizer, WritersToMemory) {
  const hsa_ext_program_t p = loaded_program();
  Sink sink;
  hsa_ext_code_object_writer_t writer{};
  ASSERT_SUCCESS(hsa_ext_code_object_writer_create_from_memory(Sink::allocate, &sink, &writer));
  const hsa_executable_t e = executable();
  ASSERT_SUCCESS(hsa_ext_program_code_object_finalize(p, nullptr, writer));
  EXPECT_EQ(sink.calls, 1);
  hsa_code_object_reader_t r{};
  ASSERT_SUCCESS(hsa_code_object_reader_create_from_memory(sink.bytes.data(), sink.bytes.size(), &r));
  ASSERT_SUCCESS(hsa_executable_load_program_code_object(e, r, nullptr, nullptr));
  EXPECT_SUCCESS(hsa_code_object_reader_destroy(r));
  // The same writer again, this time by its address.
  const hsa_ext_code_object_writer_t by_address{reinterpret_cast<uint64_t>(&writer)};
  ASSERT_SUCCESS(hsa_ext_agent_code_object_finalize(p, isa_, nullptr, by_address));
  EXPECT_EQ(sink.calls, 2);
  ASSERT_SUCCESS(hsa_code_object_reader_create_from_memory(sink.bytes.data(), sink.bytes.size(), &r));
  ASSERT_SUCCESS(hsa_executable_load_agent_code_object(e, kernel_agent_, r, nullptr, nullptr));
  EXPECT_SUCCESS(hsa_code_object_reader_destroy(r));
  ASSERT_SUCCESS(hsa_executable_freeze(e, nullptr));
  EXPECT_EQ(contents(symbol(e, "&total", false)), 7u);
  EXPECT_NE(info<uint64_t>(symbol(e, "&copy"), HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT), 0u);
  uint32_t result = 1;
  EXPECT_SUCCESS(hsa_executable_validate(e, &result));
  EXPECT_EQ(result, 0u);

  EXPECT_EQ(hsa_ext_agent_code_object_finalize(p, {0}, nullptr, writer), HSA_STATUS_ERROR_INVALID_ISA);
  EXPECT_SUCCESS(hsa_ext_code_object_writer_destroy(writer));
  EXPECT_EQ(hsa_ext_code_object_writer_destroy(writer), HSA_EXT_STATUS_ERROR_INVALID_CODE_OBJECT_WRITER);
  EXPECT_EQ(hsa_ext_program_code_object_finalize(p, nullptr, writer),
            HSA_EXT_STATUS_ERROR_INVALID_CODE_OBJECT_WRITER);
  EXPECT_EQ(hsa_ext_program_code_object_finalize(p, nullptr, by_address),
            HSA_EXT_STATUS_ERROR_INVALID_CODE_OBJECT_WRITER);
  for (uint64_t handle : garbage_handles)
    EXPECT_EQ(hsa_ext_program_code_object_finalize(p, nullptr, {handle}),
              HSA_EXT_STATUS_ERROR_INVALID_CODE_OBJECT_WRITER);
  const auto refuse = [](size_t, size_t, void**, void*) { return HSA_STATUS_ERROR_FATAL; };
  ASSERT_SUCCESS(hsa_ext_code_object_writer_create_from_memory(refuse, nullptr, &writer));
  EXPECT_EQ(hsa_ext_program_code_object_finalize(p, nullptr, writer), HSA_STATUS_ERROR_FATAL);
  EXPECT_SUCCESS(hsa_ext_code_object_writer_destroy(writer));
  EXPECT_EQ(hsa_ext_code_object_writer_create_from_memory(nullptr, nullptr, &writer),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_ext_code_object_writer_create_from_memory(refuse, nullptr, nullptr),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_SUCCESS(hsa_ext_program_destroy(p));
}

TEST_F(Finalizer, WritersToFiles) {
  const hsa_ext_program_t p = loaded_program();
  FILE* file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  const std::string old(1 << 20, 'x');
  ASSERT_EQ(std::fwrite(old.data(), 1, old.size(), file), old.size());
  std::fflush(file);
  hsa_ext_code_object_writer_t writer{};
  ASSERT_SUCCESS(hsa_ext_code_object_writer_create_from_file(fileno(file), &writer));
  EXPECT_EQ(lseek(fileno(file), 0, SEEK_END), 0);
  ASSERT_SUCCESS(hsa_ext_agent_code_object_finalize(p, isa_, nullptr, writer));
  EXPECT_SUCCESS(hsa_ext_code_object_writer_destroy(writer));
  hsa_code_object_reader_t r{};
  ASSERT_SUCCESS(hsa_code_object_reader_create_from_file(fileno(file), &r));
  EXPECT_SUCCESS(hsa_executable_load_agent_code_object(executable(), kernel_agent_, r, nullptr, nullptr));
  EXPECT_SUCCESS(hsa_code_object_reader_destroy(r));
  std::fclose(file);
  EXPECT_EQ(hsa_ext_code_object_writer_create_from_file(-1, &writer), HSA_STATUS_ERROR_INVALID_FILE);
  EXPECT_EQ(hsa_ext_code_object_writer_create_from_file(1, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_SUCCESS(hsa_ext_program_destroy(p));
}

TEST_F(Finalizer, LinkerNames) {
  struct Case {
    std::string linker, symbol, module;
  };
  const Case cases[] = {{"&kernel", "&kernel", ""},
                        {"&m::&variable", "&variable", "&m"},
                        {"&m::&kernel::%local", "&kernel::%local", "&m"}};
  for (const Case& c : cases) {
    uint32_t symbol_length = 0, module_length = 0, linker_length = 0;
    const auto length = static_cast<uint32_t>(c.linker.size());
    ASSERT_SUCCESS(hsa_ext_symbol_split_hsail_linker_name(c.linker.c_str(), length, isa_, nullptr,
                                                          &symbol_length, nullptr, &module_length));
    EXPECT_EQ(symbol_length, c.symbol.size());
    EXPECT_EQ(module_length, c.module.size());
    std::string s(symbol_length + 1, '#'), m(module_length + 1, '#'), l(c.linker.size() + 1, '#');
    ASSERT_SUCCESS(hsa_ext_symbol_split_hsail_linker_name(c.linker.c_str(), length, isa_, s.data(),
                                                          &symbol_length, m.data(), &module_length));
    EXPECT_STREQ(s.c_str(), c.symbol.c_str());
    EXPECT_STREQ(m.c_str(), c.module.c_str());
    ASSERT_SUCCESS(hsa_ext_symbol_join_hsail_linker_name(s.c_str(), symbol_length, m.c_str(), module_length,
                                                         isa_, l.data(), &linker_length));
    EXPECT_EQ(linker_length, c.linker.size());
    EXPECT_STREQ(l.c_str(), c.linker.c_str());
  }
  uint32_t a, b;
  constexpr auto invalid = HSA_STATUS_ERROR_INVALID_ARGUMENT;
  for (const std::string bad : {"", "&", "name", "m::&x", "&m::x", "::&x", "&m::"}) {
    EXPECT_EQ(hsa_ext_symbol_split_hsail_linker_name(bad.c_str(), static_cast<uint32_t>(bad.size()), isa_,
                                                     nullptr, &a, nullptr, &b),
              HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL)
        << bad;
  }
  EXPECT_EQ(hsa_ext_symbol_join_hsail_linker_name("name", 4, nullptr, 0, isa_, nullptr, &a),
            HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL);
  EXPECT_EQ(hsa_ext_symbol_split_hsail_linker_name(nullptr, 0, isa_, nullptr, &a, nullptr, &b), invalid);
  EXPECT_EQ(hsa_ext_symbol_split_hsail_linker_name("&x", 2, isa_, nullptr, nullptr, nullptr, &b), invalid);
  EXPECT_EQ(hsa_ext_symbol_split_hsail_linker_name("&x", 2, isa_, nullptr, &a, nullptr, nullptr), invalid);
  EXPECT_EQ(hsa_ext_symbol_split_hsail_linker_name("&x", 2, {0}, nullptr, &a, nullptr, &b),
            HSA_STATUS_ERROR_INVALID_ISA);
  EXPECT_EQ(hsa_ext_symbol_join_hsail_linker_name(nullptr, 0, nullptr, 0, isa_, nullptr, &a), invalid);
  EXPECT_EQ(hsa_ext_symbol_join_hsail_linker_name("&x", 2, nullptr, 3, isa_, nullptr, &a), invalid);
  EXPECT_EQ(hsa_ext_symbol_join_hsail_linker_name("&x", 2, nullptr, 0, isa_, nullptr, nullptr), invalid);
  EXPECT_EQ(hsa_ext_symbol_join_hsail_linker_name("&x", 2, nullptr, 0, {0}, nullptr, &a),
            HSA_STATUS_ERROR_INVALID_ISA);
}

}  // namespace
}  // namespace heddle::runtime::test
