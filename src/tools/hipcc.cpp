// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle hipcc: compiles and links HIP programs. The device's half of a source goes through the compiler
// library and becomes a bundle with BRIG; clang compiles the host's half, into which it takes the bundle.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "commands.h"
#include "compiler.h"
#include "console.h"
#include "files.h"
#include "hip/bundle/bundle.h"
#include "hipcc/device_parts.h"
#include "hipcc/process.h"
#include "hipcc/words.h"
#include "support/clang_installation.h"
#include "support/library_folder.h"
#include "support/temporary_folder.h"

namespace heddle::tools {
namespace {

using hipcc::Input;
using hipcc::Step;
using hipcc::Words;

// Headers of HIP before ROCm 6 call functions that headers of clang declared before version 20.
constexpr const char* host_words[] = {"--offload-host-only",
                                      "--offload-arch=gfx1030",
                                      "-nogpulib",
                                      "-D__HIP_PLATFORM_AMD__",
                                      "-D__AMDGCN_WAVEFRONT_SIZE=32",
                                      "-D__llvm_amdgcn_rcp_f16(x)=((_Float16)1/static_cast<_Float16>(x))",
                                      "-D__llvm_amdgcn_rcp_2f16(x)=((_Float16)1/static_cast<__2f16>(x))",
                                      "-Wno-unused-command-line-argument"};

int fail(const std::string& message, int code = exit_failure) {
  print_error(message);
  return code;
}

/// Returns the folder of the libraries of heddle: that of the toolchain library, as it is installed and
/// built.
std::string heddle_libraries() { return library_folder(reinterpret_cast<const void*>(&hsail_api_version)); }

/// Returns the folder that the command line or the environment names for HIP, or an empty string.
std::string named_folder(const Words& words) {
  for (const std::string& word : words.host)
    for (const std::string_view option : {"--rocm-path=", "--hip-path="})
      if (word.starts_with(option)) return word.substr(option.size());
  for (const char* variable : {"ROCM_PATH", "HIP_PATH"})
    if (const char* const value = std::getenv(variable)) return value;
  return {};
}

bool forbids_headers(const Words& words) {
  return std::ranges::find(words.host, "-nogpuinc") != words.host.end();
}

/// Returns where the headers of HIP are, unless the command line or the environment says so.
std::vector<std::string> header_words(const Words& words) {
  if (forbids_headers(words) || !named_folder(words).empty()) return {};
  const std::string folder = installed_hip_headers(reinterpret_cast<const void*>(&hsail_api_version));
  return {folder.empty() ? "-nogpuinc" : "--rocm-path=" + folder};
}

/// The same for sources in other languages, for which clang does not look for HIP.
std::vector<std::string> header_words_of_host(const Words& words) {
  std::vector<std::string> result{"-D__HIP_PLATFORM_AMD__", "-Wno-unused-command-line-argument"};
  if (forbids_headers(words)) return result;
  std::string folder = named_folder(words);
  if (folder.empty()) folder = installed_hip_headers(reinterpret_cast<const void*>(&hsail_api_version));
  if (!folder.empty()) result.insert(result.end(), {"-idirafter", folder + "/include"});
  return result;
}

/// Returns a number by which both halves of a source name what is local to it: the same for both, another for
/// other sources and other options.
std::string unit_id(const Input& input, const Words& words) {
  std::error_code failed;
  std::string key = std::filesystem::absolute(input.path, failed).string();
  for (const std::string& word : words.host) key += '\n' + word;
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : key) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

class Driver {
 public:
  Driver(Words words, TemporaryFolder folder)
      : words_(std::move(words)), folder_(std::move(folder)), clang_(hipcc::clang_program()) {}

  /// Returns the exit code.
  int run() {
    if (words_.inputs.empty()) return show_installation();
    if (words_.step == Step::device_code) return words_.only_show ? exit_success : make_device_code();
    for (size_t i = 0; i < words_.inputs.size(); ++i) {
      const Input& input = words_.inputs[i];
      if (!input.source && words_.step != Step::link) continue;  // as clang does with what is not needed
      const int code = input.source ? compile_source(input, i) : exit_success;
      if (code != exit_success) return code;
    }
    return words_.step == Step::link ? link() : exit_success;
  }

