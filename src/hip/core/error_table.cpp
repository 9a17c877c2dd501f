// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/error_table.h"

#include <algorithm>
#include <iterator>

namespace heddle::hip {
namespace {

#define ERROR_ROW(code, text) {code, #code, text}

constexpr ErrorRow rows[] = {
    ERROR_ROW(hipSuccess, "no error"),
    ERROR_ROW(hipErrorInvalidValue, "an argument is invalid"),
    ERROR_ROW(hipErrorOutOfMemory, "there is not enough memory"),
    ERROR_ROW(hipErrorNotInitialized, "the runtime could not be initialized"),
    ERROR_ROW(hipErrorDeinitialized, "the runtime is shutting down"),
    ERROR_ROW(hipErrorProfilerDisabled, "profiling is disabled"),
    ERROR_ROW(hipErrorProfilerNotInitialized, "the profiler was not initialized"),
    ERROR_ROW(hipErrorProfilerAlreadyStarted, "the profiler was already started"),
    ERROR_ROW(hipErrorProfilerAlreadyStopped, "the profiler was already stopped"),
    ERROR_ROW(hipErrorInvalidConfiguration, "the device cannot have such a grid or work-group"),
    ERROR_ROW(hipErrorInvalidPitchValue, "the pitch is invalid"),
    ERROR_ROW(hipErrorInvalidSymbol, "there is no such variable in device code"),
    ERROR_ROW(hipErrorInvalidDevicePointer, "the address is not in the memory of a device"),
    ERROR_ROW(hipErrorInvalidMemcpyDirection, "the direction of the copy is invalid"),
    ERROR_ROW(hipErrorInsufficientDriver, "the driver is older than the runtime"),
    ERROR_ROW(hipErrorMissingConfiguration, "the launch has no configuration"),
    ERROR_ROW(hipErrorPriorLaunchFailure, "an earlier kernel has failed"),
    ERROR_ROW(hipErrorInvalidDeviceFunction, "there is no such kernel in device code"),
    ERROR_ROW(hipErrorNoDevice, "there is no device"),
    ERROR_ROW(hipErrorInvalidDevice, "there is no device with this number"),
    ERROR_ROW(hipErrorInvalidImage, "the device code is invalid"),
    ERROR_ROW(hipErrorInvalidContext, "the context is invalid"),
    ERROR_ROW(hipErrorContextAlreadyCurrent, "the context is current already"),
    ERROR_ROW(hipErrorMapFailed, "the buffer could not be mapped"),
    ERROR_ROW(hipErrorUnmapFailed, "the buffer could not be unmapped"),
    ERROR_ROW(hipErrorArrayIsMapped, "the array is mapped"),
    ERROR_ROW(hipErrorAlreadyMapped, "the resource is mapped already"),
    ERROR_ROW(hipErrorNoBinaryForGpu, "there is no code for this device"),
    ERROR_ROW(hipErrorAlreadyAcquired, "the resource was acquired already"),
    ERROR_ROW(hipErrorNotMapped, "the resource is not mapped"),
    ERROR_ROW(hipErrorNotMappedAsArray, "the resource is not mapped as an array"),
    ERROR_ROW(hipErrorNotMappedAsPointer, "the resource is not mapped as an address"),
    ERROR_ROW(hipErrorECCNotCorrectable, "memory of the device has an error that cannot be corrected"),
    ERROR_ROW(hipErrorUnsupportedLimit, "the device does not have this limit"),
    ERROR_ROW(hipErrorContextAlreadyInUse, "the context is in use by another thread"),
    ERROR_ROW(hipErrorPeerAccessUnsupported, "the devices cannot access each other's memory"),
    ERROR_ROW(hipErrorInvalidKernelFile, "the file with device code is invalid"),
    ERROR_ROW(hipErrorInvalidGraphicsContext, "the graphics context is invalid"),
    ERROR_ROW(hipErrorInvalidSource, "the source is invalid"),
    ERROR_ROW(hipErrorFileNotFound, "the file was not found"),
    ERROR_ROW(hipErrorSharedObjectSymbolNotFound, "a symbol of device code was not found"),
    ERROR_ROW(hipErrorSharedObjectInitFailed, "device code could not be loaded"),
    ERROR_ROW(hipErrorOperatingSystem, "a call of the operating system failed"),
    ERROR_ROW(hipErrorInvalidHandle, "the handle is invalid"),
    ERROR_ROW(hipErrorIllegalState, "the object is not in a state that permits this"),
    ERROR_ROW(hipErrorNotFound, "the name was not found"),
    ERROR_ROW(hipErrorNotReady, "the work is not complete yet"),
    ERROR_ROW(hipErrorIllegalAddress, "a kernel accessed an address without memory"),
    ERROR_ROW(hipErrorLaunchOutOfResources, "the launch needs more resources than the device has"),
    ERROR_ROW(hipErrorLaunchTimeOut, "a kernel took too long"),
    ERROR_ROW(hipErrorPeerAccessAlreadyEnabled, "access to the memory of this device was enabled already"),
    ERROR_ROW(hipErrorPeerAccessNotEnabled, "access to the memory of this device was not enabled"),
    ERROR_ROW(hipErrorSetOnActiveProcess, "the device is in use already"),
    ERROR_ROW(hipErrorContextIsDestroyed, "the context or stream was destroyed"),
    ERROR_ROW(hipErrorAssert, "an assertion in a kernel failed"),
    ERROR_ROW(hipErrorHostMemoryAlreadyRegistered, "the memory was registered already"),
    ERROR_ROW(hipErrorHostMemoryNotRegistered, "the memory was not registered"),
    ERROR_ROW(hipErrorLaunchFailure, "a kernel failed"),
    ERROR_ROW(hipErrorCooperativeLaunchTooLarge,
              "the cooperative launch has more work-groups than fit on the device at once"),
    ERROR_ROW(hipErrorNotSupported, "this is not supported"),
    ERROR_ROW(hipErrorStreamCaptureUnsupported, "a stream that is being captured does not permit this"),
    ERROR_ROW(hipErrorStreamCaptureInvalidated, "an earlier error has invalidated the capture"),
    ERROR_ROW(hipErrorStreamCaptureMerge, "two captures that are independent would be merged"),
    ERROR_ROW(hipErrorStreamCaptureUnmatched, "the capture was begun in another stream"),
    ERROR_ROW(hipErrorStreamCaptureUnjoined, "work of another stream was not joined to the captured one"),
    ERROR_ROW(hipErrorStreamCaptureIsolation, "a dependency would cross the boundary of the capture"),
    ERROR_ROW(hipErrorStreamCaptureImplicit, "work would depend on the default stream implicitly"),
    ERROR_ROW(hipErrorCapturedEvent, "the event was last recorded in a stream that is being captured"),
    ERROR_ROW(hipErrorStreamCaptureWrongThread, "the capture was begun by another thread"),
    ERROR_ROW(hipErrorGraphExecUpdateFailure, "the graph differs too much for an update"),
    ERROR_ROW(hipErrorUnknown, "the error is unknown"),
    ERROR_ROW(hipErrorRuntimeMemory, "a memory call of the runtime below failed"),
    ERROR_ROW(hipErrorRuntimeOther, "a call of the runtime below failed"),
    ERROR_ROW(hipErrorTbd, "the error has no name yet")};

#undef ERROR_ROW

}  // namespace

const ErrorRow& row_of(hipError_t code) {
  const auto* const row = std::ranges::find(rows, code, &ErrorRow::code);
  return row != std::end(rows) ? *row : *std::ranges::find(rows, hipErrorUnknown, &ErrorRow::code);
}

}  // namespace heddle::hip
