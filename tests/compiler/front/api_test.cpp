// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C interface of the compiler as its clients see it, with the clang that is installed.
#include <gtest/gtest.h>
#include <hsail/compiler.h>
#include <unistd.h>
#include <array>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr const char* copy_kernel =
    "kernel void copy(global const int* from, global int* to) {\n"
    "  to[get_global_id(0)] = from[get_global_id(0)];\n"
    "}\n";

struct Seen {
  hsail_severity severity;
  std::string file;
  uint32_t line, column;
  std::string text, display;
};

struct Result {
  hsail_compile_status status = HSAIL_COMPILE_OK;
  std::string module;
  std::vector<Seen> messages;

  std::string displays() const {
    std::string all;
    for (const Seen& message : messages) all += message.display;
    return all;
  }
};

void keep(const hsail_message* message, void* data) {
  static_cast<std::vector<Seen>*>(data)->push_back(
      {message->severity, message->file, message->line, message->column, message->text, message->display});
}

Result compile(const std::vector<hsail_source>& sources, const std::vector<const char*>& options = {},
               hsail_module_form form = HSAIL_MODULE_TEXT) {
  Result result;
  hsail_blob module{};
  result.status = hsail_compile(sources.data(), sources.size(), options.data(), options.size(), form, &module,
                                keep, &result.messages);
  if (result.status == HSAIL_COMPILE_OK)
    result.module.assign(static_cast<const char*>(module.data), module.size);
  if (result.status != HSAIL_COMPILE_OK) EXPECT_EQ(module.data, nullptr) << "an output of a call that failed";
  hsail_blob_free(&module);
  return result;
}

hsail_source source(const char* text, const char* name = "test.cl",
                    hsail_language language = HSAIL_LANGUAGE_BY_NAME) {
  return {name, text, std::strlen(text), language};
}

/// Sets an environment variable as long as the object lives.
class Setting {
 public:
  Setting(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    setenv(name, value, 1);
  }
  ~Setting() {
    if (old_.empty())
      unsetenv(name_);
    else
      setenv(name_, old_.c_str(), 1);
  }

 private:
  const char* name_;
  std::string old_;
};

/// A folder that goes away with its contents.
class Folder {
 public:
  Folder() {
    std::string name = testing::TempDir() + "compiler-XXXXXX";
    path = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path / name) << text;
    return (path / name).string();
  }
  std::filesystem::path path;
};

TEST(CompilerApi, Version) { EXPECT_EQ(hsail_compiler_api_version(), HSAIL_COMPILER_API_VERSION); }

TEST(CompilerApi, TextAndBrigAreTheSameModule) {
  const auto text = compile({source(copy_kernel)}),
             brig = compile({source(copy_kernel)}, {}, HSAIL_MODULE_BRIG);
  ASSERT_EQ(text.status, HSAIL_COMPILE_OK) << text.displays();
  ASSERT_EQ(brig.status, HSAIL_COMPILE_OK) << brig.displays();
  EXPECT_TRUE(text.messages.empty());
  EXPECT_NE(text.module.find("prog kernel &copy("), std::string::npos) << text.module;
  EXPECT_EQ(brig.module.substr(0, 8), "HSA BRIG");
  hsail_blob assembled{};
  ASSERT_EQ(
      hsail_assemble(text.module.data(), text.module.size(), "test.hsail", &assembled, nullptr, nullptr),
      HSAIL_OK);
  EXPECT_EQ(std::string(static_cast<const char*>(assembled.data), assembled.size), brig.module);
  hsail_blob_free(&assembled);
}

TEST(CompilerApi, ArgumentsAreChecked) {
  const hsail_source good = source(copy_kernel);
  hsail_blob module{};
  const char* null_option = nullptr;
  const auto call = [&](const hsail_source* sources, size_t count, const char* const* options,
                        size_t option_count, int form, hsail_blob* to) {
    return hsail_compile(sources, count, options, option_count, static_cast<hsail_module_form>(form), to,
                         nullptr, nullptr);
  };
  EXPECT_EQ(call(nullptr, 1, nullptr, 0, 0, &module), HSAIL_COMPILE_INVALID_ARGUMENT);
  EXPECT_EQ(call(&good, 0, nullptr, 0, 0, &module), HSAIL_COMPILE_INVALID_ARGUMENT);
  EXPECT_EQ(call(&good, 1, nullptr, 1, 0, &module), HSAIL_COMPILE_INVALID_ARGUMENT);
  EXPECT_EQ(call(&good, 1, &null_option, 1, 0, &module), HSAIL_COMPILE_INVALID_ARGUMENT);
  EXPECT_EQ(call(&good, 1, nullptr, 0, 3, &module), HSAIL_COMPILE_INVALID_ARGUMENT);
  EXPECT_EQ(call(&good, 1, nullptr, 0, -1, &module), HSAIL_COMPILE_INVALID_ARGUMENT);
  EXPECT_EQ(call(&good, 1, nullptr, 0, 0, nullptr), HSAIL_COMPILE_INVALID_ARGUMENT);
  const hsail_source nameless{nullptr, copy_kernel, 1, HSAIL_LANGUAGE_OPENCL};
  EXPECT_EQ(call(&nameless, 1, nullptr, 0, 0, &module), HSAIL_COMPILE_INVALID_ARGUMENT);
  for (const int language : {-1, 4, 1000}) {
    const hsail_source strange{"a.cl", copy_kernel, 1, static_cast<hsail_language>(language)};
    EXPECT_EQ(call(&strange, 1, nullptr, 0, 0, &module), HSAIL_COMPILE_INVALID_ARGUMENT) << language;
  }
  EXPECT_EQ(call(&good, 1, nullptr, 0, 0, &module), HSAIL_COMPILE_OK) << "without a callback";
  hsail_blob_free(&module);
}

