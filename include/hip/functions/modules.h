/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Functions for modules, for kernels and their launches, and for occupancy.
 *
 * `func` is the host's name of a kernel, as programs write it. Sizes of group memory are in bytes, those of
 * grids in work-groups unless a function says otherwise, those of work-groups in work-items.
 */
#ifndef HIP_FUNCTIONS_MODULES_H_
#define HIP_FUNCTIONS_MODULES_H_

#include <hip/runtime/defaults.h>
#include <hip/runtime/devices.h>
#include <hip/runtime/errors.h>
#include <hip/runtime/memory.h>
#include <hip/runtime/modules.h>
#include <hip/runtime/streams.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Loads a module for the current device: BRIG, or what `heddle hipcc` or hipRTC makes, from a file or from
 * memory, which is copied. hipModuleLoadDataEx() accepts options of other compilers and ignores them. Errors:
 * hipErrorFileNotFound; hipErrorInvalidImage; hipErrorNoBinaryForGpu (code for other devices).
 */
hipError_t hipModuleLoad(hipModule_t* module, const char* fname);
hipError_t hipModuleLoadData(hipModule_t* module, const void* image);
hipError_t hipModuleLoadDataEx(hipModule_t* module, const void* image, unsigned int optionCount,
                               hipJitOption* options, void** optionValues);
hipError_t hipModuleUnload(hipModule_t module);

/** Finds a kernel or a variable of a module by the name that it has there. Error: hipErrorNotFound. */
hipError_t hipModuleGetFunction(hipFunction_t* function, hipModule_t module, const char* name);
hipError_t hipModuleGetGlobal(hipDeviceptr_t* address, size_t* size, hipModule_t module, const char* name);

/**
 * Starts a kernel of a module. Its arguments are `kernelParams`, with the address of each, or a block of
 * memory that `extra` names (HIP_LAUNCH_PARAM_*). Errors: hipErrorInvalidHandle; hipErrorInvalidConfiguration
 * (a size is 0 or beyond a limit); hipErrorLaunchOutOfResources; hipErrorInvalidValue.
 */
hipError_t hipModuleLaunchKernel(hipFunction_t f, unsigned int gridDimX, unsigned int gridDimY,
                                 unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
                                 unsigned int blockDimZ, unsigned int sharedMemBytes, hipStream_t stream,
                                 void** kernelParams, void** extra);

/** Starts a kernel, which is what `kernel<<<grid, block, group memory, stream>>>(...)` becomes. */
hipError_t hipLaunchKernel(const void* func, dim3 numBlocks, dim3 dimBlocks, void** args,
                           size_t sharedMemBytes HIP_DEFAULT(0), hipStream_t stream HIP_DEFAULT(0));
hipError_t hipLaunchKernel_spt(const void* func, dim3 numBlocks, dim3 dimBlocks, void** args,
                               size_t sharedMemBytes, hipStream_t stream);
hipError_t hipExtLaunchKernel(const void* func, dim3 numBlocks, dim3 dimBlocks, void** args,
                              size_t sharedMemBytes, hipStream_t stream, hipEvent_t startEvent,
                              hipEvent_t stopEvent, int flags);

/**
 * Starts a kernel whose work-groups are all executed at once, so that they can wait for each other.
 * Error: hipErrorCooperativeLaunchTooLarge.
 */
hipError_t hipLaunchCooperativeKernel(const void* func, dim3 gridDim, dim3 blockDim, void** kernelParams,
                                      unsigned int sharedMemBytes, hipStream_t stream);
hipError_t hipLaunchCooperativeKernel_spt(const void* func, dim3 gridDim, dim3 blockDim, void** kernelParams,
                                          uint32_t sharedMemBytes, hipStream_t stream);
hipError_t hipLaunchCooperativeKernelMultiDevice(hipLaunchParams* launchParamsList, int numDevices,
                                                 unsigned int flags);
hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t f, unsigned int gridDimX, unsigned int gridDimY,
                                            unsigned int gridDimZ, unsigned int blockDimX,
                                            unsigned int blockDimY, unsigned int blockDimZ,
                                            unsigned int sharedMemBytes, hipStream_t stream,
                                            void** kernelParams);
hipError_t hipModuleLaunchCooperativeKernelMultiDevice(hipFunctionLaunchParams* launchParamsList,
                                                       unsigned int numDevices, unsigned int flags);
hipError_t hipExtLaunchMultiKernelMultiDevice(hipLaunchParams* launchParamsList, int numDevices,
                                              unsigned int flags);

