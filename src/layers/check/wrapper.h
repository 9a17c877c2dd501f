// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that stand in front of those of the runtime. All of them check the handles among their
// arguments by their types; what else has to be done for a function is in a specialisation of Hooks.
#pragma once

#include <cxxabi.h>

#include <new>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "layers/check/api.h"
#include "layers/check/calls.h"
#include "layers/check/checker.h"
#include "layers/check/lives.h"
#include "support/exception_safety.h"

namespace heddle::check {

/// Say whether a hook has a member, which may be a template; whether it takes the arguments of the function
/// is for the compiler to say.
template <typename Hook>
inline constexpr bool has_before = requires { &Hook::before; } || requires { &Hook::template before<>; };
template <typename Hook>
inline constexpr bool has_after = requires { &Hook::after; } || requires { &Hook::template after<>; };

/// What a function needs besides the checks of its handles. Members, all optional and all called with the
/// lock:
///   static void before(Checker&, Call&, Args&... args)          may change the arguments
///   static void after(Checker&, Call&, Result, Args... args)    of functions with a result
template <typename Function>
struct Hooks {};

/// Does something with the knowledge of the layer, unless that has ended with the runtime since the call
/// began, and prints what it finds. Nothing leaves the layer: if there is no memory, the program goes on
/// without the check.
template <typename Do>
void guarded(Call& call, Do&& what) noexcept {
  Checker& checker = Checker::instance();
  try {
    {
      const std::lock_guard lock(checker.mutex);
      if (!checker.goes_on(call)) return;
      is_looking = true;
      const Finally done([] { is_looking = false; });
      std::forward<Do>(what)(checker);
    }
    call.report();
  } catch (...) {
    const std::lock_guard lock(checker.mutex);
    checker.lose_track();
  }
}

/// Checks a handle that is an argument; does nothing for arguments of other types. Functions with a status
/// answer for null handles themselves, and some take null for "none".
template <typename Result, typename Argument>
void use(const Checker& checker, Call& call, const Argument& argument, bool destroys) {
  if constexpr (is_handle<Argument>) {
    const uint64_t handle = handle_of(argument);
    if (handle != 0 || !std::is_same_v<Result, hsa_status_t>)
      call.add(checker.objects.check(kind_of<Argument>, handle, destroys));
  }
}

/// Returns how many elements of an array with `count` of them can be looked at: none if there are so many
/// that the runtime refuses them, because the array need not have them.
inline uint64_t checkable(uint64_t count) { return count <= 4096 ? count : 0; }

template <typename Function, typename Type = typename Function::Type>
struct Wrapper;

template <typename Function, typename Result, typename... Args>
struct Wrapper<Function, Result(Args...)> {
  static constexpr Life life = life_of(Function::text);

  static Result call(Args... args) {
    if (is_looking) return call_unseen(args...);
    const CallUnderWay under_way(Function::text);
    Call call(Function::text);
    guarded(call, [&](Checker& checker) { before(checker, call, args...); });
    if constexpr (std::is_void_v<Result>) {
      Function::original()(args...);
    } else {
      Result result = Function::original()(args...);
      guarded(call, [&](Checker& checker) { after(checker, call, result, args...); });
      return result;
    }
  }

 private:
  /// A call by a tool while the layer asks the runtime something. The layer cannot look at it, because this
  /// thread holds its lock, and does not know what the call has made.
  static Result call_unseen(Args... args) {
    if constexpr (life == Life::begins || has_after<Hooks<Function>>) Checker::instance().lose_track();
    return Function::original()(args...);
  }

  static void before(Checker& checker, Call& call, Args&... args) {
    checker.queues.look(call.findings);
    constexpr bool counts =
        !std::is_same_v<Function, function::hsa_init> && !std::is_same_v<Function, function::hsa_shut_down>;
    if (counts && checker.is_being_shut_down_elsewhere())
      call.add(rules::shut_down_race, "the call begins during the last hsa_shut_down of another thread");
    (use<Result>(checker, call, args, life == Life::ends), ...);
    if constexpr (has_before<Hooks<Function>>) Hooks<Function>::before(checker, call, args...);
    // The life ends before the runtime ends it, so that no other thread of the layer touches the object.
    if constexpr (life == Life::ends) {
      const auto [kind, handle] = last_handle(args...);
      call.ended = checker.objects.destroy(kind, handle, call.event());
    }
  }

  template <typename Returned>
  static void after(Checker& checker, Call& call, const Returned& result, Args&... args) {
    if constexpr (life == Life::begins) {
      if (result == HSA_STATUS_SUCCESS) {
        const auto [kind, handle] = last_made(args...);
        checker.objects.make(kind, handle, call.event());
      }
    }
    if constexpr (life == Life::ends) {
      if (result != HSA_STATUS_SUCCESS && call.ended) {
        const auto [kind, handle] = last_handle(args...);
        checker.objects.keep(kind, handle);
      }
    }
    if constexpr (has_after<Hooks<Function>>) Hooks<Function>::after(checker, call, result, args...);
  }
};

}  // namespace heddle::check