TEST(CompilerApi, TheNameTellsTheLanguage) {
  const auto unknown = compile({source(copy_kernel, "kernel.c")});
  EXPECT_EQ(unknown.status, HSAIL_COMPILE_INVALID_ARGUMENT);
  ASSERT_EQ(unknown.messages.size(), 1U);
  EXPECT_EQ(unknown.messages[0].file, "kernel.c");
  EXPECT_EQ(compile({source(copy_kernel, "kernel.c", HSAIL_LANGUAGE_OPENCL)}).status, HSAIL_COMPILE_OK);
}

// clang fills the array by copying a part of a constant, whose address at an offset is a constant, too.
TEST(CompilerApi, PartsOfConstantsAreCopied) {
  const Result result = compile({source("kernel void k(global int* out, int n) {\n"
                                        "  char a[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9};\n"
                                        "  out[0] = a[n & 15];\n"
                                        "}\n")},
                                {"-O0"});
  EXPECT_EQ(result.status, HSAIL_COMPILE_OK) << result.displays();
}

TEST(CompilerApi, WrongOptions) {
  const auto result = compile({source(copy_kernel)}, {"-O2", "--wrong"});
  EXPECT_EQ(result.status, HSAIL_COMPILE_INVALID_OPTION);
  ASSERT_EQ(result.messages.size(), 1U);
  EXPECT_EQ(result.messages[0].text, "there is no option '--wrong'");
}

TEST(CompilerApi, MessagesOfClangHavePlaces) {
  const auto result =
      compile({source("kernel void wrong(global int* p) {\n  *p = missing;\n}\n", "folder/wrong \"1\".cl")});
  EXPECT_EQ(result.status, HSAIL_COMPILE_FAILED);
  ASSERT_EQ(result.messages.size(), 1U) << result.displays();
  const Seen& message = result.messages[0];
  EXPECT_EQ(message.severity, HSAIL_SEVERITY_ERROR);
  EXPECT_EQ(message.file, "folder/wrong \"1\".cl");
  EXPECT_EQ(message.line, 2U);
  EXPECT_EQ(message.column, 8U);
  EXPECT_EQ(message.text, "use of undeclared identifier 'missing'");
  EXPECT_NE(message.display.find("    2 |   *p = missing;\n      |        ^"), std::string::npos)
      << message.display;
}

TEST(CompilerApi, WarningsDoNotFail) {
  const char* text = "kernel void k(global int* p) { int unused; *p = 1; }";
  const auto warned = compile({source(text)}, {"-Wall"});
  EXPECT_EQ(warned.status, HSAIL_COMPILE_OK);
  ASSERT_EQ(warned.messages.size(), 1U);
  EXPECT_EQ(warned.messages[0].severity, HSAIL_SEVERITY_WARNING);
  EXPECT_EQ(compile({source(text)}, {"-Wall", "-Werror"}).status, HSAIL_COMPILE_FAILED);
  EXPECT_TRUE(compile({source(text)}, {"-Wall", "-w"}).messages.empty());
}

TEST(CompilerApi, ColoursOnRequest) {
  const char* text = "kernel void k() { x; }";
  EXPECT_EQ(compile({source(text)}).displays().find('\033'), std::string::npos);
  const auto coloured = compile({source(text)}, {"-fcolor-diagnostics"});
  EXPECT_NE(coloured.displays().find('\033'), std::string::npos);
  EXPECT_EQ(coloured.messages.at(0).text, "use of undeclared identifier 'x'");
}

TEST(CompilerApi, MacrosIncludesAndStandards) {
  const Folder folder;
  folder.write("number.h", "#define NUMBER 7\n");
  const std::string include = "-I" + folder.path.string();
  const char* text = "#include \"number.h\"\nkernel void k(global int* p) { *p = NUMBER + ADDED; }";
  EXPECT_EQ(compile({source(text)}, {include.c_str(), "-D", "ADDED=1"}).status, HSAIL_COMPILE_OK);
  EXPECT_EQ(compile({source(text)}, {"-DADDED=1"}).status, HSAIL_COMPILE_FAILED) << "without the folder";
  const char* versions = "#if __OPENCL_C_VERSION__ != EXPECTED\n#error\n#endif\nkernel void k() {}";
  EXPECT_EQ(compile({source(versions)}, {"-DEXPECTED=120"}).status, HSAIL_COMPILE_OK);
  EXPECT_EQ(compile({source(versions)}, {"-DEXPECTED=300", "-cl-std=CL3.0"}).status, HSAIL_COMPILE_OK);
  const char* templates =
      "template <typename T> T twice(T x) { return x + x; }\n"
      "kernel void k(global int* p) { *p = twice(*p); }";
  EXPECT_EQ(compile({source(templates, "a.clcpp")}, {"-cl-std=clc++2021"}).status, HSAIL_COMPILE_OK);
}

