// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tools and the tables that they change (hsa/hsa_api_trace.h).
#include <dlfcn.h>

#include <cstdlib>
#include <map>
#include <string>
#include <utility>

#include "fixture.h"
#include "tools/tool.h"

namespace heddle::runtime::test {
namespace {

const std::string tool_a = HEDDLE_TOOL_A, tool_b = HEDDLE_TOOL_B, no_tool = HEDDLE_NO_TOOL;

/// Sets an environment variable as long as the object lives.
class Setting {
 public:
  Setting(const char* name, const std::string& value) : name_(name) { setenv(name, value.c_str(), 1); }
  ~Setting() { unsetenv(name_); }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  const char* name_;
};

class Tools : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const std::string& path : {tool_a, tool_b}) {
      tool_state& state = this->state(path);
      state = {};
      state.journal = &journal_;
    }
  }
  void TearDown() override { EXPECT_EQ(hsa_shut_down(), HSA_STATUS_ERROR_NOT_INITIALIZED); }

  /// What the tool and the test share. Keeps the library open, as the runtime does.
  static tool_state& state(const std::string& path) {
    static std::map<std::string, tool_state*> states;
    tool_state*& found = states[path];
    if (found == nullptr) {
      void* library = dlopen(path.c_str(), RTLD_NOW);
      if (library == nullptr) ADD_FAILURE() << dlerror();
      found = static_cast<tool_state*>(dlsym(library, "tool_state"));
    }
    return *found;
  }
  /// Returns what the tools have noted since the last call.
  std::string journal() {
    std::string text(journal_.text, journal_.length);
    journal_.length = 0;
    return text;
  }
  static hsa_status_t ask() {
    uint16_t version = 0;
    return hsa_system_get_info(HSA_SYSTEM_INFO_VERSION_MAJOR, &version);
  }

 private:
  tool_journal journal_{};
};

