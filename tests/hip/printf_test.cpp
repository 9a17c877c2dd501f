// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The result of printf in kernels, against that of the C library of the host.
#include "printf.h"

#include <array>
#include <bit>
#include <cfloat>
#include <cstdio>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <string_view>

#include "hip_test.h"

namespace heddle::hip_tests {
namespace {

/// The functions of printf.hip return the last error, which a test before may have left.
class PrintfResult : public testing::Test {
 protected:
  void SetUp() override { static_cast<void>(hipGetLastError()); }

  /// Returns what kernels print until the device has no work.
  template <typename Function>
  std::string printed_by(const Function& run) {
    testing::internal::CaptureStdout();
    EXPECT_EQ(run(), hipSuccess);
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
    std::fflush(stdout);
    return testing::internal::GetCapturedStdout();
  }
};

std::vector<char> characters(const std::string& text) {
  return {text.c_str(), text.c_str() + text.size() + 1};
}

// Formats are what is tested, also those of which compilers warn.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat"
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

template <typename... Values>
std::string formatted(const char* format, Values... values) {
  std::string text(static_cast<size_t>(std::snprintf(nullptr, 0, format, values...)), '\0');
  std::snprintf(text.data(), text.size() + 1, format, values...);
  return text;
}

std::vector<std::string> expected_texts() {
  const char* const text = printf_text;
  const char* const nothing = nullptr;
  const int small = printf_small, width = printf_width;
  std::vector<std::string> texts;
#define CALL(...) texts.push_back(formatted(__VA_ARGS__));
  FOR_PRINTF_CALLS(CALL)
#undef CALL
  return texts;
}

#pragma GCC diagnostic pop

TEST_F(PrintfResult, IsTheNumberOfCharacters) {
  const std::vector<std::string> expected = expected_texts();
  DeviceMemory<int> results(expected.size());
  const DeviceMemory<char> text(characters(printf_text));
  const std::string printed = printed_by([&] { return run_printf_calls(results.data(), text.data()); });
  const std::vector<int> found = results.values();
  std::string all;
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(static_cast<size_t>(found[i]), expected[i].size()) << expected[i];
    all += expected[i];
  }
  EXPECT_EQ(printed, all);
}

/// Numbers at which the lengths of texts change, their neighbours, and any others.
std::vector<double> interesting_numbers() {
  std::vector<double> numbers = {
      0.0,  -0.0,   0.5,      1.5,     2.5, 9.5,         99.5, 0.05,          0.25,     0.125,    1e22,
      1e23, 5e-324, -DBL_MIN, DBL_MAX, 0.1, 123456789.0, 1e15, 0.00009999995, 999999.5, HUGE_VAL, -HUGE_VAL};
  for (const int exponent : {-308, -99, -5, -4, 0, 1, 6, 16, 17, 22, 23, 100, 308}) {
    const double power = std::pow(10.0, exponent);
    for (const double number : {power, std::nextafter(power, 0.0), power * 9.5, -power * 9.9999995})
      numbers.push_back(number);
  }
  std::mt19937_64 random(7);  // NOLINT(bugprone-random-generator-seed): every run has the same numbers
  for (int i = 0; i < 30; ++i) {
    const double number = std::bit_cast<double>(static_cast<uint64_t>(random()));
    numbers.push_back(std::isnan(number) ? 1.0 : number);
    // Few digits, so that ties are among them.
    numbers.push_back(std::ldexp(static_cast<double>(random() % 4096), -static_cast<int>(random() % 14)));
  }
  return numbers;
}

TEST_F(PrintfResult, CountsAllFloatingPointConversions) {
  std::vector<std::string> formats;
  // "%#g" is left out: of numbers that rounding makes a power of ten, the GNU C library 2.36 drops the zeros.
  for (const char* const flags : {"", "#", "+0"})
    for (const char* const precision : {"", ".0", ".2", ".16", ".17"})
      for (const char conversion : std::string_view(*flags == '#' ? "fea" : "feGa"))
        formats.push_back(std::string("%") + flags + precision + conversion + "\n");
  for (const char* const format :
       {"%.400f\n", "%30.800e\n", "%.1100g\n", "%-40f|\n", "%#.350g\n", "% .20A\n"})
    formats.emplace_back(format);
  std::string all;
  for (const std::string& format : formats) all += format + '\0';
  const std::vector<double> numbers = interesting_numbers();
  DeviceMemory<int> results(formats.size() * numbers.size());
  const DeviceMemory<char> texts(characters(all));
  const DeviceMemory<double> values(numbers);
  const std::string printed = printed_by([&] {
    return run_printf_formats(results.data(), texts.data(), static_cast<int>(formats.size()), values.data(),
                              static_cast<int>(numbers.size()));
  });
  const std::vector<int> found = results.values();
  size_t total = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    const std::string text = formatted(formats[i / numbers.size()].c_str(), numbers[i % numbers.size()]);
    ASSERT_EQ(static_cast<size_t>(found[i]), text.size()) << formats[i / numbers.size()] << text;
    total += text.size();
  }
  EXPECT_EQ(printed.size(), total);
}