TEST(CompilerApi, HipDeviceCode) {
  const char* text =
      "extern \"C\" __attribute__((global)) void add(int* p) { p[__builtin_amdgcn_workitem_id_x()] += 1; }";
  const auto result = compile({source(text, "add.hip")}, {"-nogpuinc"});
  ASSERT_EQ(result.status, HSAIL_COMPILE_OK) << result.displays();
  EXPECT_NE(result.module.find("kernel &add("), std::string::npos) << result.module;
}

TEST(CompilerApi, HeadersOfHipThatAreMissing) {
  const auto result = compile({source("#include <hip/nonexistent.h>\n", "k.hip")}, {"-nogpuinc"});
  EXPECT_EQ(result.status, HSAIL_COMPILE_FAILED);
  ASSERT_FALSE(result.messages.empty());
  EXPECT_EQ(result.messages.back().severity, HSAIL_SEVERITY_NOTE);
  EXPECT_NE(result.messages.back().text.find("libamdhip64-dev"), std::string::npos) << result.displays();
}

// Clang's headers for HIP have these intrinsics. Only the sine may be approximated.
TEST(CompilerApi, MathematicsWithoutInstructions) {
  const char* text =
      "define amdgpu_kernel void @k(ptr addrspace(1) %p, float %x, double %y, half %h, <3 x float> %v, i32 "
      "%n) {\n"
      "  %exp = call float @llvm.exp.f32(float %x)\n  store volatile float %exp, ptr addrspace(1) %p\n"
      "  %exp2 = call float @llvm.exp2.f32(float %x)\n  store volatile float %exp2, ptr addrspace(1) %p\n"
      "  %sin = call afn float @llvm.sin.f32(float %x)\n  store volatile float %sin, ptr addrspace(1) %p\n"
      "  %log = call half @llvm.log10.f16(half %h)\n  store volatile half %log, ptr addrspace(1) %p\n"
      "  %tan = call double @llvm.tan.f64(double %y)\n  store volatile double %tan, ptr addrspace(1) %p\n"
      "  %power = call <3 x float> @llvm.powi.v3f32.i32(<3 x float> %v, i32 %n)\n"
      "  %sum = call <3 x float> @llvm.pow.v3f32(<3 x float> %power, <3 x float> %v)\n"
      "  store volatile <3 x float> %sum, ptr addrspace(1) %p\n  ret void\n}\n"
      "declare float @llvm.exp.f32(float)\ndeclare float @llvm.exp2.f32(float)\n"
      "declare float @llvm.sin.f32(float)\ndeclare half @llvm.log10.f16(half)\n"
      "declare double @llvm.tan.f64(double)\ndeclare <3 x float> @llvm.powi.v3f32.i32(<3 x float>, i32)\n"
      "declare <3 x float> @llvm.pow.v3f32(<3 x float>, <3 x float>)\n";
  const auto result = compile({source(text, "k.ll")});
  ASSERT_EQ(result.status, HSAIL_COMPILE_OK) << result.displays();
  EXPECT_NE(result.module.find("nsin_f32"), std::string::npos);
  EXPECT_EQ(result.module.find("nexp2_f32"), std::string::npos);
  EXPECT_EQ(result.module.find("decl "), std::string::npos) << "a function without a definition";
}

// The constant of an instruction that the source calls by name is its own affair.
TEST(CompilerApi, InstructionsWithWrongOperands) {
  const char* text =
      "declare i32 @__hsail_workitemabsid_u32(i32)\n"
      "define amdgpu_kernel void @k(ptr addrspace(1) %p) {\n"
      "  %id = call i32 @__hsail_workitemabsid_u32(i32 7)\n  store i32 %id, ptr addrspace(1) %p\n  ret "
      "void\n}\n";
  const auto result = compile({source(text, "k.ll")});
  EXPECT_EQ(result.status, HSAIL_COMPILE_FAILED);
  EXPECT_NE(result.displays().find("__hsail_MNEMONIC"), std::string::npos) << result.displays();
  EXPECT_NE(result.displays().find("workitemabsid"), std::string::npos) << result.displays();
}

TEST(CompilerApi, OptionsThatKeepClangFromWriting) {
  const auto result = compile({source(copy_kernel)}, {"-Xclang", "-fsyntax-only"});
  EXPECT_EQ(result.status, HSAIL_COMPILE_NOT_INSTALLED);
  EXPECT_NE(result.displays().find("or an option changes what it does"), std::string::npos)
      << result.displays();
}