 private:
  int run_clang(std::vector<std::string> words) {
    words.insert(words.begin(), {clang_, "--driver-mode=g++"});
    if (words_.verbose) fmt::print(stderr, "{}\n", fmt::join(words, " "));
    // clang shows what it runs in its turn: build systems read the linker's command line.
    if (words_.verbose) words.emplace_back("-v");
    if (words_.only_show) words.emplace_back("-###");
    auto code = hipcc::run_program(words);
    return code ? *code : fail(code.error().message);
  }

  /// What -v and the like say without an input. CMake looks for the folder of HIP in it.
  int show_installation() {
    std::vector<std::string> command = header_words(words_);
    command.insert(command.end(), words_.host.begin(), words_.host.end());
    command.emplace_back("-Wno-unused-command-line-argument");
    return run_clang(std::move(command));
  }

  int compile_source(const Input& input, size_t index) {
    std::vector<std::string> command;
    if (input.hip) {
      const std::string id = unit_id(input, words_);
      const std::string device_code = folder_.file(fmt::format("{}.bundle", index));
      if (words_.step != Step::host_text && !words_.only_show) {
        const int code = words_.relocatable ? compile_device_part(input, id, device_code)
                                            : compile_device({&input, 1}, id, device_code);
        if (code != exit_success) return code;
      }
      command = {"-x", "hip", "-cuid=" + id};
      if (words_.relocatable) command.emplace_back("-fgpu-rdc");
      command.insert(command.end(), std::begin(host_words), std::end(host_words));
      for (std::string& word : header_words(words_)) command.push_back(std::move(word));
      if (words_.step != Step::host_text && words_.relocatable)
        command.insert(command.end(), {"-Xclang", "-fembed-offload-object=" + device_code});
      else if (words_.step != Step::host_text)
        command.insert(command.end(), {"-Xclang", "-fcuda-include-gpubinary", "-Xclang", device_code});
    } else {
      // clang would take C for C++, because it is to link the libraries of C++.
      if (!input.language.empty() || input.path.ends_with(".c"))
        command = {"-x", input.language.empty() ? "c" : input.language};
      for (std::string& word : header_words_of_host(words_)) command.push_back(std::move(word));
    }
    command.insert(command.end(), words_.host.begin(), words_.host.end());
    add_step(command, input, index);
    command.push_back(input.path);
    const int code = run_clang(std::move(command));
    return code == exit_success && words_.step == Step::link ? pretend_to_write(objects_[index]) : code;
  }

  /// If commands are only shown, makes an empty file for the steps that follow: clang refuses to show
  /// commands for inputs that are not there.
  int pretend_to_write(const std::string& file) const {
    return words_.only_show ? write_text(file, "") : exit_success;
  }

  void add_step(std::vector<std::string>& command, const Input& input, size_t index) {
    if (words_.step == Step::check) command.emplace_back("-fsyntax-only");
    if (words_.step == Step::link) {
      objects_.resize(words_.inputs.size());
      objects_[index] = folder_.file(fmt::format("{}.o", index));
      command.insert(command.end(), {"-c", "-o", objects_[index]});
    } else if (words_.step == Step::compile) {
      command.insert(command.end(), {"-c", "-o", words_.output.empty() ? object_of(input) : words_.output});
    } else if (!words_.output.empty()) {
      command.insert(command.end(), {"-o", words_.output});
    }
  }

  static std::string object_of(const Input& input) {
    return std::filesystem::path(input.path).filename().replace_extension(".o").string();
  }

  /// Compiles sources for the device; `options` follow those of the command line. Messages are printed.
  Result<Blob, int> compile_for_device(const std::vector<SourceFile>& files, std::vector<std::string> options,
                                       hsail_module_form form) {
    options.insert(options.begin(), words_.device.begin(), words_.device.end());
    if (words_.verbose) options.emplace_back("-v");
    auto module = compile(files, std::move(options), form);
    if (module) return std::move(*module);
    const bool wrong_option = module.error().status == HSAIL_COMPILE_INVALID_OPTION;
    return fail(module.error().message, wrong_option ? exit_usage : exit_failure);
  }

