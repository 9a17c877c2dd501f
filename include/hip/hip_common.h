/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Macros by which a program finds out how it is being compiled. Included by every other header of HIP.
 *
 * __HIPCC__               the compiler understands HIP
 * __HIP_DEVICE_COMPILE__  defined by the compiler while functions of the device are compiled
 * __HIP_ARCH_HAS_*__      1 or 0: what the device can do. The host, which does not know the device, sees 0
 */
#ifndef HIP_COMMON_H_
#define HIP_COMMON_H_

#ifndef __HIP_PLATFORM_AMD__
#define __HIP_PLATFORM_AMD__ 1
#endif
#ifndef __HIP_PLATFORM_HCC__
#define __HIP_PLATFORM_HCC__ 1
#endif

#if defined(__HIP__)
#define __HIPCC__ 1
#define __HIP_CLANG_ONLY__ 1
#endif

#if defined(__HIP_DEVICE_COMPILE__)
#define __HIP_ARCH_HAS__ 1
#else
#define __HIP_ARCH_HAS__ 0
#endif

#define __HIP_ARCH_HAS_GLOBAL_INT32_ATOMICS__ __HIP_ARCH_HAS__
#define __HIP_ARCH_HAS_GLOBAL_FLOAT_ATOMIC_EXCH__ __HIP_ARCH_HAS__
#define __HIP_ARCH_HAS_SHARED_INT32_ATOMICS__ __HIP_ARCH_HAS__
#define __HIP_ARCH_HAS_SHARED_FLOAT_ATOMIC_EXCH__ __HIP_ARCH_HAS__
#define __HIP_ARCH_HAS_FLOAT_ATOMIC_ADD__ __HIP_ARCH_HAS__
#define __HIP_ARCH_HAS_GLOBAL_INT64_ATOMICS__ __HIP_ARCH_HAS__
#define __HIP_ARCH_HAS_SHARED_INT64_ATOMICS__ __HIP_ARCH_HAS__
#define __HIP_ARCH_HAS_DOUBLES__ __HIP_ARCH_HAS__
#define __HIP_ARCH_HAS_WARP_VOTE__ __HIP_ARCH_HAS__
#define __HIP_ARCH_HAS_WARP_BALLOT__ __HIP_ARCH_HAS__
#define __HIP_ARCH_HAS_WARP_SHUFFLE__ __HIP_ARCH_HAS__
#define __HIP_ARCH_HAS_WARP_FUNNEL_SHIFT__ 0
#define __HIP_ARCH_HAS_THREAD_FENCE_SYSTEM__ __HIP_ARCH_HAS__
#define __HIP_ARCH_HAS_SYNC_THREAD_EXT__ 0
#define __HIP_ARCH_HAS_SURFACE_FUNCS__ __HIP_ARCH_HAS__
#define __HIP_ARCH_HAS_3DGRID__ __HIP_ARCH_HAS__
#define __HIP_ARCH_HAS_DYNAMIC_PARALLEL__ 0

#endif /* HIP_COMMON_H_ */