TEST_F(Tools, SeeCallsFromTheFirstInitToTheLastShutDown) {
  const Setting tools("HSA_TOOLS_LIB", tool_a);
  ASSERT_SUCCESS(hsa_init());
  EXPECT_EQ(journal(), "a-load;");
  ASSERT_SUCCESS(hsa_init());
  EXPECT_SUCCESS(ask());
  EXPECT_EQ(journal(), "a()");
  EXPECT_SUCCESS(hsa_shut_down());
  EXPECT_EQ(journal(), "a-down;");
  EXPECT_SUCCESS(hsa_shut_down());
  EXPECT_EQ(journal(), "a-down;a-unload;");
  // The tables are as they were, so that the tool sees nothing until it is loaded again.
  EXPECT_EQ(ask(), HSA_STATUS_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(journal(), "");
  ASSERT_SUCCESS(hsa_init());
  EXPECT_SUCCESS(ask());
  EXPECT_SUCCESS(hsa_shut_down());
  EXPECT_EQ(journal(), "a-load;a()a-down;a-unload;");
}

TEST_F(Tools, AreLoadedOnlyIfTheyAreNamed) {
  for (const char* value : {static_cast<const char*>(nullptr), "", "  "}) {
    if (value != nullptr) setenv("HSA_TOOLS_LIB", value, 1);
    ASSERT_SUCCESS(hsa_init());
    EXPECT_SUCCESS(ask());
    EXPECT_SUCCESS(hsa_shut_down());
    EXPECT_EQ(journal(), "");
  }
  unsetenv("HSA_TOOLS_LIB");
}

TEST_F(Tools, TheLastOneIsCalledFirstAndUnloadedFirst) {
  const Setting tools("HSA_TOOLS_LIB", tool_a + " " + tool_b + " " + tool_a);
  ASSERT_SUCCESS(hsa_init());
  EXPECT_SUCCESS(ask());
  EXPECT_SUCCESS(hsa_shut_down());
  EXPECT_EQ(journal(), "a-load;b-load;b(a())b-down;a-down;b-unload;a-unload;");
}

TEST_F(Tools, NamesMayBeQuoted) {
  const std::string folder = ::testing::TempDir() + "with \"a\" space " + std::to_string(getpid());
  ASSERT_EQ(
      std::system(("mkdir -p '" + folder + "' && ln -sf '" + tool_a + "' '" + folder + "/tool.so'").c_str()),
      0);
  std::string quoted;
  for (const char c : folder) quoted += c == '"' ? std::string("\\\"") : std::string(1, c);
  const Setting tools("HSA_TOOLS_LIB", "\"" + quoted + "/tool.so\"" + tool_b);
  ASSERT_SUCCESS(hsa_init());
  EXPECT_SUCCESS(ask());
  EXPECT_SUCCESS(hsa_shut_down());
  EXPECT_EQ(journal(), "a-load;b-load;b(a())b-down;a-down;b-unload;a-unload;");
  std::system(("rm -r '" + folder + "'").c_str());
}

TEST_F(Tools, LearnWhichToolsHaveFailed) {
  state(tool_a).on_load = [] { return false; };
  const Setting tools("HSA_TOOLS_LIB", "/no/such/library.so " + no_tool + " " + tool_a + " " + tool_b);
  ::testing::internal::CaptureStderr();
  ASSERT_SUCCESS(hsa_init());
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_SUCCESS(ask());
  EXPECT_SUCCESS(hsa_shut_down());
  // What the tool a wrote to the tables is undone, and it is not unloaded.
  EXPECT_EQ(journal(), "a-load;b-load;b()b-down;b-unload;");
  EXPECT_EQ(state(tool_a).failed_tool_count, 2u);
  EXPECT_EQ(state(tool_a).last_failed, no_tool);
  EXPECT_EQ(state(tool_b).failed_tool_count, 3u);
  EXPECT_EQ(state(tool_b).last_failed, tool_a);
  EXPECT_NE(log.find("cannot load the tool /no/such/library.so: "), std::string::npos) << log;
  EXPECT_NE(log.find("the tool " + no_tool + " has no function OnLoad"), std::string::npos) << log;
  EXPECT_NE(log.find("OnLoad of the tool " + tool_a + " has failed"), std::string::npos) << log;
}

/// The libraries stay loaded, so that this needs a process of its own.
TEST_F(Tools, LoadedLibrariesWithAPriorityAreTools) {
  const auto body = [&] {
    const std::string p10 = HEDDLE_TOOL_P10, p50 = HEDDLE_TOOL_P50;
    tool_journal journal{};
    const auto happened = [&] { return std::string(journal.text, std::exchange(journal.length, 0)); };
    for (const std::string& path : {p50, p10, tool_a}) {
      state(path) = {};
      state(path).journal = &journal;
    }
    const auto live = [] {
      return hsa_init() == HSA_STATUS_SUCCESS && ask() == HSA_STATUS_SUCCESS &&
             hsa_shut_down() == HSA_STATUS_SUCCESS;
    };
    // Those that are named come first, then the others by their priority.
    setenv("HSA_TOOLS_LIB", tool_a.c_str(), 1);
    if (!live() || happened() !=
                       "a-load;p10-load;p50-load;p50(p10(a()))p50-down;p10-down;a-down;"
                       "p50-unload;p10-unload;a-unload;")
      return 1;
    // None is started twice.
    setenv("HSA_TOOLS_LIB", p50.c_str(), 1);
    if (!live() || happened() != "p50-load;p10-load;p10(p50())p10-down;p50-down;p10-unload;p50-unload;")
      return 2;
    // One that fails does not keep the others from being loaded.
    unsetenv("HSA_TOOLS_LIB");
    setenv("HSA_TOOLS_REPORT_LOAD_FAILURE", "0", 1);
    state(p10).on_load = [] { return false; };
    if (!live() || happened() != "p10-load;p50-load;p50()p50-down;p50-unload;") return 3;
    return state(p50).failed_tool_count == 1 ? 0 : 4;
  };
  EXPECT_EQ(in_child(body), 0);
}

TEST_F(Tools, FailuresNeedNotBeReported) {
  const Setting tools("HSA_TOOLS_LIB", "/no/such/library.so"), quiet("HSA_TOOLS_REPORT_LOAD_FAILURE", "0");
  ::testing::internal::CaptureStderr();
  ASSERT_SUCCESS(hsa_init());
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_SUCCESS(hsa_shut_down());
}

/// hsa_ext_perf_counter_init is one of the functions that need the configuration state.
TEST_F(Tools, MayUseTheRuntimeWhileTheyAreLoadedAndUnloaded) {
  static std::vector<hsa_agent_t> agents;
  static hsa_status_t nested, unpaired;
  agents.clear();
  state(tool_a).on_load = [] {
    nested = hsa_init();
    hsa_iterate_agents(collect<hsa_agent_t>, &agents);
    char name[64];
    if (!agents.empty()) hsa_agent_get_info(agents[0], HSA_AGENT_INFO_NAME, name);
    hsa_signal_t signal{0};
    if (hsa_signal_create(1, 0, nullptr, &signal) == HSA_STATUS_SUCCESS) hsa_signal_destroy(signal);
    nested = nested == HSA_STATUS_SUCCESS ? hsa_shut_down() : nested;
    unpaired = hsa_shut_down();
    return true;
  };
  state(tool_a).on_unload = [] { unpaired = hsa_iterate_agents(collect<hsa_agent_t>, &agents); };
  const Setting tools("HSA_TOOLS_LIB", tool_a);
  ASSERT_SUCCESS(hsa_init());
  EXPECT_EQ(nested, HSA_STATUS_SUCCESS);
  EXPECT_EQ(unpaired, HSA_STATUS_ERROR);
  EXPECT_EQ(agents.size(), 2u);
  EXPECT_SUCCESS(hsa_ext_perf_counter_init());
  EXPECT_SUCCESS(hsa_ext_perf_counter_shut_down());
  EXPECT_SUCCESS(hsa_shut_down());
  EXPECT_EQ(unpaired, HSA_STATUS_SUCCESS);
  EXPECT_EQ(agents.size(), 4u);
}

TEST_F(Tools, AreNotInTheChildOfAForkUntilItStartsTheRuntime) {
  const Setting tools("HSA_TOOLS_LIB", tool_a);
  ASSERT_SUCCESS(hsa_init());
  journal();
  const int result = in_child([this] {
    if (ask() != HSA_STATUS_ERROR_NOT_INITIALIZED || journal() != "") return 1;
    if (hsa_init() != HSA_STATUS_SUCCESS || ask() != HSA_STATUS_SUCCESS) return 2;
    if (hsa_shut_down() != HSA_STATUS_SUCCESS) return 3;
    return journal() == "a-load;a()a-down;a-unload;" ? 0 : 4;
  });
  EXPECT_EQ(result, 0);
  EXPECT_SUCCESS(ask());
  EXPECT_SUCCESS(hsa_shut_down());
  EXPECT_EQ(journal(), "a()a-down;a-unload;");
}

/// The tables of a tool that is loaded.
class Tables : public Tools {
 protected:
  void SetUp() override {
    Tools::SetUp();
    const Setting tools("HSA_TOOLS_LIB", tool_a);
    ASSERT_SUCCESS(hsa_init());
    table_ = state(tool_a).table;
    heddle_ = state(tool_a).heddle;
    ASSERT_NE(table_, nullptr);
    ASSERT_NE(heddle_, nullptr);
  }
  void TearDown() override {
    EXPECT_SUCCESS(hsa_shut_down());
    Tools::TearDown();
  }

  HsaApiTable* table_ = nullptr;
  HeddleApiTable* heddle_ = nullptr;
};

template <typename Table>
void expect_version(const Table* table, uint32_t major, uint32_t step) {
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->version.major_id, major);
  EXPECT_EQ(table->version.minor_id, sizeof(Table));
  EXPECT_EQ(table->version.step_id, step);
}

