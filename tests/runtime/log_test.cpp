// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The extension for logging (Runtime 3.6): what finalizations and loads append to a log, how it is taken, and
// every error.
#include <hsa/hsa_ext_log.h>

#include <cstring>
#include <thread>

#include "programs.h"

namespace heddle::runtime::test {
namespace {

class Logging : public Programs {
 protected:
  void SetUp() override {
    Programs::SetUp();
    ASSERT_SUCCESS(hsa_ext_log_create(&log_));
    ASSERT_SUCCESS(hsa_ext_isa_from_name("heddle:hsail:w1", &isa_));
  }
  void TearDown() override {
    EXPECT_SUCCESS(hsa_ext_log_destroy(log_));
    Programs::TearDown();
  }
  void add(const std::string& body) {
    modules_.push_back(
        assemble("module &m" + std::to_string(modules_.size()) + ":1:0:$full:$large:$default;\n" + body));
    ASSERT_SUCCESS(hsa_ext_program_add_module(program_, module_of(modules_.back())));
  }
  static size_t length(hsa_ext_log_t log) {
    size_t size = 0;
    char none = 'x';
    EXPECT_SUCCESS(hsa_ext_log_get(log, &size, &none));
    EXPECT_EQ(none, 'x') << "nothing may be written where there is no room";
    return size;
  }
  static std::string take_all(hsa_ext_log_t log) {
    size_t size = length(log);
    std::string text(size, '?');
    EXPECT_SUCCESS(hsa_ext_log_get(log, &size, text.data()));
    EXPECT_EQ(size, 0u);
    return text;
  }