TEST_F(PrintfResult, CountsWhatStandsForItself) {
  const std::array<std::string, 5> formats = {"%y%f", "%", "%f%", "%%%f%%", "50% %f"};
  const std::array<size_t, 5> lengths = {2 + 8, 1, 8 + 1, 1 + 8 + 1, 1 + 11};
  std::string all;
  for (const std::string& format : formats) all += format + '\0';
  DeviceMemory<int> results(formats.size());
  const DeviceMemory<char> texts(characters(all));
  const DeviceMemory<double> values(std::vector<double>{1.0});
  const std::string printed =
      printed_by([&] { return run_printf_formats(results.data(), texts.data(), 5, values.data(), 1); });
  EXPECT_EQ(printed, "%y1.000000%1.000000%%1.000000%50% 1.000000");
  const std::vector<int> found = results.values();
  for (size_t i = 0; i < formats.size(); ++i)
    EXPECT_EQ(static_cast<size_t>(found[i]), lengths[i]) << formats[i];
}

TEST_F(PrintfResult, IsThatOfEachWorkItem) {
  constexpr int count = 100;
  DeviceMemory<int> results(count);
  const std::string printed = printed_by([&] { return run_printf_apart(results.data(), count); });
  const std::vector<int> found = results.values();
  int total = 0;
  for (int i = 0; i < count; ++i) {
    EXPECT_EQ(found[static_cast<size_t>(i)], i % 2 == 0 ? 0 : i + 1);
    total += found[static_cast<size_t>(i)];
  }
  EXPECT_EQ(printed.size(), static_cast<size_t>(total));
}

TEST_F(PrintfResult, IsReturnedByCallsForAHost) {
  DeviceMemory<int> results(3);
  const DeviceMemory<char> text(characters("the text"));
  const std::string printed = printed_by([&] { return run_printf_of_parts(results.data(), text.data()); });
  EXPECT_EQ(printed, "plain123   0.5\nthe text\n");
  EXPECT_EQ(results.values(), (std::vector<int>{5, 10, 9}));
}

TEST_F(PrintfResult, IsNegativeWithoutRoom) {
  size_t size = 0;
  HIP_OK(hipDeviceGetLimit(&size, hipLimitPrintfFifoSize));
  HIP_OK(hipDeviceSetLimit(hipLimitPrintfFifoSize, 4096));
  hipModule_t module = nullptr;
  hipFunction_t kernel = nullptr;
  HIP_OK(hipModuleLoad(&module, PRINTF_MODULE_FILE));
  HIP_OK(hipModuleGetFunction(&kernel, module, "print_until_full"));
  DeviceMemory<int> results(2);
  int* address = results.data();
  void* arguments[] = {static_cast<void*>(&address)};
  const std::string printed = printed_by(
      [&] { return hipModuleLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr); });
  const std::vector<int> found = results.values();
  EXPECT_EQ(found[0], -1);
  EXPECT_GT(found[1], 100);
  EXPECT_LT(found[1], 4096 / 8);
  EXPECT_EQ(printed.size(), static_cast<size_t>(found[1]));
  HIP_OK(hipModuleUnload(module));
  HIP_OK(hipDeviceSetLimit(hipLimitPrintfFifoSize, size));
}

}  // namespace
}  // namespace heddle::hip_tests