  /// Compiles the device's halves to one module, and writes the bundle.
  int compile_device(std::span<const Input> inputs, const std::string& id, const std::string& output) {
    std::vector<SourceFile> files;
    files.reserve(inputs.size());
    for (const Input& input : inputs) files.push_back({input.path, HSAIL_LANGUAGE_HIP});
    std::vector<std::string> options{"-cuid=" + id};
    if (words_.relocatable) options.emplace_back("-fgpu-rdc");
    return write_code(compile_for_device(files, std::move(options), HSAIL_MODULE_BRIG), output);
  }

  static int write_code(const Result<Blob, int>& module, const std::string& output) {
    if (!module) return module.error();
    const std::span<const std::byte> brig = module->bytes();
    auto written = write_file(output, hip::write_bundle({&brig, 1}));
    return written ? exit_success : fail(written.error().message);
  }

  /// Compiles a device's half that is linked later.
  int compile_device_part(const Input& input, const std::string& id, const std::string& output) {
    const auto bitcode = compile_for_device({{input.path, HSAIL_LANGUAGE_HIP}}, {"-fgpu-rdc", "-cuid=" + id},
                                            HSAIL_MODULE_BITCODE);
    if (!bitcode) return bitcode.error();
    return write_text(output, hipcc::embedded_part(bitcode->bytes()));
  }

  static int write_text(const std::string& path, const std::string& text) {
    auto written = write_file(path, std::as_bytes(std::span(text)));
    return written ? exit_success : fail(written.error().message);
  }

  /// Links the device code of units that were compiled with -fgpu-rdc, if there are any, to an object
  /// with the symbols that their host code needs. `object` receives its path.
  int link_device_parts(const std::vector<std::string>& command, std::string& object) {
    if (words_.only_show) return words_.relocatable ? assemble_device_object({}, object) : exit_success;
    hipcc::DeviceParts parts;
    std::vector<std::string> files = hipcc::named_archives(command);
    files.insert(files.begin(), command.begin(), command.end());
    for (const std::string& file : files) {
      auto added = hipcc::add_parts_of_file(file, parts);
      if (!added) return fail(added.error().message);
    }
    if (parts.binaries.empty()) return exit_success;
    std::vector<SourceFile> sources;
    for (size_t i = 0; i < parts.bitcode.size(); ++i) {
      sources.push_back({folder_.file(fmt::format("part{}.bc", i)), HSAIL_LANGUAGE_IR});
      const int code = write_text(sources.back().path, parts.bitcode[i]);
      if (code != exit_success) return code;
    }
    if (sources.empty()) return fail("objects refer to device code of -fgpu-rdc, which no input has");
    const std::string bundle = folder_.file("linked.bundle");
    const int code = write_code(compile_for_device(sources, {}, HSAIL_MODULE_BRIG), bundle);
    return code == exit_success ? assemble_device_object(hipcc::definitions_of_parts(parts, bundle), object)
                                : code;
  }

  int assemble_device_object(const std::string& definitions, std::string& object) {
    const std::string text = folder_.file("linked.s");
    object = folder_.file("linked.o");
    int code = write_text(text, definitions);
    if (code == exit_success) code = run_clang({"-c", "-o", object, text});
    return code == exit_success ? pretend_to_write(object) : code;
  }

  int make_device_code() {
    std::vector<Input> sources;
    std::ranges::copy_if(words_.inputs, std::back_inserter(sources), &Input::hip);
    if (sources.empty()) return fail("--genco needs a source", exit_usage);
    const std::string named =
        std::filesystem::path(sources.front().path).filename().replace_extension(".hsaco").string();
    return compile_device(sources, unit_id(sources.front(), words_),
                          words_.output.empty() ? named : words_.output);
  }

