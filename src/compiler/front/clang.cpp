// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/front/clang.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "compiler/front/process.h"
#include "devlib/opencl/library.h"
#include "support/clang_installation.h"

namespace heddle::compiler {
namespace {

/// What clang is told for every source. LLVM's passes run after linking, over everything at once; those that
/// clang would run first are made for AMD's processors. Places and names are kept for messages, with or
/// without -g.
constexpr const char* common_words[] = {
    "-nogpulib",          "-fno-crash-diagnostics",  "-Xclang", "-disable-llvm-passes",
    "-gline-tables-only", "-fno-discard-value-names"};
constexpr const char* opencl_words[] = {"-x", "cl", "-target", "amdgcn-amd-amdhsa"};
// gfx1030 has waves of 32 work-items, as the agents offer them.
constexpr const char* hip_words[] = {"-x",
                                     "hip",
                                     "--offload-device-only",
                                     "--offload-arch=gfx1030",
                                     "-D__HIP_PLATFORM_AMD__",
                                     "-D__AMDGCN_WAVEFRONT_SIZE=32",
                                     "-mprintf-kind=buffered"};

// Headers of HIP before ROCm 6 call functions that headers of clang declared before version 20.
constexpr const char* old_hip_words[] = {"-D__llvm_amdgcn_rcp_f16(x)=((_Float16)1/static_cast<_Float16>(x))",
                                         "-D__llvm_amdgcn_rcp_2f16(x)=((_Float16)1/static_cast<__2f16>(x))"};

Outcome<std::string> find_clang(const Messages& messages) {
  const char* setting = secure_getenv("HEDDLE_CLANG");
  if (setting != nullptr && *setting != '\0') {
    if (access(setting, X_OK) == 0) return std::string(setting);
    messages.error(std::string("HEDDLE_CLANG names ") + setting +
                   ", which cannot be executed: " + std::strerror(errno));
    return Failure::not_installed;
  }
  std::string found = installed_clang();
  if (!found.empty()) return found;
  messages.error(std::string("clang 22 is not installed (neither clang-22 in PATH nor ") + debian_clang +
                 "): install the Debian package clang-22, or set HEDDLE_CLANG to the program");
  return Failure::not_installed;
}

/// Returns words that tell clang where the headers of HIP are, if no option and no environment variable does.
std::vector<std::string> hip_header_words(const Options& options) {
  if (options.hip_headers || std::getenv("ROCM_PATH") != nullptr || std::getenv("HIP_PATH") != nullptr)
    return {};
  const std::string folder = installed_hip_headers(reinterpret_cast<const void*>(&run_clang));
  return {folder.empty() ? "-nogpuinc" : "--rocm-path=" + folder};
}

std::vector<std::string> command_line(const std::string& clang, const Source& source,
                                      const Options& options) {
  std::vector<std::string> words{clang};
  if (source.language == Language::opencl) {
    words.insert(words.end(), std::begin(opencl_words), std::end(opencl_words));
    words.insert(words.end(), {"-Xclang", "-cl-ext=" + std::string(devlib::opencl_extensions())});
  } else {
    words.insert(words.end(), std::begin(hip_words), std::end(hip_words));
    words.insert(words.end(), std::begin(old_hip_words), std::end(old_hip_words));
    for (std::string& word : hip_header_words(options)) words.push_back(std::move(word));
  }
  words.insert(words.end(), std::begin(common_words), std::end(common_words));
  words.push_back(std::string("-O") + static_cast<char>(options.level));
  words.insert(words.end(), options.clang.begin(), options.clang.end());
  words.insert(words.end(), {"-emit-llvm", "-c", "-o", "-"});
  // A name may begin like an option or, with '@', like a file with options.
  const bool odd = source.name.starts_with('-') || source.name.starts_with('@');
  words.push_back(source.text ? "-" : (odd ? "./" : "") + source.name);
  return words;
}

/// Returns a word as a shell reads it.
std::string quoted(const std::string& word) {
  const auto harmless = [](unsigned char c) {
    return std::isalnum(c) != 0 || std::strchr("-_=./,+:@%", c) != nullptr;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), harmless)) return word;
  std::string result = "'";
  for (const char c : word)
    if (c == '\'')
      result += "'\\''";
    else
      result += c;
  return result + "'";
}

/// Returns the text as clang reads it from standard input, under its name.
std::string named_text(const Source& source) {
  std::string name;
  for (const char c : source.name) {
    if (c == '"' || c == '\\') name += '\\';
    name += c == '\n' ? ' ' : c;
  }
  return "# 1 \"" + name + "\"\n" + std::string(*source.text);
}

Failure report_end(const Finished& finished, const std::string& clang, const Messages& messages) {
  if (finished.end == Finished::End::killed)
    messages.error(clang + " was ended by signal " + std::to_string(finished.code) + " (" +
                   strsignal(finished.code) + ")");
  else if (finished.errors.empty())
    messages.error(clang + " failed and does not say why (exit code " + std::to_string(finished.code) + ")");
  return Failure::failed;
}

/// Says where headers of HIP come from if a source did not find one.
void explain_missing_headers(const std::vector<Message>& said, const Messages& messages) {
  const auto is_about_headers = [](const Message& message) {
    return message.text.find("'hip/") != std::string::npos &&
           message.text.find("file not found") != std::string::npos;
  };
  if (std::ranges::any_of(said, is_about_headers))
    messages.note(
        "headers of HIP are in the Debian package libamdhip64-dev; for others, say --rocm-path=FOLDER");
}

}  // namespace

Outcome<std::string> run_clang(const Source& source, const Options& options, const Messages& messages) {
  const auto clang = find_clang(messages);
  if (!clang) return clang.error();
  const std::vector<std::string> words = command_line(*clang, source, options);
  if (options.verbose) {
    std::string line = "running";
    for (const std::string& word : words) line += " " + quoted(word);
    messages.note(line);
  }
  auto finished = run_process(words, source.text ? named_text(source) : std::string());
  if (!finished) {
    messages.error(finished.error().message);
    return finished.error().not_executable ? Failure::not_installed : Failure::out_of_resources;
  }
  const bool failed = finished->end == Finished::End::unknown
                          ? finished->output.empty()
                          : finished->end != Finished::End::exited || finished->code != 0;
  const std::vector<Message> said = split_clang_output(finished->errors, failed);
  for (const Message& message : said) messages.pass(message);
  if (failed) explain_missing_headers(said, messages);
  if (failed) return report_end(*finished, *clang, messages);
  return std::move(finished->output);
}

}  // namespace heddle::compiler
