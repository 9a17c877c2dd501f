// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Machine code in the cache of code objects: what is kept, what counts, and that the cache fails no load.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "cache/store.h"
#include "cache_folder.h"
#include "gpu_fixture.h"

namespace heddle::cuda::test {
namespace {

/// Stores a number where the argument of the kernel says.
std::string stores(int number) {
  return fmt::format(
      "prog kernel &k(kernarg_u64 %out) {{ ld_kernarg_u64 $d0, [%out]; st_global_u32 {}, [$d0]; ret; }};",
      number);
}

codeobject::CodeObject object_of(int number, uint32_t flags = 0) {
  return code_of(stores(number), sizeof(uint32_t*), flags);
}

class Cubins : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    fake::Control& fake = fake_control();
    for (auto* count : {&fake.compilations, &fake.links, &fake.open_links}) *count = 0;
    fake.module_status = Status::success;
    fake.compiler_info.clear();
  }
  void TearDown() override {
    processor.reset();
    EXPECT_EQ(fake_control().open_links, 0u);
    GpuTest::TearDown();
  }
  static uint64_t compilations() { return fake_control().compilations; }
  static uint64_t links() { return fake_control().links; }
  /// Whether code stores a number in a work-group of so many work-items.
  bool runs(const std::shared_ptr<agents::LoadedCode>& code, uint32_t number, uint32_t items = 64) {
    if (!processor) start();
    uint32_t out = 0;
    uint32_t* argument = &out;
    Signal done;
    auto packet = dispatch(code->kernel_object(0), items, static_cast<uint16_t>(items));
    packet.kernarg_address = static_cast<void*>(&argument);
    packet.completion_signal = done.handle();
    queue.submit(packet);
    return done.becomes(0) && out == number;
  }
  /// Opens a GPU as Machine says now, as the next process would.
  void open_again() {
    processor.reset();
    device.reset();
    auto gpus = find_gpus(fake_api());
    ASSERT_TRUE(gpus && gpus->size() == 1);
    description = std::make_unique<Description>(gpus->front(), 0);
    auto opened = GpuDevice::open(fake_api(), gpus->front(), *description, host);
    ASSERT_TRUE(opened) << opened.error().message;
    device = std::move(*opened);
  }
  std::string refusal(const codeobject::CodeObject& object) {
    auto loaded = device->load(codeobject::write(object), {});
    return loaded ? "it was accepted" : loaded.error().message;
  }

  CacheFolder folder;
};

TEST_F(Cubins, are_loaded_the_next_time_without_the_compiler) {
  EXPECT_TRUE(runs(load(object_of(7)), 7));
  EXPECT_EQ(compilations(), 1u);
  EXPECT_EQ(links(), 1u);
  EXPECT_EQ(folder.entries().size(), 1u);
  open_again();
  EXPECT_TRUE(runs(load(object_of(7)), 7));
  EXPECT_EQ(compilations(), 1u);
  EXPECT_TRUE(runs(load(object_of(8)), 8)) << "other PTX";
  EXPECT_EQ(compilations(), 2u);
  EXPECT_EQ(folder.entries().size(), 2u);
}

TEST_F(Cubins, of_code_that_is_not_optimised_are_other_ones) {
  load(object_of(7));
  for (int i = 0; i < 2; ++i) {
    fake_control().optimises = true;
    EXPECT_TRUE(runs(load(object_of(7, codeobject::kernel_not_optimised)), 7));
    EXPECT_FALSE(fake_control().optimises);
    EXPECT_EQ(compilations(), 2u);
    load(object_of(7));
    EXPECT_TRUE(fake_control().optimises);
    EXPECT_EQ(compilations(), 2u);
  }
}

TEST_F(Cubins, with_fewer_registers_are_kept_beside_those_with_more) {
  fake_control().block_max = 256;
  for (int i = 0; i < 2; ++i) {
    const auto code = load(object_of(7));
    EXPECT_TRUE(runs(code, 7));
    EXPECT_EQ(fake_control().register_limit, 0);
    EXPECT_TRUE(runs(code, 7, 1024));
    EXPECT_EQ(fake_control().register_limit, 64);
    EXPECT_EQ(compilations(), 2u);
    EXPECT_EQ(folder.entries().size(), 2u);
  }
  fake_control().block_max = 1024;
}

TEST_F(Cubins, of_other_gpus_and_drivers_are_not_used) {
  load(object_of(7));
  fake_control().machine.capability = 120;
  open_again();
  load(object_of(7));
  EXPECT_EQ(compilations(), 2u);
  fake_control().machine.driver_version = 13010;
  load(object_of(7));
  EXPECT_EQ(compilations(), 3u);
  EXPECT_EQ(folder.entries().size(), 3u);
  fake_control().machine = {};
  open_again();
  load(object_of(7));
  EXPECT_EQ(compilations(), 3u);
}

