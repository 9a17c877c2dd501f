// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The commands of `heddle`. Each has a file of its own name.
#pragma once

#include "command_line.h"

namespace heddle::tools {

void add_as(CommandLine& heddle);
void add_dis(CommandLine& heddle);
void add_cc(CommandLine& heddle);
void add_hipcc(CommandLine& heddle);
void add_check(CommandLine& heddle);
void add_finalize(CommandLine& heddle);
void add_run(CommandLine& heddle);
void add_debug(CommandLine& heddle);  // in run.cpp
void add_bench(CommandLine& heddle);
void add_info(CommandLine& heddle);
void add_cache(CommandLine& heddle);
void add_fuzz_exec(CommandLine& heddle);
void add_reference(CommandLine& heddle);
void add_trace(CommandLine& heddle);

}  // namespace heddle::tools
