// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/**
 * The HSAIL toolchain for C++20: wraps <hsail/hsail.h> in classes that own their resources and return
 * results. Header-only; a program that includes it must link libheddle-finalizer.so (pkg-config hsail, or
 * find_package(hsail) and hsail::hsail).
 *
 * Errors are values: a call returns a Result, which holds the requested value or a status that says why there
 * is none, and in both cases the diagnostics. No function throws, and none needs exceptions or RTTI; if
 * memory for the strings of this header runs out, the program ends. Objects own what they hold; they can be
 * moved, but not copied. All functions may be called from several threads at once, but only one thread may
 * use an object at a time.
 *
 *   auto brig = hsail::assemble(text, "kernel.hsail");
 *   if (!brig) return complain(brig.diagnostics());
 *   auto program = hsail::Program::create();
 *   ...
 */
#ifndef HSAIL_HSAIL_HPP_
#define HSAIL_HSAIL_HPP_

#include <hsa/hsa_brig.h>
#include <hsail/hsail.h>

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hsail {

/** The status codes of <hsail/hsail.h>, where their meaning is described. */
enum class Status {
  ok = HSAIL_OK,
  invalid_argument = HSAIL_INVALID_ARGUMENT,
  invalid_program = HSAIL_INVALID_PROGRAM,
  invalid_module = HSAIL_INVALID_MODULE,
  incompatible_module = HSAIL_INCOMPATIBLE_MODULE,
  module_already_included = HSAIL_MODULE_ALREADY_INCLUDED,
  symbol_mismatch = HSAIL_SYMBOL_MISMATCH,
  invalid_isa = HSAIL_INVALID_ISA,
  directive_mismatch = HSAIL_DIRECTIVE_MISMATCH,
  finalization_failed = HSAIL_FINALIZATION_FAILED,
  out_of_resources = HSAIL_OUT_OF_RESOURCES,
  syntax_error = HSAIL_SYNTAX_ERROR
};

/** Returns a short English description of a status for messages. The string has static storage. */
constexpr std::string_view to_string(Status status) noexcept {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::invalid_argument:
      return "invalid argument";
    case Status::invalid_program:
      return "invalid program";
    case Status::invalid_module:
      return "invalid module";
    case Status::incompatible_module:
      return "module does not fit the program";
    case Status::module_already_included:
      return "module already included";
    case Status::symbol_mismatch:
      return "declarations and definitions differ";
    case Status::invalid_isa:
      return "unknown instruction set architecture";
    case Status::directive_mismatch:
      return "control directives contradict each other";
    case Status::finalization_failed:
      return "finalization failed";
    case Status::out_of_resources:
      return "out of resources";
    case Status::syntax_error:
      return "syntax error";
  }
  return "unknown status";
}

/** The result of a call without a value: its status and its diagnostics, with one paragraph for each. */
class [[nodiscard]] Outcome {
 public:
  Outcome(Status status, std::string diagnostics) noexcept
      : status_(status), diagnostics_(std::move(diagnostics)) {}

  bool ok() const noexcept { return status_ == Status::ok; }
  explicit operator bool() const noexcept { return ok(); }
  Status status() const noexcept { return status_; }
  /** Returns the diagnostics as a compiler prints them: with file, line, column and caret for text, with
   * section and offset for BRIG. They may contain warnings although the call succeeded, and may be empty
   * although it failed, for example with INVALID_ARGUMENT. The string belongs to this object. */
  const std::string& diagnostics() const noexcept { return diagnostics_; }

 private:
  Status status_;
  std::string diagnostics_;
};

/** An Outcome that holds a value if the call succeeded. As with std::expected, reading the value after a
 * failure is a programming error, which assert() detects. */
template <typename T>
class [[nodiscard]] Result : public Outcome {
 public:
  /** Success. */
  Result(T value, std::string diagnostics) noexcept
      : Outcome(Status::ok, std::move(diagnostics)), value_(std::move(value)) {}
  /** Failure; the outcome must not be ok. */
  Result(Outcome failure) noexcept : Outcome(std::move(failure)) { assert(!ok()); }