TEST_F(Tables, SayTheirVersions) {
  EXPECT_EQ(state(tool_a).runtime_version, 3u);
  expect_version(table_, 3, 1);
  expect_version(table_->core_, 2, 0);
  expect_version(table_->amd_ext_, 2, 4);
  expect_version(table_->finalizer_ext_, 2, 0);
  expect_version(table_->image_ext_, 2, 0);
  expect_version(table_->tools_, 1, 0);
  expect_version(heddle_, 1, 0);
  expect_version(table_->pc_sampling_ext_, 1, 0);
  EXPECT_EQ(table_->tools_->hsa_amd_tool_scratch_event_alloc_start_fn, nullptr);
}

/// The functions of a type each: one that counts its calls, and one that calls a function with zeros.
template <typename Function>
struct Counted;
template <typename Result, typename... Arguments>
struct Counted<Result(Arguments...)> {
  static inline int calls = 0;
  static Result count(Arguments...) {
    ++calls;
    return Result();
  }
  static void call(Result (*function)(Arguments...)) { function(Arguments()...); }
};

/// Calls the exported function while a function that counts is in its entry.
template <typename Function>
void expect_that_entry_is_called(const char* name, Function* exported, Function*& entry) {
  Function* const original = entry;
  EXPECT_NE(original, nullptr) << name;
  EXPECT_NE(original, exported) << name;
  Counted<Function>::calls = 0;
  entry = Counted<Function>::count;
  Counted<Function>::call(exported);
  entry = original;
  EXPECT_EQ(Counted<Function>::calls, 1) << name;
}

