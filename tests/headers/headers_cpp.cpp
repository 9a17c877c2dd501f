// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The public headers as a C++ program includes them, without their folder, as programs for HSA 1.0 do. Beyond
// the checks of the C test, this checks the type of each enumerator, the type of each table slot, and that
// BRIG and the finalizer name modules by the same type.
#include <type_traits>

#include "hsa.h"
#include "hsa_brig.h"
#include "hsa_ext_amd.h"
#include "hsa_ext_finalize.h"
#include "hsa_ext_image.h"
#include "hsa_ext_log.h"
#include "hsa_ext_perf_counter.h"
#include "hsa_ext_profile_event.h"
#include "hsa_ven_amd_loader.h"
#include "hsa_ven_heddle_trace.h"

#include "checks.h"

extern "C" {
#define CHECK_PROTOTYPES
#include "headers_checks.inc"
#undef CHECK_PROTOTYPES
}

static_assert(std::is_same_v<hsa_ext_module_t, hsa_brig_module_t>);
static_assert(std::is_same_v<hsa_symbol_linkage_t, hsa_symbol_kind_linkage_t>);

#define CHECK_SLOT(type, field)
static const check checks[] = {
#include "headers_checks.inc"
};
#undef CHECK_SLOT

#undef CHECK_ENUMERATOR
#undef CHECK_SIZE
#undef CHECK_OFFSET
#define CHECK_ENUMERATOR(type, name, value) static_assert(std::is_same_v<decltype(name), type>);
#define CHECK_SIZE(type, value) static_assert(std::is_standard_layout_v<type> && std::is_trivial_v<type>);
#define CHECK_OFFSET(type, field, value)
#define CHECK_SLOT(type, field) static_assert(std::is_same_v<decltype(type::field), decltype(&::field)>);
#include "headers_checks.inc"

int run_cpp_checks() { return run_checks("C++", checks, sizeof checks / sizeof checks[0]); }