  bool has_value() const noexcept { return value_.has_value(); }
  T& value() & noexcept {
    assert(has_value());
    return *value_;
  }
  const T& value() const& noexcept {
    assert(has_value());
    return *value_;
  }
  T&& value() && noexcept {
    assert(has_value());
    return std::move(*value_);
  }
  T& operator*() & noexcept { return value(); }
  const T& operator*() const& noexcept { return value(); }
  T&& operator*() && noexcept { return std::move(*this).value(); }
  T* operator->() noexcept { return &value(); }
  const T* operator->() const noexcept { return &value(); }

 private:
  std::optional<T> value_;
};

/** Bytes that the toolchain has made: a module, its text or a code object. Empty after it was moved from. */
class Blob {
 public:
  Blob() noexcept = default;
  /** Takes ownership of the bytes. */
  explicit Blob(hsail_blob blob) noexcept : blob_(blob) {}
  Blob(Blob&& from) noexcept : blob_(std::exchange(from.blob_, {})) {}
  Blob& operator=(Blob&& from) noexcept {
    Blob taken(std::move(from));
    std::swap(blob_, taken.blob_);
    return *this;
  }
  ~Blob() { hsail_blob_free(&blob_); }

  const void* data() const noexcept { return blob_.data; }
  std::size_t size() const noexcept { return blob_.size; }
  bool empty() const noexcept { return blob_.size == 0; }
  /** Returns the bytes, aligned as malloc() aligns. Valid as long as this object owns them. */
  std::span<const std::byte> bytes() const noexcept {
    return {static_cast<const std::byte*>(blob_.data), blob_.size};
  }
  /** Returns the bytes as characters, without a NUL. Valid as long as this object owns them. */
  std::string_view text() const noexcept { return {static_cast<const char*>(blob_.data), blob_.size}; }

 private:
  hsail_blob blob_{};
};

namespace detail {

/** An hsail_diagnostic_callback whose `data` is a std::string. Must not throw through the C interface. */
inline void keep(const char* text, std::size_t length, void* data) noexcept {
  static_cast<std::string*>(data)->append(text, length);
}

/** Runs `call(diagnostic text)`, which returns an hsail_status. */
template <typename Call>
Outcome outcome_of(Call call) {
  std::string diagnostics;
  const auto status = static_cast<Status>(call(&diagnostics));
  return {status, std::move(diagnostics)};
}

/** Runs `call(blob, diagnostic text)`, which returns an hsail_status. */
template <typename Call>
Result<Blob> blob_of(Call call) {
  hsail_blob blob{};
  std::string diagnostics;
  const auto status = static_cast<Status>(call(&blob, &diagnostics));
  if (status == Status::ok) return {Blob(blob), std::move(diagnostics)};
  return Outcome(status, std::move(diagnostics));
}

}  // namespace detail

/** Assembles text to BRIG (PRM 18, 19). `file_name` is used in diagnostics only. Errors: SYNTAX_ERROR;
 * OUT_OF_RESOURCES. */
inline Result<Blob> assemble(std::string_view text, const std::string& file_name = {}) {
  const char* begin = text.data() == nullptr ? "" : text.data();
  return detail::blob_of([&](hsail_blob* brig, std::string* said) {
    return hsail_assemble(begin, text.size(), file_name.c_str(), brig, detail::keep, said);
  });
}

/** Prints BRIG as text that assembles to the same module. Errors: INVALID_MODULE; INVALID_ARGUMENT (no
 * bytes); OUT_OF_RESOURCES. */
inline Result<Blob> disassemble(std::span<const std::byte> brig) {
  return detail::blob_of([&](hsail_blob* text, std::string* said) {
    return hsail_disassemble(brig.data(), brig.size(), text, detail::keep, said);
  });
}

/** Checks container, structure and instructions of a module. Errors: INVALID_MODULE; INVALID_ARGUMENT (no
 * bytes); OUT_OF_RESOURCES. */
inline Outcome check(std::span<const std::byte> brig) {
  return detail::outcome_of(
      [&](std::string* said) { return hsail_check(brig.data(), brig.size(), detail::keep, said); });
}