// The copy becomes loads from addresses behind the start of the constant.
TEST(CompilerApi, CopyOfAConstant) {
  const char* text =
      "@c = private addrspace(4) constant [5 x i32] [i32 1, i32 2, i32 3, i32 4, i32 5], align 16\n"
      "define amdgpu_kernel void @k(ptr addrspace(1) %p) {\n"
      "  call void @llvm.memcpy.p1.p4.i64(ptr addrspace(1) align 16 %p, ptr addrspace(4) align 16 @c, i64 "
      "20, i1 "
      "true)\n  ret void\n}\n"
      "declare void @llvm.memcpy.p1.p4.i64(ptr addrspace(1), ptr addrspace(4), i64, i1)\n";
  const auto result = compile({source(text, "k.ll")});
  ASSERT_EQ(result.status, HSAIL_COMPILE_OK) << result.displays();
  EXPECT_NE(result.module.find("[&c][16]"), std::string::npos) << result.module;
}

// IR that puts an integer of 32 bits together from four bytes. `order` are their addresses, the lowest bits
// first; `between` comes before the last load, which may be volatile.
std::string four_bytes(const std::array<int, 4>& order, const std::string& between, const std::string& kind) {
  std::string text = "define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q) {\n";
  for (int i = 0; i < 4; ++i) {
    const std::string n = std::to_string(i);
    text += "  %a" + n + " = getelementptr i8, ptr addrspace(1) %p, i64 " + std::to_string(order[i]) + "\n";
    if (i == 3) text += between;
    text += "  %b" + n + " = load " + (i == 3 ? kind : "") + " i8, ptr addrspace(1) %a" + n + "\n  %z" + n +
            " = zext i8 %b" + n + " to i32\n  %s" + n + " = shl i32 %z" + n + ", " + std::to_string(8 * i) +
            "\n";
  }
  return text +
         "  %x = or i32 %s0, %s1\n  %y = or i32 %s3, %s2\n  %w = or i32 %y, %x\n"
         "  store i32 %w, ptr addrspace(1) %q\n  ret void\n}\n";
}

size_t loads_of(const std::string& module, const std::string& type) {
  size_t count = 0;
  for (size_t at = 0; (at = module.find(type, at)) != std::string::npos; ++at) ++count;
  return count;
}

TEST(CompilerApi, AnIntegerOfNeighbouringBytesIsOneLoad) {
  struct Row {
    const char* what;
    std::array<int, 4> order;
    std::string between, kind;
    size_t bytes, words;  // loads; the lower two bytes may be one of 16 bits
  };
  const std::string other = "  store i8 7, ptr addrspace(1) %q\n";
  const std::string group = "  store i8 7, ptr addrspace(3) @g\n";
  const Row rows[] = {
      {"in order", {0, 1, 2, 3}, "", "", 0, 1},
      {"behind the base", {-5, -4, -3, -2}, "", "", 0, 1},
      {"a store to another segment", {0, 1, 2, 3}, group, "", 0, 1},
      {"highest first", {3, 2, 1, 0}, "", "", 4, 0},
      {"a gap", {0, 1, 2, 4}, "", "", 2, 0},
      {"one byte twice", {0, 1, 1, 2}, "", "", 3, 0},
      {"a store that may change a byte", {0, 1, 2, 3}, other, "", 2, 0},
      {"a barrier", {0, 1, 2, 3}, "  call void @llvm.amdgcn.s.barrier()\n", "", 2, 0},
  };
  for (const Row& row : rows) {
    const auto result = compile({source(("@g = internal addrspace(3) global i8 poison\n"
                                         "declare void @llvm.amdgcn.s.barrier()\n" +
                                         four_bytes(row.order, row.between, row.kind))
                                            .c_str(),
                                        "k.ll")},
                                {"-O2"});
    ASSERT_EQ(result.status, HSAIL_COMPILE_OK) << row.what << result.displays();
    EXPECT_EQ(loads_of(result.module, "ld_global_u8"), row.bytes) << row.what << result.module;
    EXPECT_EQ(loads_of(result.module, "ld_global_u32"), row.words) << row.what << result.module;
  }
}

// The accesses that a program asks for stay as they are.
TEST(CompilerApi, VolatileBytesStayApart) {
  const auto result = compile({source(four_bytes({0, 1, 2, 3}, "", "volatile").c_str(), "k.ll")}, {"-O2"});
  ASSERT_EQ(result.status, HSAIL_COMPILE_OK) << result.displays();
  EXPECT_EQ(loads_of(result.module, "ld_global_u32"), 0U) << result.module;
  EXPECT_EQ(loads_of(result.module, "atomic_ld_global_rlx_system_b32"), 1U) << result.module;
}

