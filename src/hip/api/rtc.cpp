// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// hipRTC. It needs no device, so its functions do not start the runtime, and it has results of its own.
#include <algorithm>
#include <cstring>

#include "functions.h"
#include "hip/core/handles.h"
#include "hip/core/observe.h"
#include "hip/core/rtc_program.h"
#include "support/call_guard.h"

namespace heddle::hip::api {
namespace {

using Programs = Handles<RtcProgram, hiprtcProgram>;

Programs& programs() {
  static auto* const all = new Programs;  // never destroyed: destructors of programs may still call
  return *all;
}

/// What happens around every function: calls are logged, and no exception escapes.
template <typename Call, typename... Arguments>
hiprtcResult enter_rtc(FunctionId id, Call call, const Arguments&... arguments) noexcept {
  return guarded_call(
      HIPRTC_ERROR_OUT_OF_MEMORY,
      [&] {
        [[maybe_unused]] const ObservedCall observed(id, arguments...);
        return call();
      },
      [&](const char* what) {
        log(LogLevel::error, log_api, what);
        return HIPRTC_ERROR_INTERNAL_ERROR;
      });
}

/// The same for functions of a program, which `call` gets.
template <typename Call, typename... Arguments>
hiprtcResult enter_program(FunctionId id, hiprtcProgram handle, Call call,
                           const Arguments&... arguments) noexcept {
  return enter_rtc(
      id,
      [&] {
        const auto program = programs().find(handle);
        return program == nullptr ? HIPRTC_ERROR_INVALID_PROGRAM : call(*program);
      },
      handle, arguments...);
}

constexpr const char* result_names[] = {"HIPRTC_SUCCESS",
                                        "HIPRTC_ERROR_OUT_OF_MEMORY",
                                        "HIPRTC_ERROR_PROGRAM_CREATION_FAILURE",
                                        "HIPRTC_ERROR_INVALID_INPUT",
                                        "HIPRTC_ERROR_INVALID_PROGRAM",
                                        "HIPRTC_ERROR_INVALID_OPTION",
                                        "HIPRTC_ERROR_COMPILATION",
                                        "HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE",
                                        "HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
                                        "HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
                                        "HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
                                        "HIPRTC_ERROR_INTERNAL_ERROR"};

bool has_null(const char** list, int count) {
  return count > 0 && (list == nullptr || std::find(list, list + count, nullptr) != list + count);
}

}  // namespace

const char* hiprtcGetErrorString(hiprtcResult result) {
  const auto index = static_cast<size_t>(result);
  return index < std::size(result_names) ? result_names[index] : "HIPRTC_ERROR_UNKNOWN";
}

hiprtcResult hiprtcVersion(int* major, int* minor) {
  return enter_rtc(
      FunctionId::hiprtcVersion,
      [&] {
        if (major == nullptr || minor == nullptr) return HIPRTC_ERROR_INVALID_INPUT;
        *major = 9;
        *minor = 0;
        return HIPRTC_SUCCESS;
      },
      major, minor);
}

hiprtcResult hiprtcCreateProgram(hiprtcProgram* prog, const char* src, const char* name, int numHeaders,
                                 const char** headers, const char** includeNames) {
  return enter_rtc(
      FunctionId::hiprtcCreateProgram,
      [&] {
        if (prog == nullptr) return HIPRTC_ERROR_INVALID_PROGRAM;
        if (src == nullptr || numHeaders < 0 || has_null(headers, numHeaders) ||
            has_null(includeNames, numHeaders))
          return HIPRTC_ERROR_INVALID_INPUT;
        std::vector<RtcProgram::Header> texts;
        texts.reserve(static_cast<size_t>(numHeaders));
        for (int i = 0; i < numHeaders; ++i) texts.emplace_back(includeNames[i], headers[i]);
        const bool named = name != nullptr && *name != '\0';
        *prog = programs().add(
            std::make_shared<RtcProgram>(named ? name : "CompileSource", src, std::move(texts)));
        return HIPRTC_SUCCESS;
      },
      prog, src, name, numHeaders, headers, includeNames);
}

hiprtcResult hiprtcDestroyProgram(hiprtcProgram* prog) {
  return enter_rtc(
      FunctionId::hiprtcDestroyProgram,
      [&] {
        if (prog == nullptr) return HIPRTC_ERROR_INVALID_INPUT;
        if (programs().take(*prog) == nullptr) return HIPRTC_ERROR_INVALID_PROGRAM;
        *prog = nullptr;
        return HIPRTC_SUCCESS;
      },
      prog);
}

hiprtcResult hiprtcAddNameExpression(hiprtcProgram prog, const char* name_expression) {
  return enter_program(
      FunctionId::hiprtcAddNameExpression, prog,
      [&](RtcProgram& program) {
        return name_expression == nullptr ? HIPRTC_ERROR_INVALID_INPUT
                                          : program.add_name_expression(name_expression);
      },
      name_expression);
}

hiprtcResult hiprtcCompileProgram(hiprtcProgram prog, int numOptions, const char** options) {
  return enter_program(
      FunctionId::hiprtcCompileProgram, prog,
      [&](RtcProgram& program) {
        if (numOptions < 0 || has_null(options, numOptions)) return HIPRTC_ERROR_INVALID_INPUT;
        return program.compile({options, options + numOptions});
      },
      numOptions, options);
}

hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram prog, size_t* logSizeRet) {
  return enter_program(
      FunctionId::hiprtcGetProgramLogSize, prog,
      [&](RtcProgram& program) {
        if (logSizeRet == nullptr) return HIPRTC_ERROR_INVALID_INPUT;
        *logSizeRet = program.log().size() + 1;
        return HIPRTC_SUCCESS;
      },
      logSizeRet);
}

