// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "console.h"
#include "files.h"
#include "support/printable.h"
#include "support/versioned_library.h"

namespace heddle::tools {
namespace {

constexpr std::string_view source_endings[] = {".cl", ".clcpp", ".hip", ".cu", ".ll", ".bc"};

constexpr VersionedLibrary compiler_library{"HEDDLE_COMPILER",          "libheddle-compiler.so",
                                            HSAIL_COMPILER_API_VERSION, "hsail_compiler_api_version",
                                            "heddle-compiler",          "the compiler"};

using CompileFunction = decltype(&::hsail_compile);

Result<CompileFunction> open_compiler() {
  auto library = open_library(compiler_library, reinterpret_cast<const void*>(&hsail_api_version));
  if (!library) return library.error();
  return reinterpret_cast<CompileFunction>(dlsym(*library, "hsail_compile"));
}

const char* status_text(hsail_compile_status status) {
  switch (status) {
    case HSAIL_COMPILE_OK:
      return "no error";
    case HSAIL_COMPILE_INVALID_ARGUMENT:
      return "the compiler does not take this input";
    case HSAIL_COMPILE_INVALID_OPTION:
      return "an option of the compiler is wrong";
    case HSAIL_COMPILE_FAILED:
      return "the source does not compile";
    case HSAIL_COMPILE_NOT_INSTALLED:
      return "something that the compiler needs is not installed";
    case HSAIL_COMPILE_OUT_OF_RESOURCES:
      return "out of memory or another resource";
  }
  return "unknown error";
}

/// Prints a message; colours in it are those that were asked for.
void show(const hsail_message* message, void* coloured) {
  const bool keep = *static_cast<const bool*>(coloured);
  fmt::print(stderr, "{}", keep ? std::string(message->display) : printable(message->display));
}

/// The sources as the library takes them, with the text of standard input.
class Sources {
 public:
  Result<void> add(const SourceFile& file) {
    if (file.path == "-") {
      auto bytes = read_file("-");
      if (!bytes) return bytes.error();
      input_ = std::move(*bytes);
      // The address must not be null, because then the library would look for a file.
      if (input_.empty()) input_.push_back(std::byte('\n'));
      list_.push_back({"<stdin>", input_.data(), input_.size(), file.language});
    } else {
      list_.push_back({file.path.c_str(), nullptr, 0, file.language});
    }
    return {};
  }
  const std::vector<hsail_source>& list() const { return list_; }

 private:
  std::vector<std::byte> input_;
  std::vector<hsail_source> list_;
};

std::string names_of(const std::vector<SourceFile>& files) {
  std::string names;
  for (const SourceFile& file : files) names += (names.empty() ? "" : ", ") + file.path;
  return names;
}

}  // namespace

bool is_source(std::string_view path) {
  return std::ranges::any_of(source_endings,
                             [path](std::string_view ending) { return path.ends_with(ending); });
}

Result<Blob, CompileFailure> compile(const std::vector<SourceFile>& files, std::vector<std::string> words,
                                     hsail_module_form form) {
  const auto function = open_compiler();
  if (!function) return CompileFailure{HSAIL_COMPILE_NOT_INSTALLED, function.error().message};
  Sources sources;
  for (const SourceFile& file : files) {
    auto added = sources.add(file);
    if (!added) return CompileFailure{HSAIL_COMPILE_FAILED, added.error().message};
  }
  bool coloured = shows_colours(2);
  if (coloured) words.insert(words.begin(), "-fcolor-diagnostics");
  std::vector<const char*> options;
  options.reserve(words.size());
  for (const std::string& word : words) options.push_back(word.c_str());
  Progress progress("compiling " + names_of(files));
  Blob module;
  const auto status = (*function)(sources.list().data(), sources.list().size(), options.data(),
                                  options.size(), form, module.out(), show, &coloured);
  if (status == HSAIL_COMPILE_OK) return module;
  return CompileFailure{status, fmt::format("{}: {}", names_of(files), status_text(status))};
}

}  // namespace heddle::tools
