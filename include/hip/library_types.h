/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Numbers by which libraries over HIP name types of data and parts of their version.
 */
#ifndef HIP_LIBRARY_TYPES_H_
#define HIP_LIBRARY_TYPES_H_

/** R is a real number, C a complex one, and the number is the bits of each part. */
typedef enum hipDataType {
  HIP_R_32F = 0,
  HIP_R_64F = 1,
  HIP_R_16F = 2,
  HIP_C_32F = 4,
  HIP_C_64F = 5,
  HIP_C_16F = 6
} hipDataType;

typedef enum hipLibraryPropertyType {
  HIP_LIBRARY_MAJOR_VERSION,
  HIP_LIBRARY_MINOR_VERSION,
  HIP_LIBRARY_PATCH_LEVEL
} hipLibraryPropertyType;

#endif /* HIP_LIBRARY_TYPES_H_ */
