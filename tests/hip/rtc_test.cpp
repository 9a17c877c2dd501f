// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// hipRTC: programs are compiled, their code is loaded and launched, and mistakes are reported.
#include <cstdlib>
#include <string>
#include <thread>

#include "hip_test.h"

namespace heddle::hip_tests {
namespace {

constexpr const char* template_source =
    "namespace shop { template <typename T, int factor> __global__ void scale(T* x) { x[threadIdx.x] *= "
    "T(factor); } }\n"
    "__constant__ int offsets[2];\n"
    "__global__ void shift(int* x) { x[threadIdx.x] += offsets[1]; }\n";

class RtcProgram {
 public:
  explicit RtcProgram(const char* source, const char* name = "rtc.hip", std::vector<const char*> headers = {},
                      std::vector<const char*> names = {}) {
    EXPECT_EQ(hiprtcCreateProgram(&program_, source, name, static_cast<int>(headers.size()), headers.data(),
                                  names.data()),
              HIPRTC_SUCCESS);
  }
  ~RtcProgram() { EXPECT_EQ(hiprtcDestroyProgram(&program_), HIPRTC_SUCCESS); }
  RtcProgram(const RtcProgram&) = delete;
  RtcProgram& operator=(const RtcProgram&) = delete;
  operator hiprtcProgram() const { return program_; }

  hiprtcResult compile(std::vector<const char*> options = {}) const {
    return hiprtcCompileProgram(program_, static_cast<int>(options.size()), options.data());
  }
  std::string log() const {
    size_t size = 0;
    EXPECT_EQ(hiprtcGetProgramLogSize(program_, &size), HIPRTC_SUCCESS);
    std::string text(size, '?');
    EXPECT_EQ(hiprtcGetProgramLog(program_, text.data()), HIPRTC_SUCCESS);
    EXPECT_EQ(text.find('\0'), size - 1);
    return text.substr(0, size - 1);
  }
  std::vector<char> code() const {
    size_t size = 0;
    EXPECT_EQ(hiprtcGetCodeSize(program_, &size), HIPRTC_SUCCESS);
    std::vector<char> bytes(size);
    EXPECT_EQ(hiprtcGetCode(program_, bytes.data()), HIPRTC_SUCCESS);
    return bytes;
  }
  std::string name(const char* expression) const {
    const char* name = "";
    EXPECT_EQ(hiprtcGetLoweredName(program_, expression, &name), HIPRTC_SUCCESS) << expression;
    return name;
  }

 private:
  hiprtcProgram program_ = nullptr;
};

/// A module with the code of a program.
class RtcModule {
 public:
  explicit RtcModule(const RtcProgram& program) {
    EXPECT_EQ(hipModuleLoadData(&module_, program.code().data()), hipSuccess);
  }
  ~RtcModule() { EXPECT_EQ(hipModuleUnload(module_), hipSuccess); }
  RtcModule(const RtcModule&) = delete;
  RtcModule& operator=(const RtcModule&) = delete;
  operator hipModule_t() const { return module_; }
  /// Launches a kernel of one argument over one work-group.
  template <typename T>
  void run(const std::string& name, unsigned items, T argument) const {
    hipFunction_t function = nullptr;
    HIP_OK(hipModuleGetFunction(&function, module_, name.c_str()));
    void* parameters[] = {static_cast<void*>(&argument)};
    HIP_OK(hipModuleLaunchKernel(function, 1, 1, 1, items, 1, 1, 0, nullptr, parameters, nullptr));
    HIP_OK(hipDeviceSynchronize());
  }

