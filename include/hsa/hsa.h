// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/**
 * HSA Runtime 1.2, core API: everything that a client calls to find agents, build queues, move memory, load
 * code and wait for signals. There is one part for each chapter of the HSA Runtime Programmer's Reference
 * Manual 1.2; the numbers in the comments are clauses of that manual. Programs written for HSA 1.0 and 1.1
 * compile with it too: all older names are declared, marked as deprecated, and have their old meaning.
 *
 * The following holds for all functions unless the comment on a function says otherwise:
 * - Errors. A function that returns hsa_status_t returns HSA_STATUS_SUCCESS, or one of the errors listed
 *   (without the prefix HSA_STATUS_ERROR_), or NOT_INITIALIZED if hsa_init has not been called. Outputs are
 *   written on success only. INVALID_ARGUMENT is returned for a NULL output, callback or name, and for a
 *   value that is not an enumerator of its type; comments list further causes.
 * - Threads. All functions may be called from any number of threads at once.
 * - Handles. A handle is a 64-bit value that identifies an object; two handles are equal if and only if they
 *   identify the same object. Copying a handle does not extend the life of the object. 0 identifies nothing.
 * - Iteration. The callback is called on the calling thread, once for each element, with data passed through.
 *   If it returns something other than HSA_STATUS_SUCCESS, the iteration ends and that value is returned;
 *   HSA_STATUS_INFO_BREAK is the customary way to say "found".
 * - get_info writes a value of the type that the attribute's comment names. The caller provides the space.
 * - Options are NULL or a NUL-terminated string. Unknown ones are ignored. "-hsa_" begins a standard option,
 *   "-hsa_ext_<extension>_" one of an extension, "-<vendor>_" one of a vendor.
 *
 * Where the manual contradicts itself or leaves something out, docs/spec-decisions.md records what was
 * chosen.
 */
#ifndef HSA_H_
#define HSA_H_

/* In the order of the chapters. */
/* clang-format off */
#include "core/platform.h"    /* 2.9 common definitions, models, export macro */
#include "core/status.h"      /* 2.1 initialization and shut down, 2.2 status codes */
#include "core/system.h"      /* 2.3 system, agents, caches, extensions */
#include "core/signal.h"      /* 2.4 signals and signal groups */
#include "core/queue.h"       /* 2.5 queues */
#include "core/packet.h"      /* 2.6 Architected Queuing Language packets */
#include "core/memory.h"      /* 2.7 regions, allocation, copies */
#include "core/isa.h"         /* 2.8 instruction set architectures */
#include "core/executable.h"  /* 2.8 code object readers, executables, symbols */
#include "core/code_object.h" /* 2.8 code objects of HSA 1.0, deprecated */
/* clang-format on */

#endif