/** Starts a kernel with a configuration, which may have attributes; cooperative launches are one. */
hipError_t hipLaunchKernelExC(const hipLaunchConfig_t* config, const void* func, void** args);
hipError_t hipDrvLaunchKernelEx(const HIP_LAUNCH_CONFIG* config, hipFunction_t f, void** kernelParams,
                                void** extra);

/** Starts a kernel in steps: its shape, each argument, the kernel. */
hipError_t hipConfigureCall(dim3 gridDim, dim3 blockDim, size_t sharedMem HIP_DEFAULT(0),
                            hipStream_t stream HIP_DEFAULT(0));
hipError_t hipSetupArgument(const void* arg, size_t size, size_t offset);
hipError_t hipLaunchByPtr(const void* func);

/** Functions that clang calls around <<<>>>: they keep the shape of a launch until the kernel's stub asks for
 * it. */
hipError_t __hipPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem HIP_DEFAULT(0),
                                      hipStream_t stream HIP_DEFAULT(0));
hipError_t __hipPopCallConfiguration(dim3* gridDim, dim3* blockDim, size_t* sharedMem, hipStream_t* stream);

/** Finds the function of the current device that a kernel is. Error: hipErrorInvalidDeviceFunction. */
hipError_t hipGetFuncBySymbol(hipFunction_t* function, const void* symbol);

/** Tells or sets properties of a kernel. Error: hipErrorInvalidDeviceFunction. */
hipError_t hipFuncGetAttributes(hipFuncAttributes* attr, const void* func);
hipError_t hipFuncGetAttribute(int* value, hipFunction_attribute attribute, hipFunction_t f);
hipError_t hipFuncSetAttribute(const void* func, hipFuncAttribute attribute, int value);
hipError_t hipFuncSetCacheConfig(const void* func, hipFuncCache_t config);
hipError_t hipFuncSetSharedMemConfig(const void* func, hipSharedMemConfig config);

/** Returns the name of a kernel; a string of the library, or NULL. */
const char* hipKernelNameRef(const hipFunction_t f);
const char* hipKernelNameRefByPtr(const void* func, hipStream_t stream);

/**
 * Tells how many work-groups of a kernel a compute unit executes at once, and the size of a work-group and of
 * a grid that use the device best. A limit of 0 is no limit.
 */
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, const void* func, int blockSize,
                                                        size_t dynSharedMemPerBlk);
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* numBlocks, const void* func, int blockSize, size_t dynSharedMemPerBlk,
    unsigned int flags HIP_DEFAULT(hipOccupancyDefault));
hipError_t hipOccupancyMaxPotentialBlockSize(int* gridSize, int* blockSize, const void* func,
                                             size_t dynSharedMemPerBlk, int blockSizeLimit);
hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, hipFunction_t f, int blockSize,
                                                              size_t dynSharedMemPerBlk);
hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* numBlocks, hipFunction_t f,
                                                                       int blockSize,
                                                                       size_t dynSharedMemPerBlk,
                                                                       unsigned int flags);
hipError_t hipModuleOccupancyMaxPotentialBlockSize(int* gridSize, int* blockSize, hipFunction_t f,
                                                   size_t dynSharedMemPerBlk, int blockSizeLimit);
hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(int* gridSize, int* blockSize, hipFunction_t f,
                                                            size_t dynSharedMemPerBlk, int blockSizeLimit,
                                                            unsigned int flags);

#ifdef __cplusplus
}

/**
 * hipModuleLaunchKernel() with the size of the grid in work-items, and with events before and after the
 * kernel. This function is one of C++, by the name that its symbol has.
 */
hipError_t hipExtModuleLaunchKernel(hipFunction_t f, uint32_t globalWorkSizeX, uint32_t globalWorkSizeY,
                                    uint32_t globalWorkSizeZ, uint32_t localWorkSizeX,
                                    uint32_t localWorkSizeY, uint32_t localWorkSizeZ, size_t sharedMemBytes,
                                    hipStream_t stream, void** kernelParams, void** extra,
                                    hipEvent_t startEvent = nullptr, hipEvent_t stopEvent = nullptr,
                                    uint32_t flags = 0);
/** An older name of it, without flags. */
hipError_t hipHccModuleLaunchKernel(hipFunction_t f, uint32_t globalWorkSizeX, uint32_t globalWorkSizeY,
                                    uint32_t globalWorkSizeZ, uint32_t localWorkSizeX,
                                    uint32_t localWorkSizeY, uint32_t localWorkSizeZ, size_t sharedMemBytes,
                                    hipStream_t hStream, void** kernelParams, void** extra,
                                    hipEvent_t startEvent = nullptr, hipEvent_t stopEvent = nullptr);
#endif
#endif /* HIP_FUNCTIONS_MODULES_H_ */