TEST(CompilerApi, ClocksOfTheTarget) {
  const char* text =
      "define amdgpu_kernel void @k(ptr addrspace(1) %p) {\n"
      "  %a = call i64 @llvm.amdgcn.s.memtime()\n  store volatile i64 %a, ptr addrspace(1) %p\n"
      "  %b = call i64 @llvm.amdgcn.s.memrealtime()\n  store volatile i64 %b, ptr addrspace(1) %p\n"
      "  ret void\n}\n"
      "declare i64 @llvm.amdgcn.s.memtime()\ndeclare i64 @llvm.amdgcn.s.memrealtime()\n";
  const auto result = compile({source(text, "k.ll")});
  ASSERT_EQ(result.status, HSAIL_COMPILE_OK) << result.displays();
  const size_t first = result.module.find("clock_u64");
  ASSERT_NE(first, std::string::npos) << result.module;
  EXPECT_NE(result.module.find("clock_u64", first + 1), std::string::npos) << result.module;
}

// The function that makes room for printf is in the device library, which such a kernel needs for nothing
// else.
TEST(CompilerApi, PrintfAlone) {
  const auto result = compile({source("kernel void k(int x) { printf(\"%d\", x); }")}, {"-cl-std=CL1.2"});
  ASSERT_EQ(result.status, HSAIL_COMPILE_OK) << result.displays();
  EXPECT_NE(result.module.find("&__heddle_printf_buffer"), std::string::npos);
  EXPECT_EQ(result.module.find("decl "), std::string::npos) << "a function without a definition";
}

// The reciprocals that headers of HIP expect of clang.
TEST(CompilerApi, ReciprocalsOfHalf) {
  const char* text =
      "typedef _Float16 __2f16 __attribute__((ext_vector_type(2)));\n"
      "__attribute__((global)) void k(_Float16* one, __2f16* two) {\n"
      "  *one = __llvm_amdgcn_rcp_f16(*one);\n  *two = __llvm_amdgcn_rcp_2f16(*two);\n}\n";
  const auto result = compile({source(text, "k.hip")}, {"-nogpuinc"});
  ASSERT_EQ(result.status, HSAIL_COMPILE_OK) << result.displays();
  EXPECT_NE(result.module.find("div_f16"), std::string::npos) << result.module;
}

TEST(CompilerApi, IrAsText) {
  const char* text =
      "define amdgpu_kernel void @k(ptr addrspace(1) %p) {\n  store i32 1, ptr addrspace(1) %p\n  ret "
      "void\n}\n";
  const auto result = compile({source(text, "k.ll")});
  ASSERT_EQ(result.status, HSAIL_COMPILE_OK) << result.displays();
  EXPECT_NE(result.module.find("kernel &k("), std::string::npos);
}

TEST(CompilerApi, WrongIr) {
  const auto syntax = compile({source("define amdgpu_kernel void @k() {\n  wrong\n}\n", "k.ll")});
  EXPECT_EQ(syntax.status, HSAIL_COMPILE_FAILED);
  ASSERT_EQ(syntax.messages.size(), 1U);
  EXPECT_EQ(syntax.messages[0].file, "k.ll");
  EXPECT_EQ(syntax.messages[0].line, 2U);
  EXPECT_NE(syntax.messages[0].display.find('^'), std::string::npos);

  const auto target = compile({source("target triple = \"x86_64-unknown-linux-gnu\"\n", "k.ll")});
  EXPECT_EQ(target.status, HSAIL_COMPILE_FAILED);
  EXPECT_NE(target.displays().find("the module is for x86_64-unknown-linux-gnu"), std::string::npos);

  const auto layout = compile({source("target datalayout = \"e-p:32:32\"\n", "k.ll")});
  EXPECT_EQ(layout.status, HSAIL_COMPILE_FAILED);
  EXPECT_NE(layout.displays().find("another data layout"), std::string::npos);

  const auto malformed = compile({source("define amdgpu_kernel i32 @k() {\n  ret i32 0\n}\n", "k.ll")});
  EXPECT_EQ(malformed.status, HSAIL_COMPILE_FAILED);
  EXPECT_NE(malformed.displays().find("malformed"), std::string::npos) << malformed.displays();

  const auto binary = compile({{"k.bc",
                                "\x7f"
                                "ELF\0\1\2",
                                7, HSAIL_LANGUAGE_BY_NAME}});
  EXPECT_EQ(binary.status, HSAIL_COMPILE_FAILED);
  EXPECT_EQ(binary.displays(), "k.bc: error: this is neither bitcode of LLVM nor text\n");

  EXPECT_EQ(compile({source("", "k.bc")}).status, HSAIL_COMPILE_OK) << "text without a function";
  for (const char* bytes : {"BC", "BC\xC0\xDE", "BC\xC0\xDE\x35\x14\x01\x01\x05\x01\x01\x01"}) {
    const auto damaged = compile({source(bytes, "k.bc")});
    EXPECT_EQ(damaged.status, HSAIL_COMPILE_FAILED) << bytes;
    ASSERT_EQ(damaged.messages.size(), 1U) << bytes;
    EXPECT_EQ(damaged.messages[0].file, "k.bc");
    EXPECT_FALSE(damaged.messages[0].text.empty());
  }
}

