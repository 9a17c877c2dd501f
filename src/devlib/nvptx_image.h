// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Image instructions on NVIDIA GPUs. They are those of src/image, which agents on the host execute, too; its
// source is part of this one, so that the same compilation makes bitcode of it.
#pragma once

#include "image/access.cpp"
#include "image/element.cpp"
#include "image/instruction.cpp"
#include "image/srgb.cpp"
#include "image/tables.cpp"

// The arguments are those of TargetOperation::image. The result says whether a handle is misused, as an
// image::Misuse. There is a function for each opcode, so that kernels contain only what they use.
#define IMAGE_FUNCTION(NAME)                                                                       \
  extern "C" uint32_t hsail_dev_image_##NAME(uint32_t opcode, uint32_t geometry, uint32_t type,    \
                                             uint32_t detail, uint64_t image, uint64_t sampler,    \
                                             uint32_t* words) {                                    \
    const heddle::image::Operation operation = {(uint8_t)opcode, (uint8_t)geometry, (uint8_t)type, \
                                                (uint8_t)detail};                                  \
    return (uint32_t)heddle::image::execute_##NAME(operation, {image, sampler, words, words + 4}); \
  }

IMAGE_FUNCTION(read)
IMAGE_FUNCTION(load)
IMAGE_FUNCTION(store)
IMAGE_FUNCTION(image_query)
IMAGE_FUNCTION(sampler_query)
