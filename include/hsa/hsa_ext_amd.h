/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * The AMD extension of the HSA runtime, which programs for ROCm use. There is one part for each subject.
 */
#ifndef HSA_EXT_AMD_H_
#define HSA_EXT_AMD_H_

/* clang-format off */
#include "hsa.h"
#include "hsa_ext_image.h"
#include "amd/attributes.h" /* attributes of agents and regions */
#include "amd/device.h"     /* parts of AMD's GPUs */
#include "amd/events.h"     /* events that concern the whole program, such as memory faults */
#include "amd/image.h"      /* images in layouts of AMD's GPUs */
#include "amd/lock.h"       /* memory of the operating system that agents access */
#include "amd/memory.h"     /* memory pools and access to them */
#include "amd/pointer.h"    /* what an address belongs to, and callbacks when memory is freed */
#include "amd/sharing.h"    /* memory of several processes, and of other software */
#include "amd/svm.h"        /* attributes of ranges of memory */
#include "amd/virtual_memory.h" /* addresses and memory apart from each other */
#include "amd/copy.h"      /* asynchronous copies */
#include "amd/profiling.h" /* times of dispatches and copies */
#include "amd/queue.h"     /* priorities and compute units of queues */
#include "amd/signal.h"    /* signals with attributes, handlers, signals of several processes */
/* clang-format on */

/** The version of the interface. */
#define HSA_AMD_INTERFACE_VERSION_MAJOR 1
#define HSA_AMD_INTERFACE_VERSION_MINOR 0

#endif
