/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Arguments that C++ programs may leave out.
 */
#ifndef HIP_RUNTIME_DEFAULTS_H_
#define HIP_RUNTIME_DEFAULTS_H_

/* HIP_DEFAULT(value) after a parameter is its default argument in C++, and nothing in C. */
#ifdef __cplusplus
#define HIP_DEFAULT(value) = value
#else
#define HIP_DEFAULT(value)
#endif

#endif /* HIP_RUNTIME_DEFAULTS_H_ */