// LLVM's parser calls itself for each bracket. Brackets in strings and comments are none.
TEST(CompilerApi, BracketsOfIrNestAsDeepAsTheStackAllows) {
  const auto module = [](size_t depth) {
    std::string text =
        "; " + std::string(5000, '(') + "\n@\"" + std::string(5000, '[') + "\" = addrspace(1) global ";
    for (size_t i = 0; i < depth; ++i) text += "[1 x ";
    return text + "i32" + std::string(depth, ']') + " zeroinitializer\n";
  };
  const auto sensible = compile({source(module(250).c_str(), "k.ll")});
  EXPECT_EQ(sensible.status, HSAIL_COMPILE_OK) << sensible.displays();
  const auto deep = compile({source(module(200000).c_str(), "k.ll")});
  EXPECT_EQ(deep.status, HSAIL_COMPILE_FAILED);
  EXPECT_EQ(deep.displays(), "k.ll: error: brackets nest too deeply\n");
}

TEST(CompilerApi, SeveralSourcesAreLinked) {
  const char* caller = "int twice(int x);\nkernel void k(global int* p) { *p = twice(*p); }";
  const char* callee =
      "int twice(int x) { return 2 * x; }\nkernel void other(global int* p) { *p = twice(3); }";
  const auto result = compile({source(caller, "a.cl"), source(callee, "b.cl")});
  ASSERT_EQ(result.status, HSAIL_COMPILE_OK) << result.displays();
  EXPECT_NE(result.module.find("kernel &k("), std::string::npos);
  EXPECT_NE(result.module.find("kernel &other("), std::string::npos);
  EXPECT_EQ(result.module.find("&twice"), std::string::npos)
      << "a function that nothing needs is not exported";
}

TEST(CompilerApi, EverySourceReportsItsMistakes) {
  const auto result =
      compile({source("kernel void a() { x; }", "a.cl"), source("kernel void b() { y; }", "b.cl")});
  EXPECT_EQ(result.status, HSAIL_COMPILE_FAILED);
  ASSERT_EQ(result.messages.size(), 2U);
  EXPECT_EQ(result.messages[0].file, "a.cl");
  EXPECT_EQ(result.messages[1].file, "b.cl");
}

TEST(CompilerApi, DefinitionsThatClash) {
  const auto result = compile({source("\nkernel void same(global int* p) { *p = 1; }", "a.cl"),
                               source("kernel void same(global int* p) { *p = 2; }", "b.cl")});
  EXPECT_EQ(result.status, HSAIL_COMPILE_FAILED);
  ASSERT_EQ(result.messages.size(), 2U) << result.displays();
  EXPECT_EQ(result.messages[0].text, "'same' is defined twice");
  EXPECT_EQ(result.messages[0].file, "b.cl");
  EXPECT_EQ(result.messages[1].file, "a.cl");
  EXPECT_EQ(result.messages[1].line, 2U);
}

TEST(CompilerApi, FunctionsThatNobodyDefines) {
  const auto result =
      compile({source("void helper(int x);\nkernel void k(global int* p) {\n  helper(*p);\n}\n")});
  EXPECT_EQ(result.status, HSAIL_COMPILE_FAILED);
  ASSERT_GE(result.messages.size(), 1U);
  EXPECT_EQ(result.messages[0].text, "the function 'helper' is not defined (called in 'k')");
  EXPECT_EQ(result.messages[0].line, 3U);
  EXPECT_EQ(result.messages[0].column, 3U);
}

TEST(CompilerApi, FunctionsThatNothingUsesNeedNoDefinition) {
  const char* text =
      "void missing(int x);\nvoid unused(int x) { missing(x); }\nkernel void k(global int* p) { *p = 1; }";
  const auto result = compile({source(text)});
  EXPECT_EQ(result.status, HSAIL_COMPILE_OK) << result.displays();
}

TEST(CompilerApi, ClangIsNotInstalled) {
  {
    const Setting none("HEDDLE_CLANG", "/nonexistent/clang");
    const auto result = compile({source(copy_kernel)});
    EXPECT_EQ(result.status, HSAIL_COMPILE_NOT_INSTALLED);
    EXPECT_NE(result.displays().find("HEDDLE_CLANG names /nonexistent/clang"), std::string::npos);
    EXPECT_EQ(compile({source("define amdgpu_kernel void @k() {\n  ret void\n}\n", "k.ll")}).status,
              HSAIL_COMPILE_OK)
        << "IR needs no clang";
  }
  const Setting other("HEDDLE_CLANG", "/bin/true");
  const auto result = compile({source(copy_kernel)});
  EXPECT_EQ(result.status, HSAIL_COMPILE_NOT_INSTALLED);
  EXPECT_NE(result.displays().find("is not clang 22"), std::string::npos);
}