hiprtcResult hiprtcGetProgramLog(hiprtcProgram prog, char* log) {
  return enter_program(
      FunctionId::hiprtcGetProgramLog, prog,
      [&](RtcProgram& program) {
        if (log == nullptr) return HIPRTC_ERROR_INVALID_INPUT;
        const std::string text = program.log();
        std::memcpy(log, text.c_str(), text.size() + 1);
        return HIPRTC_SUCCESS;
      },
      log);
}

hiprtcResult hiprtcGetCodeSize(hiprtcProgram prog, size_t* codeSizeRet) {
  return enter_program(
      FunctionId::hiprtcGetCodeSize, prog,
      [&](RtcProgram& program) {
        if (codeSizeRet == nullptr) return HIPRTC_ERROR_INVALID_INPUT;
        const auto code = program.code();
        if (code.empty()) return HIPRTC_ERROR_INVALID_PROGRAM;
        *codeSizeRet = code.size();
        return HIPRTC_SUCCESS;
      },
      codeSizeRet);
}

hiprtcResult hiprtcGetCode(hiprtcProgram prog, char* code) {
  return enter_program(
      FunctionId::hiprtcGetCode, prog,
      [&](RtcProgram& program) {
        if (code == nullptr) return HIPRTC_ERROR_INVALID_INPUT;
        const auto bytes = program.code();
        if (bytes.empty()) return HIPRTC_ERROR_INVALID_PROGRAM;
        std::memcpy(code, bytes.data(), bytes.size());
        return HIPRTC_SUCCESS;
      },
      code);
}

hiprtcResult hiprtcGetLoweredName(hiprtcProgram prog, const char* name_expression,
                                  const char** lowered_name) {
  return enter_program(
      FunctionId::hiprtcGetLoweredName, prog,
      [&](RtcProgram& program) {
        if (name_expression == nullptr || lowered_name == nullptr) return HIPRTC_ERROR_INVALID_INPUT;
        return program.lowered_name(name_expression, *lowered_name);
      },
      name_expression, lowered_name);
}

}  // namespace heddle::hip::api
