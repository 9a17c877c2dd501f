// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The checks of the public headers at compile time, for targets whose programs this machine cannot run: the
// small machine model, big-endian hosts, hosts without POSIX. This file is compiled freestanding and never
// linked.
#include <stddef.h>

#include "hsa.h"
#include "hsa_ext_amd.h"
#include "hsa_ext_finalize.h"
#include "hsa_ext_image.h"
#include "hsa_ext_log.h"
#include "hsa_ext_perf_counter.h"
#include "hsa_ext_profile_event.h"
#include "hsa_ven_amd_loader.h"
#include "hsa_ven_heddle_trace.h"

#ifdef HSA_LITTLE_ENDIAN
#define ADDRESS_PADDING 0
#else
#define ADDRESS_PADDING 4
#endif

#define NAME_(prefix, line) prefix##line
#define NAME(prefix, line) NAME_(prefix, line)
#define CHECK(condition) typedef char NAME(check_in_line_, __LINE__)[(condition) ? 1 : -1];
#define CHECK_ENUMERATOR(type, name, value) CHECK((name) == (value))
#define CHECK_SIZE(type, value) CHECK(sizeof(type) == (value))
#define CHECK_OFFSET(type, field, value) CHECK(offsetof(type, field) == (value))
#define CHECK_SLOT(type, field)
#include "headers_checks.inc"