/** An instruction set architecture that the toolchain makes code for. The name lives as long as the
 * library. */
struct Isa {
  std::string_view name;            /**< "heddle:x86-64-v4:w1", "heddle:hsail:w1", ... */
  std::uint32_t wavefront_size = 1; /**< work-items; a power of 2 */
};

/** Returns all instruction set architectures, always in the same order. */
inline std::vector<Isa> isas() {
  std::vector<Isa> all;
  hsail_isa_info info{};
  for (std::uint32_t i = 0; hsail_isa_at(i, &info) != 0; ++i) all.push_back({info.name, info.wavefront_size});
  return all;
}

/** Values of hsa_machine_model_t: small has addresses of 32 bits, large of 64. */
enum class MachineModel : std::uint32_t { small = 0, large = 1 };
/** Values of hsa_profile_t. */
enum class Profile : std::uint32_t { base = 0, full = 1 };
/** Values of hsa_default_float_rounding_mode_t. */
enum class Rounding : std::uint32_t { by_default = 0, zero = 1, near = 2 };

/** Control directives for a finalization: they hold for all kernels, in addition to those in the modules
 * (PRM 13.5; Runtime 3.2.1.20). Each setter enables one directive and returns this object. */
class ControlDirectives {
 public:
  using Sizes = std::array<std::uint32_t, 3>;

  /** Sets the exceptions, a mask of HSA_BRIG_EXCEPTIONS_*, that have the policy BREAK or DETECT. */
  ControlDirectives& enable_break_exceptions(std::uint16_t mask) noexcept {
    values_.break_exceptions_mask = mask;
    return enable(HSA_BRIG_CONTROL_DIRECTIVE_ENABLEBREAKEXCEPTIONS);
  }
  ControlDirectives& enable_detect_exceptions(std::uint16_t mask) noexcept {
    values_.detect_exceptions_mask = mask;
    return enable(HSA_BRIG_CONTROL_DIRECTIVE_ENABLEDETECTEXCEPTIONS);
  }
  /** Limits the dynamic group memory of a dispatch, in bytes. */
  ControlDirectives& max_dynamic_group_size(std::uint32_t bytes) noexcept {
    values_.max_dynamic_group_size = bytes;
    return enable(HSA_BRIG_CONTROL_DIRECTIVE_MAXDYNAMICGROUPSIZE);
  }
  /** Limits the number of work-items of a grid or of a work-group. */
  ControlDirectives& max_flat_grid_size(std::uint64_t work_items) noexcept {
    values_.max_flat_grid_size = work_items;
    return enable(HSA_BRIG_CONTROL_DIRECTIVE_MAXFLATGRIDSIZE);
  }
  ControlDirectives& max_flat_workgroup_size(std::uint32_t work_items) noexcept {
    values_.max_flat_workgroup_size = work_items;
    return enable(HSA_BRIG_CONTROL_DIRECTIVE_MAXFLATWORKGROUPSIZE);
  }
  /** Requires this number of dimensions of the grid: 1, 2 or 3. */
  ControlDirectives& required_dim(std::uint8_t dimensions) noexcept {
    values_.required_dim = dimensions;
    return enable(HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDDIM);
  }
  /** Requires exactly these numbers of work-items in the dimensions of the grid or work-group. */
  ControlDirectives& required_grid_size(const std::array<std::uint64_t, 3>& work_items) noexcept {
    for (std::size_t i = 0; i < 3; ++i) values_.required_grid_size[i] = work_items[i];
    return enable(HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDGRIDSIZE);
  }
  ControlDirectives& required_workgroup_size(const Sizes& work_items) noexcept {
    for (std::size_t i = 0; i < 3; ++i) values_.required_workgroup_size[i] = work_items[i];
    return enable(HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDWORKGROUPSIZE);
  }
  /** Requires that the size of the grid is a multiple of that of the work-group in each dimension. */
  ControlDirectives& require_no_partial_workgroups() noexcept {
    return enable(HSA_BRIG_CONTROL_DIRECTIVE_REQUIRENOPARTIALWORKGROUPS);
  }

