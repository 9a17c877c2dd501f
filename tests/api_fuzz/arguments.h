// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes arguments from their types and names. They keep what no implementation can check: memory has the size
// that the call says, objects whose functions report no errors exist, and waits end.
#pragma once

#include <hsa/hsa_api_trace.h>
#include <hsa/hsa_ext_amd.h>
#include <hsa/hsa_ext_finalize.h>
#include <hsa/hsa_ext_image.h>
#include <hsa/hsa_ext_log.h>
#include <hsa/hsa_ext_perf_counter.h>
#include <hsa/hsa_ext_profile_event.h>
#include <hsa/hsa_ven_amd_loader.h>

#include <cstring>
#include <string_view>
#include <type_traits>

#include "state.h"

namespace heddle::api_fuzz {

template <typename T>
concept Handle = std::is_class_v<T> && sizeof(T) == 8 && requires(T t) {
  { t.handle } -> std::same_as<uint64_t&>;
};

/// One call that is being prepared.
class Call {
 public:
  Call(State& state, std::string_view function, bool reports_errors)
      : state_(state),
        random_(state.random),
        function_(function),
        reports_errors_(reports_errors),
        careful_(state.random.below(8) < 5) {}

  template <typename T>
  T make(std::string_view name) {
    name_ = name;
    const T value = make_as(static_cast<T*>(nullptr));
    ++position_;
    return value;
  }
  /// Keeps what a successful call left behind one of its arguments.
  template <typename T>
  void keep(const T& argument);

  /// Whether the call needs an object of which there is none.
  bool is_impossible() const { return impossible_; }

 private:
  static constexpr size_t elements = 16;  ///< of arrays

  bool is(std::initializer_list<std::string_view> names) const {
    for (const std::string_view name : names)
      if (name_ == name) return true;
    return false;
  }
  bool function_has(std::string_view part) const { return function_.find(part) != std::string_view::npos; }
  bool asynchronous() const { return function_has("async") || function_has("copy_multiple"); }
  std::byte* slot() { return asynchronous() ? state_.quiet_slot(position_) : state_.slot(position_); }

  bool may_be_null();
  uint64_t integer_argument();
  int descriptor_argument();
  const char* text();
  void* address();
  void* any_address();
  hsa_queue_t* queue();
  bool is_count() const;
  bool may_be_huge() const;

  template <Handle T>
  T handle() {
    const Recent& known = state_.handles[typeid(T)];
    const bool must_exist = std::is_same_v<T, hsa_signal_t> && !reports_errors_;
    if (last_type_ != typeid(T)) used_ = 0;
    last_type_ = typeid(T);
    if (!known.empty() && careful_ && random_.once_in(2)) return {known.newest(used_++)};
    if (!known.empty() && (must_exist || careful_ || !random_.once_in(8))) return {known.pick(random_)};
    if (must_exist) {
      impossible_ = true;
      return {};
    }
    return {random_.once_in(3) ? 0 : random_.integer()};
  }
  // ---- what an argument of each type may be ----

  template <Handle T>
  T make_as(T*) {
    return handle<T>();
  }
  template <typename T>
    requires std::is_enum_v<T>
  T make_as(T*) {
    return static_cast<T>(enumerator());
  }
  template <typename T>
    requires std::is_integral_v<T>
  T make_as(T*) {
    if constexpr (std::is_same_v<T, bool>) return random_.once_in(2);
    if constexpr (std::is_same_v<T, int>) return descriptor_argument();
    return static_cast<T>(integer_argument());
  }
  template <typename T>
    requires(std::is_class_v<T> && !Handle<T>)
  T make_as(T*) {
    T value{};
    fill(value);
    return value;
  }
  template <typename R, typename... A>
  auto make_as(R (**)(A...)) -> R (*)(A...);
  template <typename T>
    requires(!std::is_function_v<T>)
  T* make_as(T**) {
    return pointer(static_cast<T*>(nullptr));
  }

  template <typename T>
  T* array();
  template <typename T>
  T* pointer(T*) {
    return array<T>();
  }
  void* pointer(void*) { return address(); }
  const void* pointer(const void*) { return address(); }
  const uint32_t* pointer(const uint32_t*);
  const char* pointer(const char*) { return text(); }
  char* pointer(char*) { return reinterpret_cast<char*>(slot()); }
  hsa_queue_t* pointer(hsa_queue_t*) { return queue(); }
  const hsa_queue_t* pointer(const hsa_queue_t*) { return queue(); }
  BrigModule_t pointer(BrigModule_t);

  uint64_t enumerator();

  // ---- what an argument points to ----

