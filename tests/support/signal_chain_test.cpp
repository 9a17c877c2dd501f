// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each case runs in a process of its own, because handlers stay installed.
#include "support/signal_chain.h"

#include <gtest/gtest.h>

#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

namespace heddle {
namespace {

constexpr int signals[] = {SIGUSR1, SIGURG};

/// The names of the handlers that were called, in order. The process prints them and ends.
std::string& called() {
  static std::string text;
  return text;
}
[[noreturn]] void finish() {
  std::fprintf(stderr, "called:%s.", called().c_str());
  std::_Exit(0);
}

/// Handlers that record their name and pass the signal on. If `may_escape` is set, on_second() instead leaves
/// once through `escape`.
sigjmp_buf escape;
bool may_escape = false;
extern SignalChain first, second;
void on_first(int signal, siginfo_t* info, void* context) {
  called() += " first";
  first.pass_on(signal, info, context);
}
void on_second(int signal, siginfo_t* info, void* context) {
  called() += " second";
  if (std::exchange(may_escape, false)) siglongjmp(escape, 1);
  second.pass_on(signal, info, context);
}
SignalChain first(on_first, 0), second(on_second, SA_NODEFER);

void application(int) { called() += " application"; }

void set_application_handler() {
  struct sigaction action = {};
  action.sa_handler = application;
  sigaction(SIGUSR1, &action, nullptr);
}

class SignalChainDeathTest : public ::testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(SignalChainDeathTest, PassesOnToWhoWasThere) {
  EXPECT_EXIT(
      {
        set_application_handler();
        first.install(signals);
        second.install(signals);
        first.install(signals);
        raise(SIGUSR1);
        finish();
      },
      ::testing::ExitedWithCode(0), "called: first second first application\\.");
}

TEST_F(SignalChainDeathTest, ALaterHandlerOfTheApplicationIsTheNext) {
  EXPECT_EXIT(
      {
        first.install(signals);
        set_application_handler();
        first.install(signals);
        first.install(signals);
        raise(SIGUSR1);
        finish();
      },
      ::testing::ExitedWithCode(0), "called: first application\\.");
}

TEST_F(SignalChainDeathTest, TheDefaultActionEndsTheProcess) {
  EXPECT_EXIT(
      {
        first.install(signals);
        second.install(signals);
        first.install(signals);
        raise(SIGUSR1);
        sigset_t none;
        sigemptyset(&none);
        sigsuspend(&none);
      },
      ::testing::KilledBySignal(SIGUSR1), "");
}

TEST_F(SignalChainDeathTest, SignalsThatNobodyMindsAreIgnored) {
  EXPECT_EXIT(
      {
        first.install(signals);
        raise(SIGURG);
        std::signal(SIGUSR1, SIG_IGN);
        first.install(signals);
        raise(SIGUSR1);
        finish();
      },
      ::testing::ExitedWithCode(0), "called: first first\\.");
}

/// An escape leaves a record behind. The next signal must not be mistaken for one that has come round the
/// chain.
TEST_F(SignalChainDeathTest, HandlersMayEscape) {
  EXPECT_EXIT(
      {
        set_application_handler();
        second.install(signals);
        first.install(signals);
        for (volatile int round = 0; round < 3; round = round + 1) {
          may_escape = true;
          if (sigsetjmp(escape, 1) == 0) raise(SIGUSR1);
        }
        raise(SIGUSR1);
        finish();
      },
      ::testing::ExitedWithCode(0),
      "called: first second first second first second first second application\\.");
}

}  // namespace
}  // namespace heddle
