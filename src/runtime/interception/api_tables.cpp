// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/interception/api_tables.h"

#include "runtime/api/functions.h"

namespace heddle::runtime {

namespace {

#define HEDDLE_ENTRY(name) functions::name,

constexpr ApiTables first_contents = {
    {{HSA_API_TABLE_MAJOR_VERSION, sizeof(HsaApiTable), HSA_API_TABLE_STEP_VERSION, 0},
     &live_tables.core,
     &live_tables.amd,
     &live_tables.finalizer,
     &live_tables.images,
     &live_tables.tools,
     &live_tables.pc_sampling},
    {{HSA_CORE_API_TABLE_MAJOR_VERSION, sizeof(CoreApiTable), HSA_CORE_API_TABLE_STEP_VERSION, 0},
     HSA_CORE_API_FUNCTIONS(HEDDLE_ENTRY)},
    {{HSA_AMD_EXT_API_TABLE_MAJOR_VERSION, sizeof(AmdExtTable), HSA_AMD_EXT_API_TABLE_STEP_VERSION, 0},
     HSA_AMD_EXT_API_FUNCTIONS(HEDDLE_ENTRY)},
    {{HSA_FINALIZER_API_TABLE_MAJOR_VERSION, sizeof(FinalizerExtTable), HSA_FINALIZER_API_TABLE_STEP_VERSION,
      0},
     HSA_FINALIZER_EXT_API_FUNCTIONS(HEDDLE_ENTRY)},
    {{HSA_IMAGE_API_TABLE_MAJOR_VERSION, sizeof(ImageExtTable), HSA_IMAGE_API_TABLE_STEP_VERSION, 0},
     HSA_IMAGE_EXT_API_FUNCTIONS(HEDDLE_ENTRY)},
    {{HSA_TOOLS_API_TABLE_MAJOR_VERSION, sizeof(ToolsApiTable), HSA_TOOLS_API_TABLE_STEP_VERSION, 0}},
    {{HSA_PC_SAMPLING_API_TABLE_MAJOR_VERSION, sizeof(PcSamplingExtTable),
      HSA_PC_SAMPLING_API_TABLE_STEP_VERSION, 0},
     HSA_PC_SAMPLING_EXT_API_FUNCTIONS(HEDDLE_ENTRY)},
    {{HEDDLE_API_TABLE_MAJOR_VERSION, sizeof(HeddleApiTable), HEDDLE_API_TABLE_STEP_VERSION, 0},
     HEDDLE_API_FUNCTIONS(HEDDLE_ENTRY)},
};
#undef HEDDLE_ENTRY

/// The tables are read and written by words, one for each entry, because other threads use them meanwhile.
using Word [[gnu::may_alias]] = uintptr_t;
static_assert(sizeof(ApiTables) % sizeof(Word) == 0);

void copy(const ApiTables& from, ApiTables& to) noexcept {
  const auto* source = reinterpret_cast<const Word*>(&from);
  auto* target = reinterpret_cast<Word*>(&to);
  for (size_t i = 0; i < sizeof(ApiTables) / sizeof(Word); ++i)
    __atomic_store_n(target + i, __atomic_load_n(source + i, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
}

}  // namespace

constinit ApiTables live_tables = first_contents;

ApiTables copy_of_live_tables() noexcept {
  ApiTables result;
  copy(live_tables, result);
  return result;
}

void assign_live_tables(const ApiTables& contents) noexcept { copy(contents, live_tables); }

void reset_live_tables() noexcept { copy(first_contents, live_tables); }

}  // namespace heddle::runtime