TEST_F(Tables, EveryFunctionIsCalledThroughItsEntry) {
#define CHECK_ENTRY(name) expect_that_entry_is_called(#name, name, HEDDLE_TABLE->name##_fn);
#define HEDDLE_TABLE table_->core_
  HSA_CORE_API_FUNCTIONS(CHECK_ENTRY)
#undef HEDDLE_TABLE
#define HEDDLE_TABLE table_->amd_ext_
  HSA_AMD_EXT_API_FUNCTIONS(CHECK_ENTRY)
#undef HEDDLE_TABLE
#define HEDDLE_TABLE table_->finalizer_ext_
  HSA_FINALIZER_EXT_API_FUNCTIONS(CHECK_ENTRY)
#undef HEDDLE_TABLE
#define HEDDLE_TABLE table_->image_ext_
  HSA_IMAGE_EXT_API_FUNCTIONS(CHECK_ENTRY)
#undef HEDDLE_TABLE
#define HEDDLE_TABLE heddle_
  HEDDLE_API_FUNCTIONS(CHECK_ENTRY)
#undef HEDDLE_TABLE
}

TEST_F(Tables, OldNamesShareEntries) {
  expect_that_entry_is_called("hsa_signal_load_acquire", hsa_signal_load_acquire,
                              table_->core_->hsa_signal_load_scacquire_fn);
  expect_that_entry_is_called("hsa_executable_get_symbol_by_linker_name",
                              hsa_executable_get_symbol_by_linker_name,
                              table_->core_->hsa_executable_get_symbol_by_name_fn);
  expect_that_entry_is_called("hsa_ext_profiling_event_init", hsa_ext_profiling_event_init,
                              heddle_->hsa_ext_profile_event_init_fn);
}

/// Functions in tables of extensions are intercepted whether the table was asked for before or after the tool
/// has changed an entry.
TEST_F(Tables, FunctionsInTablesOfExtensionsAreIntercepted) {
  hsa_ext_finalizer_1_00_pfn_t finalizer{};
  ASSERT_SUCCESS(
      hsa_system_get_major_extension_table(HSA_EXTENSION_FINALIZER, 1, sizeof(finalizer), &finalizer));
  expect_that_entry_is_called("hsa_ext_program_create", finalizer.hsa_ext_program_create,
                              table_->finalizer_ext_->hsa_ext_program_create_fn);
  hsa_ext_images_1_00_pfn_t images{};
  hsa_ext_log_1_pfn_t log{};
  ASSERT_SUCCESS(hsa_system_get_major_extension_table(HSA_EXTENSION_LOG, 1, sizeof(log), &log));
  expect_that_entry_is_called("hsa_ext_log_create", log.hsa_ext_log_create, heddle_->hsa_ext_log_create_fn);
  (void)images;
}

/// hsa_isa_get_info_alt does what hsa_isa_get_info does, without calling it through the table.
TEST_F(Tables, FunctionsDoNotCallEachOtherThroughThem) {
  std::vector<hsa_agent_t> agents;
  std::vector<hsa_isa_t> isas;
  ASSERT_SUCCESS(hsa_iterate_agents(collect<hsa_agent_t>, &agents));
  for (const hsa_agent_t agent : agents)
    ASSERT_SUCCESS(hsa_agent_iterate_isas(agent, collect<hsa_isa_t>, &isas));
  ASSERT_FALSE(isas.empty());
  auto*& entry = table_->core_->hsa_isa_get_info_fn;
  auto* const original = entry;
  using Count = Counted<decltype(hsa_isa_get_info)>;
  Count::calls = 0;
  entry = Count::count;
  uint32_t length = 0;
  EXPECT_SUCCESS(hsa_isa_get_info_alt(isas[0], HSA_ISA_INFO_NAME_LENGTH, &length));
  entry = original;
  EXPECT_GT(length, 0u);
  EXPECT_EQ(Count::calls, 0);
}

}  // namespace
}  // namespace heddle::runtime::test