  hsa_ext_log_t log_{};
  hsa_isa_t isa_{};
  std::vector<std::vector<uint64_t>> modules_;
};

TEST_F(Logging, AFinalizationThatFailsIsExplained) {
  add("decl prog function &missing()();\nprog kernel &k() { { call &missing()(); } ret; };\n");
  EXPECT_EQ(hsa_ext_log_agent_code_object_finalize(program_, isa_, nullptr, &writer_, log_),
            HSA_EXT_STATUS_ERROR_FINALIZATION_FAILED);
  EXPECT_TRUE(written_.empty());
  EXPECT_NE(take_all(log_).find("&missing"), std::string::npos);
  EXPECT_EQ(length(log_), 0u);
}

TEST_F(Logging, AFinalizationThatSucceedsWritesTheCodeObject) {
  add("prog kernel &k() { ret; };\nprog global_u32 &total = 3;\n");
  EXPECT_SUCCESS(hsa_ext_log_agent_code_object_finalize(program_, isa_, nullptr, &writer_, log_));
  EXPECT_FALSE(written_.empty());
  written_.clear();
  EXPECT_SUCCESS(hsa_ext_log_program_code_object_finalize(program_, nullptr, &writer_, log_));
  EXPECT_FALSE(written_.empty());
  EXPECT_EQ(length(log_), 0u);
}

TEST_F(Logging, FinalizationsReportTheErrorsOfTheFinalizer) {
  add("prog function &f()() { requireddim 2; ret; };\n"
      "prog kernel &k() { requireddim 1; { call &f()(); } ret; };\n");
  EXPECT_EQ(hsa_ext_log_agent_code_object_finalize(program_, isa_, nullptr, &writer_, log_),
            HSA_EXT_STATUS_ERROR_DIRECTIVE_MISMATCH);
  EXPECT_NE(length(log_), 0u);
  hsa_ext_code_object_writer_t no_writer{0};
  for (hsa_ext_code_object_writer_t* writer :
       {&no_writer, static_cast<hsa_ext_code_object_writer_t*>(nullptr)}) {
    EXPECT_EQ(hsa_ext_log_agent_code_object_finalize(program_, isa_, nullptr, writer, log_),
              HSA_EXT_STATUS_ERROR_INVALID_CODE_OBJECT_WRITER);
    EXPECT_EQ(hsa_ext_log_program_code_object_finalize(program_, nullptr, writer, log_),
              HSA_EXT_STATUS_ERROR_INVALID_CODE_OBJECT_WRITER);
  }
  for (uint64_t handle : garbage_handles) {
    EXPECT_EQ(hsa_ext_log_agent_code_object_finalize({handle}, isa_, nullptr, &writer_, log_),
              HSA_EXT_STATUS_ERROR_INVALID_PROGRAM);
    EXPECT_EQ(hsa_ext_log_program_code_object_finalize({handle}, nullptr, &writer_, log_),
              HSA_EXT_STATUS_ERROR_INVALID_PROGRAM);
    EXPECT_EQ(hsa_ext_log_agent_code_object_finalize(program_, {handle}, nullptr, &writer_, log_),
              HSA_STATUS_ERROR_INVALID_ISA);
  }
}

TEST_F(Logging, LoadsThatFailAreExplained) {
  const hsa_executable_t e = executable();
  co::CodeObject other = agent_part();
  other.isa = "heddle:hsail:w64";
  EXPECT_EQ(hsa_ext_log_load_agent_code_object(e, kernel_agent_, reader(other), nullptr, nullptr, log_),
            HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
  EXPECT_NE(take_all(log_).find("does not execute ISA heddle:hsail:w64"), std::string::npos);
  EXPECT_EQ(hsa_ext_log_load_program_code_object(e, reader(agent_part()), nullptr, nullptr, log_),
            HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
  EXPECT_EQ(take_all(log_), "not a program code object\n");
  const std::vector<std::byte> no_code(64);
  hsa_code_object_reader_t bad{};
  ASSERT_SUCCESS(hsa_code_object_reader_create_from_memory(no_code.data(), no_code.size(), &bad));
  EXPECT_EQ(hsa_ext_log_load_program_code_object(e, bad, nullptr, nullptr, log_),
            HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER);
  EXPECT_NE(length(log_), 0u);
  EXPECT_SUCCESS(hsa_code_object_reader_destroy(bad));
}

TEST_F(Logging, LoadsReportTheErrorsOfTheLoader) {
  const hsa_executable_t e = executable();
  const auto r = reader(program_part());
  for (uint64_t handle : garbage_handles) {
    EXPECT_EQ(hsa_ext_log_load_program_code_object({handle}, r, nullptr, nullptr, log_),
              HSA_STATUS_ERROR_INVALID_EXECUTABLE);
    EXPECT_EQ(hsa_ext_log_load_program_code_object(e, {handle}, nullptr, nullptr, log_),
              HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER);
    EXPECT_EQ(hsa_ext_log_load_agent_code_object(e, {handle}, r, nullptr, nullptr, log_),
              HSA_STATUS_ERROR_INVALID_AGENT);
  }
  hsa_loaded_code_object_t loaded{};
  EXPECT_SUCCESS(hsa_ext_log_load_program_code_object(e, r, nullptr, &loaded, log_));
  EXPECT_NE(loaded.handle, 0u);
  EXPECT_SUCCESS(
      hsa_ext_log_load_agent_code_object(e, kernel_agent_, reader(agent_part()), nullptr, &loaded, log_));
  EXPECT_EQ(length(log_), 0u);
  ASSERT_SUCCESS(hsa_executable_freeze(e, nullptr));
  EXPECT_EQ(hsa_ext_log_load_program_code_object(e, r, nullptr, nullptr, log_),
            HSA_STATUS_ERROR_FROZEN_EXECUTABLE);
  EXPECT_EQ(hsa_ext_log_load_agent_code_object(e, kernel_agent_, r, nullptr, nullptr, log_),
            HSA_STATUS_ERROR_FROZEN_EXECUTABLE);
}

TEST_F(Logging, ALogIsTakenInPieces) {
  const hsa_executable_t e = executable();
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(hsa_ext_log_load_program_code_object(e, reader(agent_part()), nullptr, nullptr, log_),
              HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
  const std::string expected = "not a program code object\nnot a program code object\n";
  std::string taken;
  size_t left = length(log_);
  EXPECT_EQ(left, expected.size());
  while (left != 0) {
    char piece[7];
    size_t size = sizeof piece;
    const size_t before = left;
    ASSERT_SUCCESS(hsa_ext_log_get(log_, &size, piece));
    left = size;
    taken.append(piece, before - left);
  }
  EXPECT_EQ(taken, expected);
  // Where room is left, a NUL shows the end of the text.
  char piece[4] = {'x', 'x', 'x', 'x'};
  size_t size = sizeof piece;
  ASSERT_SUCCESS(hsa_ext_log_get(log_, &size, piece));
  EXPECT_EQ(size, 0u);
  EXPECT_EQ(std::memcmp(piece, "\0xxx", 4), 0);
}

TEST_F(Logging, InvalidArguments) {
  EXPECT_EQ(hsa_ext_log_create(nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  size_t size = 1;
  char text[1];
  EXPECT_EQ(hsa_ext_log_get(log_, nullptr, text), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(hsa_ext_log_get(log_, &size, nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

/// Nothing is finalized and nothing is loaded for a log that does not exist.
TEST_F(Logging, InvalidLogs) {
  add("prog kernel &k() { ret; };\n");
  const hsa_executable_t e = executable();
  hsa_ext_log_t destroyed{};
  ASSERT_SUCCESS(hsa_ext_log_create(&destroyed));
  ASSERT_SUCCESS(hsa_ext_log_destroy(destroyed));
  std::vector<uint64_t> handles(std::begin(garbage_handles), std::end(garbage_handles));
  handles.insert(handles.end(), {destroyed.handle, writer_.handle});
  for (uint64_t handle : handles) {
    const hsa_ext_log_t log{handle};
    size_t size = 1;
    char text[1];
    EXPECT_EQ(hsa_ext_log_destroy(log), HSA_EXT_STATUS_ERROR_INVALID_LOG);
    EXPECT_EQ(hsa_ext_log_get(log, &size, text), HSA_EXT_STATUS_ERROR_INVALID_LOG);
    EXPECT_EQ(hsa_ext_log_program_code_object_finalize(program_, nullptr, &writer_, log),
              HSA_EXT_STATUS_ERROR_INVALID_LOG);
    EXPECT_EQ(hsa_ext_log_agent_code_object_finalize(program_, isa_, nullptr, &writer_, log),
              HSA_EXT_STATUS_ERROR_INVALID_LOG);
    EXPECT_EQ(hsa_ext_log_load_program_code_object(e, reader(program_part()), nullptr, nullptr, log),
              HSA_EXT_STATUS_ERROR_INVALID_LOG);
    EXPECT_EQ(
        hsa_ext_log_load_agent_code_object(e, kernel_agent_, reader(agent_part()), nullptr, nullptr, log),
        HSA_EXT_STATUS_ERROR_INVALID_LOG);
  }
  EXPECT_TRUE(written_.empty());
  EXPECT_SUCCESS(hsa_executable_load_program_code_object(e, reader(program_part()), nullptr, nullptr));
}

TEST_F(Logging, MessagesOfSeveralThreadsDoNotMix) {
  constexpr int threads = 4, rounds = 10;
  const hsa_executable_t e = executable();
  const auto r = reader(agent_part());
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i)
    running.emplace_back([&] {
      for (int round = 0; round < rounds; ++round)
        EXPECT_EQ(hsa_ext_log_load_program_code_object(e, r, nullptr, nullptr, log_),
                  HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
    });
  for (std::thread& thread : running) thread.join();
  std::string expected;
  for (int i = 0; i < threads * rounds; ++i) expected += "not a program code object\n";
  EXPECT_EQ(take_all(log_), expected);
}

TEST_F(Logging, TheTableHasTheFunctions) {
  hsa_ext_log_1_pfn_t table{};
  ASSERT_SUCCESS(hsa_system_get_major_extension_table(HSA_EXTENSION_LOG, 1, sizeof table, &table));
  EXPECT_EQ(table.hsa_ext_log_create, hsa_ext_log_create);
  EXPECT_EQ(table.hsa_ext_log_get, hsa_ext_log_get);
  EXPECT_EQ(table.hsa_ext_log_program_code_object_finalize, hsa_ext_log_program_code_object_finalize);
  EXPECT_EQ(table.hsa_ext_log_agent_code_object_finalize, hsa_ext_log_agent_code_object_finalize);
  EXPECT_EQ(table.hsa_ext_log_load_agent_code_object, hsa_ext_log_load_agent_code_object);
  hsa_ext_log_1_pfn_t same{};
  ASSERT_SUCCESS(hsa_system_get_extension_table(HSA_EXTENSION_LOG, 1, 0, &same));
  EXPECT_EQ(std::memcmp(&table, &same, sizeof table), 0);
  EXPECT_EQ(hsa_system_get_extension_table(HSA_EXTENSION_LOG, 1, 1, &same),
            HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST(LoggingWithoutRuntime, EveryFunctionSaysSo) {
  hsa_ext_log_t log{};
  size_t size = 0;
  char text = 0;
  EXPECT_EQ(hsa_ext_log_create(&log), HSA_STATUS_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(hsa_ext_log_destroy(log), HSA_STATUS_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(hsa_ext_log_get(log, &size, &text), HSA_STATUS_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(hsa_ext_log_program_code_object_finalize({}, nullptr, nullptr, log),
            HSA_STATUS_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(hsa_ext_log_agent_code_object_finalize({}, {}, nullptr, nullptr, log),
            HSA_STATUS_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(hsa_ext_log_load_program_code_object({}, {}, nullptr, nullptr, log),
            HSA_STATUS_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(hsa_ext_log_load_agent_code_object({}, {}, {}, nullptr, nullptr, log),
            HSA_STATUS_ERROR_NOT_INITIALIZED);
}

}  // namespace
}  // namespace heddle::runtime::test
