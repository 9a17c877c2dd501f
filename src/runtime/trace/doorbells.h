// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace heddle::runtime::trace {

/// Lets stores to doorbells be reported as activities while somebody observes them: puts functions that do so
/// into the tables behind the exported functions, where stores cost nothing more while there is no trace. To
/// be called again after the tables were reset.
void watch_doorbells() noexcept;

}  // namespace heddle::runtime::trace
