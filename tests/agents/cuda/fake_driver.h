// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "agents/cuda/driver_api.h"
#include "control.h"

namespace heddle::cuda::test {

/// The control of the fake driver, which every opener of the library shares.
inline fake::Control& fake_control() {
  static fake::Control* control = [] {
    void* library = dlopen(HEDDLE_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
    auto function =
        library ? reinterpret_cast<fake::ControlFunction>(dlsym(library, fake::control_symbol)) : nullptr;
    if (!function) ADD_FAILURE() << "the fake driver cannot be opened: " << dlerror();
    return function();
  }();
  return *control;
}

/// The functions of the fake.
inline const DriverApi& fake_api() {
  static const std::unique_ptr<const DriverApi> api = [] {
    auto opened = DriverApi::open(HEDDLE_FAKE_CUDA);
    EXPECT_TRUE(opened) << opened.error().message;
    return std::move(*opened);
  }();
  return *api;
}

/// Gives each test a machine with one GPU.
class FakeDriverTest : public ::testing::Test {
 protected:
  void SetUp() override { fake_control().machine = {}; }
  void TearDown() override {
    fake_control().before = {};
    fake_control().lost_gpu = -1;
    for (const std::string& complaint : fake_control().taken_complaints()) ADD_FAILURE() << complaint;
  }
};

}  // namespace heddle::cuda::test