  const hsail_control_directives& values() const noexcept { return values_; }

 private:
  ControlDirectives& enable(unsigned directive) noexcept {
    values_.mask |= std::uint64_t{1} << directive;
    return *this;
  }

  hsail_control_directives values_{};
};

/** Modules that are finalized together: a module may declare what another one defines. */
class Program {
 public:
  /** Makes an empty program. Errors: INVALID_ARGUMENT; OUT_OF_RESOURCES. */
  static Result<Program> create(MachineModel model = MachineModel::large, Profile profile = Profile::full,
                                Rounding rounding = Rounding::near) {
    hsail_program_t made = nullptr;
    const auto status = static_cast<Status>(
        hsail_program_create(static_cast<std::uint32_t>(model), static_cast<std::uint32_t>(profile),
                             static_cast<std::uint32_t>(rounding), &made));
    if (status != Status::ok) return Outcome(status, {});
    return {Program(made), {}};
  }

  /** Takes ownership of the program. */
  explicit Program(hsail_program_t program) noexcept : program_(program) {}
  Program(Program&& from) noexcept : program_(std::exchange(from.program_, nullptr)) {}
  Program& operator=(Program&& from) noexcept {
    Program taken(std::move(from));
    std::swap(program_, taken.program_);
    return *this;
  }
  ~Program() {
    if (program_ != nullptr) (void)hsail_program_destroy(program_);
  }

  /** Adds a copy of a module. If this fails, the program is unchanged. Errors: INVALID_MODULE;
   * INCOMPATIBLE_MODULE; MODULE_ALREADY_INCLUDED; SYMBOL_MISMATCH; INVALID_ARGUMENT (no bytes);
   * INVALID_PROGRAM (this object was moved from); OUT_OF_RESOURCES. */
  Outcome add(std::span<const std::byte> brig) {
    return detail::outcome_of([&](std::string* said) {
      return hsail_program_add_module(program_, brig.data(), brig.size(), detail::keep, said);
    });
  }
  Outcome add(const Blob& brig) { return add(brig.bytes()); }

  /** Makes an agent code object, with code for an ISA and the variables with agent allocation. `options` are
   * those of hsail_program_finalize(). Errors: INVALID_ISA; DIRECTIVE_MISMATCH; FINALIZATION_FAILED;
   * INVALID_PROGRAM (this object was moved from); OUT_OF_RESOURCES. */
  Result<Blob> finalize_agent(const std::string& isa, const ControlDirectives& directives = {},
                              const std::string& options = {}) {
    return finalize(HSAIL_CODE_OBJECT_AGENT, isa.c_str(), directives, options);
  }
  /** Makes a program code object, with the variables with program allocation. Errors: FINALIZATION_FAILED;
   * INVALID_PROGRAM (this object was moved from); OUT_OF_RESOURCES. */
  Result<Blob> finalize_program(const std::string& options = {}) {
    return finalize(HSAIL_CODE_OBJECT_PROGRAM, nullptr, {}, options);
  }
  /** Makes one code object with the contents of both, as in HSA 1.0. Errors: those of finalize_agent(). */
  Result<Blob> finalize_both(const std::string& isa, const ControlDirectives& directives = {},
                             const std::string& options = {}) {
    return finalize(HSAIL_CODE_OBJECT_BOTH, isa.c_str(), directives, options);
  }

  /** Returns the program for calls of the C interface. This object still owns it. Null after a move. */
  hsail_program_t get() const noexcept { return program_; }

 private:
  Result<Blob> finalize(hsail_code_object_kind kind, const char* isa, const ControlDirectives& directives,
                        const std::string& options) {
    return detail::blob_of([&](hsail_blob* code, std::string* said) {
      return hsail_program_finalize(program_, kind, isa, options.c_str(), &directives.values(), code,
                                    detail::keep, said);
    });
  }

  hsail_program_t program_ = nullptr;
};

}  // namespace hsail

#endif  // HSAIL_HSAIL_HPP_
