// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `heddle bench` prints for given times, and how it compares results.
#include "tools/bench/report.h"

#include <gtest/gtest.h>

#include <cstring>

namespace heddle::tools {
namespace {

Timing timing(const char* agent, const char* isa, std::vector<double> times, double speed) {
  Timing timing;
  timing.name = {agent, isa};
  timing.finalize_seconds = 0.0125;
  timing.load_seconds = 0.001;
  timing.warm_up_launches = 10;
  timing.steady = true;
  timing.summary = summarize_times(times);
  timing.times = std::move(times);
  timing.speed = speed;
  return timing;
}

BenchReport two_isas() {
  BenchReport report;
  report.file = "k.hsail";
  report.kernel = "&k";
  report.grid = {{1024, 16, 1}, 2};
  report.group = {{64, 4, 1}, 2};
  report.load_at_start = {0.5, 0.25, 0.125};
  report.load_at_end = {1.25, 0.5, 0.25};
  report.processors = 2;
  report.reference = {"cpu", "x:v3"};
  report.compared = 2;
  report.timings.push_back(timing("cpu", "x:v3", {0.002, 0.002, 0.002, 0.002}, 1));
  report.timings.push_back(timing("cpu", "x:long-name", {0.008, 0.004, 0.0042, 0.0038}, 0.5));
  return report;
}

/// Returns two buffers, equal except for what `change` does with the second, as bytes.
template <typename T, typename Change>
std::optional<Difference> differ(const char* type, std::vector<T> values, Change change) {
  std::vector<T> others = values;
  change(others);
  return compare_elements(*find_element_type(type), std::as_bytes(std::span(values)),
                          std::as_bytes(std::span(others)));
}

TEST(BenchReport, Table) {
  BenchReport report = two_isas();
  report.bytes = 8000000;
  report.operations = 1000000;
  EXPECT_EQ(format_table(report),
            "kernel    &k  grid 1024,16  group 64,4\n"
            "agent     cpu\n"
            "\n"
            "ISA          finalize/ms  min/ms  median/ms  p90/ms  spread  GB/s  GFLOP/s  speed\n"
            "x:v3               12.50    2.00       2.00    2.00     0 %  4.00     0.50   1.00\n"
            "x:long-name        12.50    3.80       4.10    6.86    73 %  1.95     0.24   0.50\n"
            "\n"
            "time      4 rounds of one launch each, after 10 launches to warm up; speeds are relative to the "
            "first line\n"
            "load      0.50 at the start, 1.25 at the end, on 2 processors\n"
            "result    the same from all 2\n"
            "note      the times of x:long-name (cpu) spread widely; other work on the machine may be the "
            "reason\n");
}

TEST(BenchReport, TableOfSeveralAgents) {
  BenchReport report = two_isas();
  report.timings[1].name.agent = "interpreter";
  report.timings[1].steady = false;
  report.timings[1].finalize_seconds.reset();
  report.timings[1].warm_up_launches = 12;
  report.restores = true;
  report.compares = false;
  report.not_timed.push_back({{"null", "x:v9"}, "it cannot be loaded"});
  EXPECT_EQ(
      format_table(report),
      "kernel    &k  grid 1024,16  group 64,4\n"
      "\n"
      "agent        ISA          finalize/ms  min/ms  median/ms  p90/ms  spread  speed\n"
      "cpu          x:v3               12.50    2.00       2.00    2.00     0 %   1.00\n"
      "interpreter  x:long-name            -    3.80       4.10    6.86    73 %   0.50\n"
      "\n"
      "time      4 rounds of one launch each, after 10 to 12 launches to warm up; buffers restored "
      "before each; speeds are relative to the first line\n"
      "load      0.50 at the start, 1.25 at the end, on 2 processors\n"
      "result    not compared\n"
      "note      x:long-name (interpreter) had not become steady when its warm-up ended; see --warm-up\n"
      "note      the times of x:long-name (interpreter) spread widely; other work on the machine may be "
      "the reason\n"
      "not timed x:v9 (null): it cannot be loaded\n");
}

TEST(BenchReport, TableWithoutTimes) {
  BenchReport report = two_isas();
  report.timings.clear();
  report.compared = 0;
  report.not_timed.push_back({{"cpu", "x:v3"}, "no"});
  EXPECT_EQ(format_table(report), "kernel    &k  grid 1024,16  group 64,4\nnot timed x:v3 (cpu): no\n");
}

TEST(BenchReport, UnitFitsTheShortestMedian) {
  BenchReport report = two_isas();
  const std::pair<double, const char*> cases[] = {
      {3e-9, "median/ns"}, {3e-6, "median/us"}, {3e-3, "median/ms"}, {3, "median/s"}};
  for (const auto& [seconds, title] : cases) {
    report.timings[0] = timing("cpu", "a", {seconds}, 1);
    report.timings[1] = timing("cpu", "b", {seconds * 2e6}, 1);
    EXPECT_NE(format_table(report).find(title), std::string::npos) << format_table(report);
  }
}

TEST(BenchReport, WrongResults) {
  BenchReport report = two_isas();
  const auto change = [](auto& values) { values[2] = 9; };
  report.wrong.push_back({{"cpu", "x:long-name"}, 1, *differ<uint32_t>("u32", {5, 6, 7, 8}, change)});
  EXPECT_NE(format_table(report).find("result    x:long-name (cpu): arg 1: 1 of 4 elements are not those of "
                                      "x:v3 (cpu); the first is [2]: 9 instead of 7\n"),
            std::string::npos)
      << format_table(report);
}

TEST(BenchReport, Json) {
  BenchReport report = two_isas();
  report.file = "a\"b\\c.hsail";
  report.bytes = 8000000;
  report.timings.pop_back();
  report.not_timed.push_back({{"null", "x:v9"}, "two\nlines"});
  EXPECT_EQ(format_json(report), R"({
  "file": "a\"b\\c.hsail", "kernel": "&k",
  "grid": [1024, 16], "group": [64, 4],
  "bytes": 8000000, "operations": null, "restores": false, "compares": true,
  "load_at_start": [0.5, 0.25, 0.125], "load_at_end": [1.25, 0.5, 0.25], "processors": 2,
  "assemble_seconds": 0,
  "timings": [
    {"agent": "cpu", "isa": "x:v3", "finalize_seconds": 0.0125, "load_seconds": 0.001,
     "warm_up_launches": 10, "steady": true, "rounds": 4,
     "min": 0.002, "p10": 0.002, "median": 0.002, "p90": 0.002, "spread": 0, "speed": 1,
     "bytes_per_second": 4000000000,
     "times": [0.002, 0.002, 0.002, 0.002]}],
  "not_timed": [
    {"agent": "null", "isa": "x:v9", "reason": "two\nlines"}],
  "wrong_results": []
}
)");
}

TEST(Compare, EqualBuffers) {
  EXPECT_FALSE(differ<uint32_t>("u32", {1, 2, 3}, [](auto&) {}));
  EXPECT_FALSE(compare_elements(*find_element_type("f64"), {}, {}));
}

TEST(Compare, CountsAndFindsTheFirst) {
  const auto difference = differ<float>("f32", {1, 2, 3, 4, 5}, [](auto& values) {
    values[1] = 2.5;
    values[4] = -5;
  });
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->elements, 5u);
  EXPECT_EQ(difference->different, 2u);
  EXPECT_EQ(difference->first, 1u);
  EXPECT_EQ(difference->expected, "2");
  EXPECT_EQ(difference->found, "2.5");
}

TEST(Compare, BitsDecide) {
  const auto zeros = differ<float>("f32", {0.0f}, [](auto& values) { values[0] = -0.0f; });
  ASSERT_TRUE(zeros);
  EXPECT_EQ(zeros->expected_bits, "0x00000000");
  EXPECT_EQ(zeros->found_bits, "0x80000000");
  const uint16_t nan = 0x7e00;
  EXPECT_FALSE(differ<uint16_t>("f16", {nan}, [](auto&) {}));
  const auto nans = differ<uint16_t>("f16", {nan}, [](auto& values) { values[0] = 0x7e01; });
  ASSERT_TRUE(nans);
  EXPECT_EQ(nans->expected, nans->found);
  EXPECT_EQ(nans->found_bits, "0x7e01");
}

}  // namespace
}  // namespace heddle::tools