  int link() {
    // The library is given as -L and -l, because CMake takes nothing else for a library that the compiler
    // links by itself. The folder comes first, so that no other implementation of HIP is found, and has
    // nothing but HIP.
    const std::string folder = heddle_libraries();
    std::vector<std::string> command{"-L" + folder + "/" + hip_headers_subfolder + "/lib"};
    size_t input = 0;
    for (const std::string& word : words_.link) {
      if (!word.empty()) {
        command.push_back(word);
        continue;
      }
      const bool compiled = words_.inputs[input].source;
      command.push_back(compiled ? objects_[input] : words_.inputs[input].path);
      ++input;
    }
    std::string device_object;
    const int code = link_device_parts(command, device_object);
    if (code != exit_success) return code;
    if (!device_object.empty()) command.push_back(device_object);
    command.insert(command.end(), {"-o", words_.output.empty() ? "a.out" : words_.output, "-lamdhip64",
                                   "-Wl,-rpath," + folder, "-Wno-unused-command-line-argument"});
    return run_clang(std::move(command));
  }

  Words words_;
  TemporaryFolder folder_;
  std::string clang_;
  std::vector<std::string> objects_;  // of the sources, by the place of the input
};

int show_version() {
  fmt::print("HIP version: 5.2.21153-heddle\n");
  std::fflush(stdout);
  auto code = hipcc::run_program({hipcc::clang_program(), "--version"});
  return code ? *code : fail(code.error().message);
}

int run(const std::vector<std::string>& given) {
  auto words = hipcc::read_words(given);
  if (!words) return fail(words.error().message, exit_usage);
  if (words->version) return show_version();
  if (words->inputs.empty() && !words->verbose && !words->only_show)
    return fail("hipcc needs at least one FILE", exit_usage);
  const auto sources = std::ranges::count_if(words->inputs, &Input::source);
  if (!words->output.empty() && sources > 1 &&
      (words->step == Step::compile || words->step == Step::host_text))
    return fail("-o names one file, but there are several sources", exit_usage);
  auto folder = TemporaryFolder::create("hipcc");
  if (!folder) return fail(folder.error().message);
  return Driver(std::move(*words), std::move(*folder)).run();
}

OptionDescription described(std::vector<std::string> names, std::string value, std::string help) {
  OptionDescription option;
  option.names = std::move(names);
  option.value_name = std::move(value);
  option.help = std::move(help);
  return option;
}

std::vector<OptionDescription> options_of_hipcc() {
  OptionDescription files =
      described({}, "FILE", "HIP sources (.hip .cu .cpp .cc .cxx), C, objects and libraries");
  files.required = files.repeatable = true;
  return {files,
          described({"-o"}, "FILE", "the output, - for standard output where clang knows it"),
          described({"-c"}, "", "compile to objects, do not link"),
          described({"-S"}, "", "assembly of the host's half; -E its text after preprocessing"),
          described({"-fsyntax-only"}, "", "only check the sources"),
          described({"--genco"}, "", "device code alone, in a file for hipModuleLoad"),
          described({"-fgpu-rdc"}, "", "device code may use that of other sources; the link step links it"),
          described({"-shared"}, "", "make a shared library"),
          described({"-x"}, "LANGUAGE", "the language of the following files: hip, c++, c, none"),
          described({"-D"}, "NAME[=VALUE]",
                    "define a macro; -U NAME undefines it; -I FOLDER, -include FILE and the like work, too"),
          described({"-O"}, "LEVEL", "optimise both halves: 0, 1, 2, 3, s, z, fast"),
          described({"-l"}, "NAME", "link a library; -L FOLDER and -Wl,WORD work, too"),
          described({"--rocm-path="}, "FOLDER", "where the headers of HIP are (include/hip)"),
          described({"--offload-arch="}, "NAME", "accepted, and without effect: code is for every device"),
          described({"--version"}, "", "versions of HIP and clang"),
          described({"-v"}, "",
                    "show the commands that are run, also those of clang; without a FILE, show which clang "
                    "and HIP are installed"),
          described({"-###"}, "",
                    "say which commands would be run for the host's code and for linking, and run none")};
}

}  // namespace

void add_hipcc(CommandLine& heddle) {
  Command& command = heddle.add("hipcc", "Compile and link HIP programs");
  command.footer(
      "All other options are clang's, for the host's half and the linker.\n"
      "Example:\n"
      "  heddle hipcc -O3 vector_add.hip -o vector_add && ./vector_add\n"
      "Exit codes: 0 success; 1 a source is wrong, or something is not installed; 2 the command line is "
      "wrong; "
      "otherwise clang's.");
  command.reads_words(options_of_hipcc(), run);
}

}  // namespace heddle::tools
