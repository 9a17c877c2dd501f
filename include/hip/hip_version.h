/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * The version of HIP whose interface these headers describe. Programs compare HIP_VERSION, which is
 * HIP_VERSION_MAJOR * 10000000 + HIP_VERSION_MINOR * 100000 + HIP_VERSION_PATCH.
 */
#ifndef HIP_VERSION_H_
#define HIP_VERSION_H_

#define HIP_VERSION_MAJOR 5
#define HIP_VERSION_MINOR 2
#define HIP_VERSION_PATCH 21153
#define HIP_VERSION_GITHASH "heddle"
#define HIP_VERSION_BUILD_ID 0
#define HIP_VERSION_BUILD_NAME ""
#define HIP_VERSION (HIP_VERSION_MAJOR * 10000000 + HIP_VERSION_MINOR * 100000 + HIP_VERSION_PATCH)

#define __HIP_HAS_GET_PCH 0

#endif /* HIP_VERSION_H_ */
