// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that the runtime exports (generate_exports.py writes them). Each calls an entry of a table
// and does nothing else, so that it costs one indirect jump. Old names are synonyms of the present ones.
#include <hsa/hsa_ven_heddle_trace.h>

#include "runtime/interception/api_tables.h"

using heddle::runtime::entry;
using heddle::runtime::live_tables;

extern "C" {
#include "runtime/interception/exports.inc"
}