TEST(CompilerApi, ClangEndsByASignal) {
  const Folder folder;
  const std::string program = folder.write("clang", "#!/bin/sh\nkill -SEGV $$\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const Setting setting("HEDDLE_CLANG", program.c_str());
  const auto result = compile({source(copy_kernel)});
  EXPECT_EQ(result.status, HSAIL_COMPILE_FAILED);
  EXPECT_NE(result.displays().find("was ended by signal 11 (Segmentation fault)"), std::string::npos)
      << result.displays();
}

TEST(CompilerApi, LibclcIsNeededOnlyForItsFunctions) {
  const Setting none("HEDDLE_LIBCLC", "/nonexistent/libclc.bc");
  const char* plain = "kernel void k(global int* p) { *p += 1; }";
  EXPECT_EQ(compile({source(plain)}).status, HSAIL_COMPILE_OK);
  const char* error_function = "kernel void k(global float* p) {\n  *p = erf(*p);\n}\n";
  const auto result = compile({source(error_function)});
  EXPECT_EQ(result.status, HSAIL_COMPILE_NOT_INSTALLED);
  EXPECT_NE(result.displays().find("test.cl:2:8: error: the function 'erf(float)' is not defined"),
            std::string::npos)
      << result.displays();
  EXPECT_NE(result.displays().find("install the Debian package libclc-22"), std::string::npos);
}

TEST(CompilerApi, LibclcIsDamaged) {
  const Folder folder;
  const std::string file = folder.write("libclc.bc", "damaged");
  const Setting setting("HEDDLE_LIBCLC", file.c_str());
  const auto result = compile({source("kernel void k(global float* p) { *p = cospi(*p); }")});
  EXPECT_EQ(result.status, HSAIL_COMPILE_FAILED);
  EXPECT_NE(result.displays().find(file + ": error: the library cannot be read"), std::string::npos)
      << result.displays();
}

TEST(CompilerApi, SaveTemps) {
  const Folder folder;
  const std::string option = "-save-temps=" + (folder.path / "kept").string();
  ASSERT_EQ(compile({source(copy_kernel)}, {option.c_str()}).status, HSAIL_COMPILE_OK);
  for (const char* end : {".bc", ".opt.ll", ".hsail", ".brig"})
    EXPECT_GT(std::filesystem::file_size((folder.path / "kept").string() + end), 0U) << end;
  const std::string kept = (folder.path / "kept.bc").string();
  EXPECT_EQ(compile({{kept.c_str(), nullptr, 0, HSAIL_LANGUAGE_BY_NAME}}).status, HSAIL_COMPILE_OK)
      << "the linked bitcode is an input, too";
  const auto result = compile({source(copy_kernel)}, {"-save-temps=/nonexistent/folder/kept"});
  EXPECT_EQ(result.status, HSAIL_COMPILE_OUT_OF_RESOURCES);
  EXPECT_NE(result.displays().find("/nonexistent/folder/kept.bc: error: the file cannot be written"),
            std::string::npos);
}

TEST(CompilerApi, SaveTempsSparesTheSources) {
  const Folder folder;
  const std::string text = "define amdgpu_kernel void @k() {\n  ret void\n}\n";
  for (const char* name : {"module.bc", "module.opt.ll"}) {
    const std::string path = folder.write(name, text);
    const std::string option = "-save-temps=" + (folder.path / "module").string();
    const auto result = compile({{path.c_str(), nullptr, 0, HSAIL_LANGUAGE_IR}}, {option.c_str()});
    EXPECT_EQ(result.status, HSAIL_COMPILE_INVALID_ARGUMENT) << name;
    EXPECT_NE(result.displays().find("which is a source"), std::string::npos) << result.displays();
    std::ifstream file(path);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), text) << name;
    std::filesystem::remove(path);
  }
}

TEST(CompilerApi, FilesThatCannotBeRead) {
  for (const char* name : {"/nonexistent/k.cl", "/nonexistent/k.ll", "/nonexistent/k.hip", "/tmp/"}) {
    const auto result = compile({{name, nullptr, 0, HSAIL_LANGUAGE_OPENCL}});
    EXPECT_EQ(result.status, HSAIL_COMPILE_FAILED) << name;
    EXPECT_FALSE(result.messages.empty()) << name;
  }
}

TEST(CompilerApi, NamesLikeOptions) {
  const Folder folder;
  folder.write("-E.cl", copy_kernel);
  folder.write("@E.cl", copy_kernel);
  const auto here = std::filesystem::current_path();
  std::filesystem::current_path(folder.path);
  const auto option = compile({{"-E.cl", nullptr, 0, HSAIL_LANGUAGE_BY_NAME}});
  const auto response = compile({{"@E.cl", nullptr, 0, HSAIL_LANGUAGE_BY_NAME}});
  std::filesystem::current_path(here);
  EXPECT_EQ(option.status, HSAIL_COMPILE_OK) << option.displays();
  EXPECT_EQ(response.status, HSAIL_COMPILE_OK) << response.displays();
}

TEST(CompilerApi, NeedsNoTemporaryFolder) {
  const Setting none("TMPDIR", "/nonexistent");
  EXPECT_EQ(compile({source(copy_kernel)}).status, HSAIL_COMPILE_OK);
}

