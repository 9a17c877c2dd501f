// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Implements the C API (hsail/compiler.h): checks arguments, lets no exception escape and passes messages on.
#include <hsail/compiler.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "compiler/front/compile.h"
#include "support/call_guard.h"

namespace {

using namespace heddle::compiler;
using heddle::Severity;

hsail_severity severity_of(Severity severity) {
  switch (severity) {
    case Severity::note:
      return HSAIL_SEVERITY_NOTE;
    case Severity::warning:
      return HSAIL_SEVERITY_WARNING;
    case Severity::error:
      return HSAIL_SEVERITY_ERROR;
  }
  return HSAIL_SEVERITY_ERROR;
}

hsail_compile_status status_of(Failure failure) {
  switch (failure) {
    case Failure::invalid_argument:
      return HSAIL_COMPILE_INVALID_ARGUMENT;
    case Failure::invalid_option:
      return HSAIL_COMPILE_INVALID_OPTION;
    case Failure::failed:
      return HSAIL_COMPILE_FAILED;
    case Failure::not_installed:
      return HSAIL_COMPILE_NOT_INSTALLED;
    case Failure::out_of_resources:
      return HSAIL_COMPILE_OUT_OF_RESOURCES;
  }
  return HSAIL_COMPILE_FAILED;
}

Outcome<Language> language_of(const hsail_source& source, const Messages& messages) {
  constexpr Language languages[] = {Language::opencl, Language::hip, Language::ir};
  if (source.language != HSAIL_LANGUAGE_BY_NAME) {
    const auto index = static_cast<size_t>(source.language) - 1;
    if (index < std::size(languages)) return languages[index];
    messages.error("there is no language with the number " + std::to_string(source.language), {source.name});
    return Failure::invalid_argument;
  }
  if (const auto language = heddle::compiler::language_of(source.name)) return *language;
  messages.error("the name does not tell the language: it ends in none of .cl .clcpp .hip .cu .ll .bc",
                 {source.name});
  return Failure::invalid_argument;
}

Outcome<std::vector<Source>> sources_of(const hsail_source* sources, size_t count, const Messages& messages) {
  std::vector<Source> result;
  for (size_t i = 0; i < count; ++i) {
    if (sources[i].name == nullptr) return Failure::invalid_argument;
    const auto language = language_of(sources[i], messages);
    if (!language) return language.error();
    Source source{sources[i].name, std::nullopt, *language};
    if (sources[i].data != nullptr)
      source.text = std::string_view(static_cast<const char*>(sources[i].data), sources[i].size);
    result.push_back(std::move(source));
  }
  return result;
}

Outcome<Options> options_of(const char* const* options, size_t count, Messages& messages) {
  std::vector<std::string> words;
  for (size_t i = 0; i < count; ++i) {
    if (options[i] == nullptr) return Failure::invalid_argument;
    words.emplace_back(options[i]);
  }
  auto result = parse_options(words);
  if (!result) {
    messages.error(result.error().message);
    return Failure::invalid_option;
  }
  messages.set_colour(result->colour);
  return std::move(*result);
}

hsail_compile_status give(const std::string& bytes, hsail_blob* blob) {
  void* const copy = std::malloc(bytes.empty() ? 1 : bytes.size());
  if (copy == nullptr) return HSAIL_COMPILE_OUT_OF_RESOURCES;
  std::copy_n(bytes.data(), bytes.size(), static_cast<char*>(copy));
  *blob = {copy, bytes.size()};
  return HSAIL_COMPILE_OK;
}

/// Lets no exception escape: lack of memory becomes a status, any other exception a message.
template <typename Run>
hsail_compile_status guarded(const Messages& messages, Run&& run) noexcept {
  return heddle::guarded_call(HSAIL_COMPILE_OUT_OF_RESOURCES, std::forward<Run>(run), [&](const char* what) {
    messages.error(std::string("the compiler ended with an exception: ") + what);
    return HSAIL_COMPILE_FAILED;
  });
}

}  // namespace

extern "C" {

uint32_t hsail_compiler_api_version(void) { return HSAIL_COMPILER_API_VERSION; }

hsail_compile_status hsail_compile(const hsail_source* sources, size_t source_count,
                                   const char* const* options, size_t option_count, hsail_module_form form,
                                   hsail_blob* module, hsail_message_callback callback, void* data) {
  if (sources == nullptr || source_count == 0 || module == nullptr ||
      (options == nullptr && option_count != 0) || static_cast<unsigned>(form) > HSAIL_MODULE_BITCODE)
    return HSAIL_COMPILE_INVALID_ARGUMENT;
  Messages messages([callback, data](const Message& message) {
    if (callback == nullptr) return;
    const hsail_message passed{
        severity_of(message.severity), message.file.c_str(),   message.line, message.column,
        message.text.c_str(),          message.display.c_str()};
    callback(&passed, data);
  });
  return guarded(messages, [&] {
    const auto read = options_of(options, option_count, messages);
    if (!read) return status_of(read.error());
    const auto inputs = sources_of(sources, source_count, messages);
    if (!inputs) return status_of(inputs.error());
    if (form == HSAIL_MODULE_BITCODE) {
      const auto bitcode = compile_to_bitcode(*inputs, *read, messages);
      return bitcode ? give(*bitcode, module) : status_of(bitcode.error());
    }
    const auto compiled = compile(*inputs, *read, messages);
    if (!compiled) return status_of(compiled.error());
    return give(form == HSAIL_MODULE_TEXT ? compiled->text : compiled->brig, module);
  });
}

}  // extern "C"