  template <Handle T>
  void fill(T& value) {
    value = handle<T>();
  }
  template <typename T>
    requires std::is_enum_v<T>
  void fill(T& value) {
    value = static_cast<T>(enumerator());
  }
  template <typename T>
    requires std::is_arithmetic_v<T>
  void fill(T& value) {
    if constexpr (std::is_same_v<T, bool>)
      value = random_.once_in(2);
    else if constexpr (std::is_same_v<T, hsa_signal_value_t>)
      value = function_has("group_wait") ? INT64_MIN
                                         : static_cast<T>(random_.integer());  // such waits never time out
    else
      value = static_cast<T>(random_.integer());
  }
  template <typename T>
    requires std::is_pointer_v<T>
  void fill(T& value) {
    value = nullptr;
  }
  template <typename T>
    requires(std::is_class_v<T> && !Handle<T>)
  void fill(T& value) {
    value = {};
  }
  void fill(hsa_dim3_t& value);
  void fill(hsa_pitched_ptr_t& value);
  void fill(hsa_location_t& value);
  void fill(hsa_ext_image_format_t& value);
  void fill(hsa_ext_image_descriptor_t& value);
  void fill(hsa_ext_image_region_t& value);
  void fill(hsa_ext_sampler_descriptor_t& value);
  void fill(hsa_ext_control_directives_t& value);
  void fill(hsa_ext_profile_event_metadata_field_desc_t& value);
  void fill(hsa_amd_pointer_info_t& value);
  void fill(hsa_amd_memory_access_desc_t& value);
  void fill(hsa_amd_svm_attribute_pair_t& value);
  void fill(hsa_amd_ipc_memory_t& value);
  void fill(hsa_amd_image_descriptor_t& value);

  State& state_;
  Random& random_;
  const std::string_view function_;
  const bool reports_errors_;
  const bool careful_;  ///< whether the call is meant to succeed
  std::string_view name_;
  size_t position_ = 0;
  bool impossible_ = false;
  std::type_index last_type_ = typeid(void);
  size_t used_ = 0;      ///< how many of the newest handles of that type it uses
  uint64_t length_ = 0;  ///< of the last argument, if a later one tells it; 0 if not
};

// ---- callbacks ----

/// What a callback does: it keeps the handles that it gets, and mostly lets the iteration go on.
template <typename R, typename... A>
struct Callback {
  static R call(A... arguments) {
    State* state = State::current();
    if (state == nullptr) return R();  // a thread of the runtime: 0 is SUCCESS, false, null
    (keep(*state, arguments), ...);
    (provide(*state, arguments), ...);
    if constexpr (std::is_same_v<R, hsa_status_t>) {
      static constexpr hsa_status_t answers[] = {HSA_STATUS_INFO_BREAK, HSA_STATUS_ERROR,
                                                 HSA_STATUS_ERROR_INVALID_AGENT};
      return state->random.once_in(16) ? state->random.one_of(answers) : HSA_STATUS_SUCCESS;
    } else if constexpr (std::is_pointer_v<R>) {
      return state->random.once_in(8) ? nullptr : reinterpret_cast<R>(state->slot(State::slot_count - 1));
    } else if constexpr (!std::is_void_v<R>) {
      return R();
    }
  }

 private:
  template <typename T>
  static void keep(State& state, const T& value) {
    if constexpr (Handle<T>) state.handles[typeid(T)].add(value.handle);
  }
  /// Callbacks that provide memory store its address.
  template <typename T>
  static void provide(State& state, const T& value) {
    if constexpr (std::is_same_v<T, void**>)
      if (!state.random.once_in(8)) *value = state.slot(State::slot_count - 1);
  }
};

template <typename R, typename... A>
auto Call::make_as(R (**)(A...)) -> R (*)(A...) {
  return random_.once_in(12) ? nullptr : &Callback<R, A...>::call;
}

template <typename T>
T* Call::array() {
  if (may_be_null()) return nullptr;
  using Element = std::remove_cv_t<T>;
  static_assert(elements * sizeof(Element) <= State::slot_size);
  auto* array = reinterpret_cast<Element*>(state_.slot(position_));
  for (size_t i = 0; i < elements; ++i) {
    Element value{};
    fill(value);
    std::memcpy(static_cast<void*>(array + i), &value, sizeof value);
  }
  return array;
}

template <typename T>
void Call::keep(const T& argument) {
  if constexpr (std::is_pointer_v<T> && !std::is_function_v<std::remove_pointer_t<T>>) {
    using Element = std::remove_pointer_t<T>;
    if (argument == nullptr) return;
    if constexpr (Handle<Element>) {
      state_.handles[typeid(Element)].add(argument->handle);
    } else if constexpr (std::is_same_v<Element, hsa_queue_t*>) {
      state_.queues.push_back(*argument);
      state_.handles[typeid(hsa_signal_t)].add((*argument)->doorbell_signal.handle);
    } else if constexpr (std::is_same_v<Element, void*>) {
      state_.pointers.add(reinterpret_cast<uint64_t>(*argument));
    } else if constexpr (std::is_same_v<Element, int>) {
      state_.descriptors.add(static_cast<uint64_t>(*argument));
    } else if constexpr (std::is_same_v<Element, hsa_amd_ipc_memory_t>) {
      std::memcpy(state_.shared.data(), argument, sizeof *argument);
    } else if constexpr (std::is_same_v<Element, uint64_t>) {
      if (function_has("producer")) state_.ids.add(*argument);
    }
  }
}

}  // namespace heddle::api_fuzz