TEST_F(Cubins, that_are_damaged_are_replaced) {
  load(object_of(7));
  const std::filesystem::path entry = folder.entries().at(0);
  const std::string whole = contents(entry);
  for (const std::string& damaged : {whole.substr(0, whole.size() / 2), whole + 'x', std::string()}) {
    overwrite(entry, damaged);
    const uint64_t before = compilations();
    EXPECT_TRUE(runs(load(object_of(7)), 7));
    EXPECT_EQ(compilations(), before + 1);
    EXPECT_EQ(contents(entry), whole);
  }
}

/// Returns the key of an entry, whose digits are the name of its file.
cache::Key key_of(const std::filesystem::path& entry) {
  const std::string digits = entry.filename();
  cache::Key key;
  for (size_t i = 0; i < key.size(); ++i)
    std::from_chars(digits.data() + 2 * i, digits.data() + 2 * i + 2, key[i], 16);
  return key;
}

/// Replaces an entry by one whose checksum is right, but which the driver does not want.
void spoil(const std::filesystem::path& entry) {
  constexpr std::string_view foreign =
      "\x7f"
      "fake cubin 35 5000 0 1 0\n";
  const auto bytes =
      cache::encode(key_of(entry), {}, std::as_bytes(std::span(foreign.data(), foreign.size() + 1)));
  overwrite(entry, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

TEST_F(Cubins, that_the_driver_refuses_are_replaced) {
  load(object_of(7));
  const std::filesystem::path entry = folder.entries().at(0);
  const std::string good = contents(entry);
  spoil(entry);
  EXPECT_TRUE(runs(load(object_of(7)), 7));
  EXPECT_EQ(compilations(), 2u);
  EXPECT_EQ(contents(entry), good);
}

TEST_F(Cubins, that_the_driver_refuses_are_removed_if_nothing_replaces_them) {
  load(object_of(7));
  spoil(folder.entries().at(0));
  fake_control().before = [](std::string_view function) {
    return function == "cuLinkCreate_v2" ? Status::not_supported : Status::success;
  };
  EXPECT_TRUE(runs(load(object_of(7)), 7));
  EXPECT_EQ(folder.entries().size(), 0u);
}

TEST_F(Cubins, stay_when_the_driver_refuses_everything) {
  load(object_of(7));
  fake_control().before = [](std::string_view function) {
    return function == "cuModuleLoadDataEx" ? Status::launch_failed : Status::success;
  };
  EXPECT_NE(refusal(object_of(7)), "it was accepted");
  fake_control().before = {};
  EXPECT_EQ(folder.entries().size(), 1u);
  const uint64_t before = compilations();
  load(object_of(7));
  EXPECT_EQ(compilations(), before);
}

TEST_F(Cubins, are_not_made_without_a_cache) {
  setenv("HEDDLE_CACHE", "0", 1);
  for (uint64_t i = 1; i <= 2; ++i) {
    EXPECT_TRUE(runs(load(object_of(7)), 7));
    EXPECT_EQ(compilations(), i);
  }
  EXPECT_EQ(links(), 0u);
  EXPECT_FALSE(std::filesystem::exists(folder.path()));
}

TEST_F(Cubins, are_not_made_of_wrong_ptx_which_is_refused_with_the_log_of_the_compiler) {
  fake_control().module_status = Status::invalid_ptx;
  fake_control().module_log = "ptxas line 3; error: unknown symbol\n";
  const std::string message = refusal(object_of(7));
  EXPECT_NE(message.find("ptxas line 3; error: unknown symbol"), std::string::npos) << message;
  EXPECT_NE(message.find("cuModuleLoadDataEx"), std::string::npos) << message;
  EXPECT_EQ(folder.entries().size(), 0u);
}

TEST_F(Cubins, are_not_made_of_code_with_functions) {
  codeobject::CodeObject object = object_of(7);
  const std::string_view function = "// .func f\n";
  const auto* text = reinterpret_cast<const std::byte*>(function.data());
  object.text.insert(object.text.end() - 1, text, text + function.size());
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(runs(load(object), 7));
  EXPECT_EQ(folder.entries().size(), 0u);
}

TEST_F(Cubins, are_done_without_if_the_driver_does_not_link) {
  for (const char* function : {"cuLinkCreate_v2", "cuLinkAddData_v2", "cuLinkComplete"}) {
    fake_control().before = [function](std::string_view called) {
      return called == function ? Status::not_supported : Status::success;
    };
    EXPECT_TRUE(runs(load(object_of(7)), 7)) << function;
    EXPECT_EQ(folder.entries().size(), 0u) << function;
  }
}

TEST_F(Cubins, are_done_without_if_the_driver_does_not_load_them) {
  fake_control().before = [refused = false](std::string_view called) mutable {
    if (called != "cuModuleLoadDataEx" || refused) return Status::success;
    refused = true;
    return Status::invalid_image;
  };
  EXPECT_TRUE(runs(load(object_of(7)), 7));
  EXPECT_EQ(folder.entries().size(), 0u);
}

TEST_F(Cubins, are_silently_not_kept_where_nothing_can_be_written) {
  for (const char* path : {"/proc/none", "/dev/null/cache"}) {
    setenv("HEDDLE_CACHE_DIR", path, 1);
    EXPECT_TRUE(runs(load(object_of(7)), 7)) << path;
  }
  EXPECT_EQ(compilations(), 2u);
}

/// The last message of an agent.
std::string& last_message() {
  static std::string message;
  return message;
}
void note(hsam_log_level level, const char*, const char* message) {
  last_message() = fmt::format("{}: {}", static_cast<int>(level), message);
}

class LoggedCubins : public Cubins {
 protected:
  void SetUp() override {
    host.log = note;
    Cubins::SetUp();
    last_message().clear();
  }
  static std::string warning(const std::string& text) {
    return fmt::format("{}: {}", static_cast<int>(HSAM_LOG_WARNING), text);
  }
};

TEST_F(LoggedCubins, come_with_the_warnings_of_the_compiler) {
  fake_control().compiler_info = "ptxas warning: it is slow\n";
  for (int i = 0; i < 2; ++i) {
    load(object_of(7));
    EXPECT_EQ(last_message(), warning("ptxas warning: it is slow"));
    last_message().clear();
  }
  EXPECT_EQ(compilations(), 1u);
}

TEST_F(LoggedCubins, are_not_read_from_a_folder_that_others_can_write_which_is_a_warning) {
  load(object_of(7));
  EXPECT_EQ(last_message(), "");
  ASSERT_EQ(::chmod(folder.path().c_str(), 0777), 0);
  EXPECT_TRUE(runs(load(object_of(7)), 7));
  EXPECT_EQ(compilations(), 2u);
  EXPECT_EQ(last_message(),
            warning(fmt::format("machine code is not cached: {} can be written by other users (mode 777)",
                                folder.path().string())));
}

TEST_F(Cubins, are_entries_of_the_cache_like_code_objects) {
  load(object_of(7));
  load(object_of(8));
  Diagnostics diagnostics;
  const auto store =
      cache::Store::open(cache::read_settings(secure_getenv, diagnostics), cache::Missing::leave);
  ASSERT_TRUE(store.ok());
  EXPECT_EQ(store->usage().entries, 2u);
  setenv("HEDDLE_CACHE_SIZE", std::to_string(store->usage().bytes).c_str(), 1);
  load(object_of(9));
  EXPECT_LE(folder.entries().size(), 2u) << "the oldest ones make room";
  unsetenv("HEDDLE_CACHE_SIZE");
  EXPECT_TRUE(store->clear());
  EXPECT_EQ(folder.entries().size(), 0u);
  load(object_of(9));
  EXPECT_EQ(compilations(), 4u);
}

/// What processes do that use one folder at the same time: they load some code objects, each several times.
TEST_F(Cubins, DISABLED_are_loaded_by_one_of_several_processes) {
  setenv("HEDDLE_CACHE_DIR", std::getenv("HEDDLE_TEST_SHARED_CACHE"), 1);
  for (int round = 0; round < 8; ++round)
    for (int number = 0; number < 6; ++number)
      EXPECT_TRUE(runs(load(object_of(number)), static_cast<uint32_t>(number)));
  EXPECT_LT(compilations(), 8u * 6u)
      << "a busy machine may keep entries from being stored, but not all of them";
}

TEST_F(Cubins, are_shared_by_processes) {
  setenv("HEDDLE_TEST_SHARED_CACHE", folder.path().c_str(), 1);
  std::vector<pid_t> processes(4);
  for (pid_t& process : processes) {
    process = fork();
    if (process != 0) continue;
    execl("/proc/self/exe", "agents_cuda_test", "--gtest_also_run_disabled_tests", "--gtest_brief=1",
          "--gtest_filter=Cubins.DISABLED_are_loaded_by_one_of_several_processes", nullptr);
    _exit(127);
  }
  for (const pid_t process : processes) {
    int status = -1;
    EXPECT_EQ(waitpid(process, &status, 0), process);
    EXPECT_EQ(status, 0);
  }
  unsetenv("HEDDLE_TEST_SHARED_CACHE");
  EXPECT_EQ(folder.entries().size(), 6u);
  for (int number = 0; number < 6; ++number)
    EXPECT_TRUE(runs(load(object_of(number)), static_cast<uint32_t>(number)));
  EXPECT_EQ(compilations(), 0u);
}

}  // namespace
}  // namespace heddle::cuda::test