TEST(CompilerApi, VerboseNamesTheCommand) {
  const auto result = compile({source(copy_kernel)}, {"-v", "-DTEXT='a b'"});
  ASSERT_EQ(result.messages.size(), 1U);
  EXPECT_EQ(result.messages[0].severity, HSAIL_SEVERITY_NOTE);
  EXPECT_NE(result.messages[0].text.find("amdgcn-amd-amdhsa"), std::string::npos);
  EXPECT_NE(result.messages[0].text.find(R"('-DTEXT='\''a b'\''')"), std::string::npos)
      << result.messages[0].text;
}

TEST(CompilerApi, ThreadsGetTheirOwnModules) {
  std::vector<std::thread> threads;
  std::vector<std::string> modules(8);
  for (size_t i = 0; i < modules.size(); ++i)
    threads.emplace_back([i, &modules] {
      const std::string text =
          "kernel void kernel" + std::to_string(i % 4) + "(global float* p) { *p = sin(*p) + 1000; }";
      const std::string wrong = "kernel void k() { wrong" + std::to_string(i) + "; }";
      const auto result = compile({source(text.c_str())});
      EXPECT_EQ(result.status, HSAIL_COMPILE_OK) << result.displays();
      modules[i] = result.module;
      const auto failed = compile({source(wrong.c_str())});
      EXPECT_NE(failed.displays().find("'wrong" + std::to_string(i) + "'"), std::string::npos);
    });
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(modules[i], modules[i + 4]) << "the same source gives the same module";
    EXPECT_NE(modules[i].find("kernel &kernel" + std::to_string(i) + "("), std::string::npos);
  }
}

// A callback may use the library, for example to compile what a message asks for.
TEST(CompilerApi, CallbacksMayCompile) {
  struct Inner {
    unsigned calls = 0;
    hsail_compile_status status = HSAIL_COMPILE_FAILED;
  } inner;
  const auto compile_again = [](const hsail_message*, void* data) {
    auto& seen = *static_cast<Inner*>(data);
    if (seen.calls++ == 0) seen.status = compile({source(copy_kernel)}).status;
  };
  const hsail_source wrong = source("kernel void k() { wrong; }");
  hsail_blob module{};
  EXPECT_EQ(hsail_compile(&wrong, 1, nullptr, 0, HSAIL_MODULE_BRIG, &module, compile_again, &inner),
            HSAIL_COMPILE_FAILED);
  EXPECT_EQ(inner.calls, 1U);
  EXPECT_EQ(inner.status, HSAIL_COMPILE_OK);
}

TEST(CompilerApi, LeavesNoFilesOpen) {
  const auto open_files = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                         std::filesystem::directory_iterator());
  };
  compile({source(copy_kernel)});
  const auto before = open_files();
  for (int i = 0; i < 3; ++i) {
    compile({source(copy_kernel)});
    compile({source("wrong")});
    compile({source("wrong", "k.ll")});
  }
  EXPECT_EQ(open_files(), before);
}

TEST(CompilerApi, NamesOfSymbolsAreTold) {
  const char* text =
      "template <typename T> __attribute__((global)) void add(T* x) { *x += 1; }\n"
      "extern \"C\" __attribute__((device, used)) auto const __hsail_symbol_first = add<double>;\n";
  const Result result = compile({source(text, "test.hip", HSAIL_LANGUAGE_HIP)}, {"-nogpuinc"});
  ASSERT_EQ(result.status, HSAIL_COMPILE_OK) << result.displays();
  ASSERT_EQ(result.messages.size(), 1U) << result.displays();
  EXPECT_EQ(result.messages[0].text, "__hsail_symbol_first is _Z3addIdEvPT_");
  EXPECT_EQ(result.messages[0].severity, HSAIL_SEVERITY_NOTE);
  EXPECT_NE(result.module.find("kernel &_Z3addIdEvPT_"), std::string::npos);
  EXPECT_EQ(result.module.find("__hsail_symbol_"), std::string::npos);
}

TEST(CompilerApi, BitcodeIsASourceOfLaterCalls) {
  const Result part = compile({source("int twice(int x) { return 2 * x; }\n")}, {}, HSAIL_MODULE_BITCODE);
  ASSERT_EQ(part.status, HSAIL_COMPILE_OK) << part.displays();
  EXPECT_EQ(part.module.substr(0, 2), "BC");
  const hsail_source bitcode{"part.bc", part.module.data(), part.module.size(), HSAIL_LANGUAGE_IR};
  const char* caller = "int twice(int x);\nkernel void use(global int* x) { *x = twice(*x); }\n";
  const Result whole = compile({source(caller), bitcode});
  ASSERT_EQ(whole.status, HSAIL_COMPILE_OK) << whole.displays();
  EXPECT_NE(whole.module.find("kernel &use"), std::string::npos);
  EXPECT_EQ(compile({source(caller)}).status, HSAIL_COMPILE_FAILED);
}

}  // namespace