 private:
  hipModule_t module_ = nullptr;
};

TEST(Rtc, CodeIsLoadedAndLaunched) {
  const RtcProgram program(
      "extern \"C\" __global__ void fill(int* x) { x[threadIdx.x] = VALUE + (int)threadIdx.x; }\n");
  ASSERT_EQ(program.compile({"-DVALUE=40", "-O3", "--gpu-architecture=gfx90a", "--std=c++17"}),
            HIPRTC_SUCCESS)
      << program.log();
  EXPECT_EQ(program.log(), "");
  const RtcModule module(program);
  const DeviceMemory<int> memory(3);
  module.run("fill", 3, memory.data());
  EXPECT_EQ(memory.values(), (std::vector<int>{40, 41, 42}));
}

TEST(Rtc, UnsignedTypesHaveShortNames) {
  const RtcProgram program(
      "extern \"C\" __global__ void fill(ulong* x) {\n"
      "  x[0] = sizeof(uchar); x[1] = sizeof(ushort); x[2] = sizeof(uint); x[3] = sizeof(ullong); x[4] = "
      "(uchar)-1;\n"
      "}\n");
  ASSERT_EQ(program.compile(), HIPRTC_SUCCESS) << program.log();
  const RtcModule module(program);
  const DeviceMemory<unsigned long> memory(5);
  module.run("fill", 1, memory.data());
  EXPECT_EQ(memory.values(), (std::vector<unsigned long>{1, 2, 4, 8, 255}));
}

TEST(Rtc, NameExpressionsTellNamesAndMakeInstances) {
  const RtcProgram program(template_source);
  for (const char* expression :
       {"shop::scale<float, 3>", "shop::scale<int,2+2>", "&offsets", "shift", "shift"})
    EXPECT_EQ(hiprtcAddNameExpression(program, expression), HIPRTC_SUCCESS);
  const char* name = nullptr;
  EXPECT_EQ(hiprtcGetLoweredName(program, "shift", &name), HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
  ASSERT_EQ(program.compile(), HIPRTC_SUCCESS) << program.log();
  EXPECT_EQ(program.log(), "");
  EXPECT_EQ(program.name("shop::scale<float, 3>"), "_ZN4shop5scaleIfLi3EEEvPT_");
  EXPECT_EQ(program.name("shift"), "_Z5shiftPi");
  EXPECT_EQ(hiprtcGetLoweredName(program, "scale", &name), HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
  EXPECT_EQ(hiprtcAddNameExpression(program, "shift"), HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION);
  const RtcModule module(program);
  hipDeviceptr_t offsets = nullptr;
  size_t size = 0;
  HIP_OK(hipModuleGetGlobal(&offsets, &size, module, program.name("&offsets").c_str()));
  ASSERT_EQ(size, 2 * sizeof(int));
  const int values[] = {5, 6};
  HIP_OK(hipMemcpy(offsets, values, sizeof values, hipMemcpyHostToDevice));
  const DeviceMemory<int> memory(std::vector<int>{1, 2});
  module.run(program.name("shop::scale<int,2+2>"), 2, memory.data());
  module.run(program.name("shift"), 2, memory.data());
  EXPECT_EQ(memory.values(), (std::vector<int>{10, 14}));
}

TEST(Rtc, HeadersAreIncluded) {
  const RtcProgram program(
      "#include \"numbers.h\"\n#include <deep/er.h>\nextern \"C\" __global__ void fill(int* x) { *x = NUMBER "
      "+ er(); }\n",
      nullptr, {"#define NUMBER 30\n", "__device__ inline int er() { return 7; }\n"},
      {"numbers.h", "deep/er.h"});
  ASSERT_EQ(program.compile(), HIPRTC_SUCCESS) << program.log();
  const RtcModule module(program);
  const DeviceMemory<int> memory(1);
  module.run("fill", 1, memory.data());
  EXPECT_EQ(memory.values(), std::vector<int>{37});
}

TEST(Rtc, HeadersStayInTheirFolder) {
  for (const char* name : {"../escaped.h", "/tmp/escaped.h", "a/../../escaped.h", ""}) {
    const RtcProgram program("", nullptr, {"text"}, {name});
    EXPECT_EQ(program.compile(), HIPRTC_ERROR_COMPILATION) << name;
    EXPECT_NE(program.log().find("no name for a header"), std::string::npos) << program.log();
  }
}

TEST(Rtc, TheLogHasPlacesAndLines) {
  const RtcProgram program("__global__ void wrong(int* x) {\n  *x = unknown;\n}\n", "wrong.hip");
  EXPECT_EQ(program.compile(), HIPRTC_ERROR_COMPILATION);
  EXPECT_NE(program.log().find("wrong.hip:2:8: error:"), std::string::npos) << program.log();
  EXPECT_NE(program.log().find("  *x = unknown;"), std::string::npos) << program.log();
  size_t size = 0;
  EXPECT_EQ(hiprtcGetCodeSize(program, &size), HIPRTC_ERROR_INVALID_PROGRAM);
  const RtcProgram warned("__global__ void f(int* x) {\n#warning look here\n}\n");
  EXPECT_EQ(warned.compile(), HIPRTC_SUCCESS);
  EXPECT_NE(warned.log().find("rtc.hip:2:2: warning: look here"), std::string::npos) << warned.log();
  EXPECT_FALSE(warned.code().empty());
}

TEST(Rtc, WrongExpressionsAndOptionsAreReported) {
  const RtcProgram program(template_source);
  EXPECT_EQ(hiprtcAddNameExpression(program, "shop::scale<nothing, 1>"), HIPRTC_SUCCESS);
  EXPECT_EQ(program.compile(), HIPRTC_ERROR_COMPILATION);
  EXPECT_NE(program.log().find("name expression 0"), std::string::npos) << program.log();
  const RtcProgram good("");
  EXPECT_EQ(good.compile({"--no-such-option"}), HIPRTC_ERROR_INVALID_OPTION);
  EXPECT_NE(good.log().find("--no-such-option"), std::string::npos) << good.log();
  EXPECT_EQ(good.compile({"--offload-arch", "gfx1100", "--fmad=false"}), HIPRTC_SUCCESS) << good.log();
}

TEST(Rtc, ArgumentsAreChecked) {
  hiprtcProgram program = nullptr;
  const char* null_list[] = {nullptr};
  size_t size = 0;
  EXPECT_EQ(hiprtcCreateProgram(nullptr, "", "", 0, nullptr, nullptr), HIPRTC_ERROR_INVALID_PROGRAM);
  EXPECT_EQ(hiprtcCreateProgram(&program, nullptr, "", 0, nullptr, nullptr), HIPRTC_ERROR_INVALID_INPUT);
  EXPECT_EQ(hiprtcCreateProgram(&program, "", "", -1, nullptr, nullptr), HIPRTC_ERROR_INVALID_INPUT);
  EXPECT_EQ(hiprtcCreateProgram(&program, "", "", 1, null_list, null_list), HIPRTC_ERROR_INVALID_INPUT);
  EXPECT_EQ(hiprtcDestroyProgram(nullptr), HIPRTC_ERROR_INVALID_INPUT);
  EXPECT_EQ(hiprtcDestroyProgram(&program), HIPRTC_ERROR_INVALID_PROGRAM);
  EXPECT_EQ(hiprtcCompileProgram(nullptr, 0, nullptr), HIPRTC_ERROR_INVALID_PROGRAM);
  const RtcProgram live("");
  EXPECT_EQ(hiprtcCompileProgram(live, 1, nullptr), HIPRTC_ERROR_INVALID_INPUT);
  EXPECT_EQ(hiprtcCompileProgram(live, -1, nullptr), HIPRTC_ERROR_INVALID_INPUT);
  EXPECT_EQ(hiprtcGetCodeSize(live, &size), HIPRTC_ERROR_INVALID_PROGRAM);
  EXPECT_EQ(hiprtcGetProgramLogSize(live, nullptr), HIPRTC_ERROR_INVALID_INPUT);
  EXPECT_EQ(hiprtcAddNameExpression(live, nullptr), HIPRTC_ERROR_INVALID_INPUT);
  EXPECT_EQ(hiprtcVersion(nullptr, nullptr), HIPRTC_ERROR_INVALID_INPUT);
  int major = 0;
  int minor = -1;
  EXPECT_EQ(hiprtcVersion(&major, &minor), HIPRTC_SUCCESS);
  EXPECT_EQ(std::make_pair(major, minor), std::make_pair(9, 0));
  EXPECT_STREQ(hiprtcGetErrorString(HIPRTC_ERROR_COMPILATION), "HIPRTC_ERROR_COMPILATION");
  EXPECT_STREQ(hiprtcGetErrorString(static_cast<hiprtcResult>(77)), "HIPRTC_ERROR_UNKNOWN");
}

TEST(Rtc, AMissingCompilerIsNamed) {
  const RtcProgram program("");
  setenv("HEDDLE_COMPILER", "/nonexistent/compiler.so", 1);
  EXPECT_EQ(program.compile(), HIPRTC_ERROR_COMPILATION);
  unsetenv("HEDDLE_COMPILER");
  EXPECT_NE(program.log().find("/nonexistent/compiler.so"), std::string::npos) << program.log();
  EXPECT_NE(program.log().find("heddle-compiler"), std::string::npos) << program.log();
}

TEST(Rtc, ThreadsCompileAtOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([i] {
      const RtcProgram program("extern \"C\" __global__ void fill(int* x) { *x = NUMBER; }\n");
      const std::string option = "-DNUMBER=" + std::to_string(i);
      ASSERT_EQ(program.compile({option.c_str()}), HIPRTC_SUCCESS) << program.log();
      const RtcModule module(program);
      const DeviceMemory<int> memory(1);
      module.run("fill", 1, memory.data());
      EXPECT_EQ(memory.values(), std::vector<int>{i});
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace heddle::hip_tests
