# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compiler settings shared by all targets, and the helpers that declare them.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 99)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
# A shared library exports only what is marked with HSA_API, HSAIL_API or HSAM_API.
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

# A program that uses a shared library is not linked again when only the inside of the library has changed.
set(CMAKE_LINK_DEPENDS_NO_SHARED ON)

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/archive")
# Agent drivers are plugins. The driver looks for them in this folder, relative to the runtime library.
set(HEDDLE_AGENT_SUBDIR "heddle/agents")
# So do the layers that the runtime can put in front of itself.
set(HEDDLE_LAYER_SUBDIR "heddle/layers")

# The headers of HIP, beside the libraries as they are when heddle is installed (src/support/library_folder.h). clang takes a folder
# for one of ROCm only if it has a file with the version, and then includes its own headers for HIP, too.
set(HEDDLE_HIP_SUBDIR "heddle/hip")
set(hip_root "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/${HEDDLE_HIP_SUBDIR}")
file(MAKE_DIRECTORY "${hip_root}/include")
file(CREATE_LINK "${PROJECT_SOURCE_DIR}/include/hip" "${hip_root}/include/hip" SYMBOLIC)
file(STRINGS "${PROJECT_SOURCE_DIR}/include/hip/hip_version.h" hip_version REGEX "define HIP_VERSION_(MAJOR|MINOR|PATCH) ")
list(TRANSFORM hip_version REPLACE "#define (HIP_VERSION_[A-Z]+) ([0-9]+)" "\\1=\\2")
list(JOIN hip_version "\n" hip_version)
file(CONFIGURE OUTPUT "${hip_root}/share/hip/version" CONTENT "${hip_version}\n")

# A path to the build folder would change what the linker writes, such as build IDs, and installing would not change it back.
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)

add_library(heddle_options INTERFACE)
target_compile_options(heddle_options INTERFACE -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers
  -fno-math-errno)
# CMake's Release build removes assertions. Builds that look for mistakes enable them again, and also those of the standard
# library.
if(HEDDLE_ASSERTIONS)
  target_compile_options(heddle_options INTERFACE -UNDEBUG -D_GLIBCXX_ASSERTIONS)
endif()
if(HEDDLE_SANITIZE)
  # Clients may pass any number where the C interfaces take an enumeration, and get an error code for it. For C++ a load of
  # such a value is undefined, but compilers rely on that only with -fstrict-enums.
  add_compile_options(-fsanitize=${HEDDLE_SANITIZE} -fno-sanitize=enum -fno-omit-frame-pointer -gline-tables-only)
  add_link_options(-fsanitize=${HEDDLE_SANITIZE})
  add_compile_definitions(HEDDLE_SANITIZED=1)
endif()
if(HEDDLE_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_link_options(-fuse-ld=lld)
endif()

# heddle_headers(TARGET SCOPE FOLDER): lets TARGET - and, by SCOPE, whoever links it - include the headers of a folder below src/
# or include/ by their names in the source tree, "hsail/brig/module.h" or <hsa/hsa.h>. Each target has an include root of its own,
# which contains only a symbolic link to the folder. Headers of libraries that a target does not link therefore cannot be included,
# and the compiler enforces the directions of dependencies in docs/design.md.
function(heddle_headers target scope folder)
  set(root "${PROJECT_BINARY_DIR}/include/${target}")
  string(REGEX REPLACE "^(src|include)/" "" name "${folder}")
  cmake_path(GET name PARENT_PATH parent)
  file(MAKE_DIRECTORY "${root}/${parent}")
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/${folder}" "${root}/${name}" SYMBOLIC)
  target_include_directories(${target} ${scope} "$<BUILD_INTERFACE:${root}>")
endfunction()

# The public headers, one target for each folder.
foreach(folder hsa hsam hsail hip)
  add_library(heddle_${folder}_headers INTERFACE)
  heddle_headers(heddle_${folder}_headers INTERFACE include/${folder})
endforeach()
target_link_libraries(heddle_hsam_headers INTERFACE heddle_hsa_headers)
target_link_libraries(heddle_hsail_headers INTERFACE heddle_hsa_headers)

# heddle_library(NAME sources...): a static library of this project, with the headers of its folder. The CMakeLists.txt of the
# folder declares its dependencies with target_link_libraries.
function(heddle_library name)
  add_library(${name} STATIC ${ARGN})
  file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
  heddle_headers(${name} PUBLIC "${folder}")
  target_link_libraries(${name} PUBLIC heddle_options)
endfunction()

# heddle_exports(TARGET FILE): lets a shared library or plugin export what the linker's version script says and nothing else, in
# particular no functions that templates of the standard library made.
function(heddle_exports target file)
  target_link_options(${target} PRIVATE "LINKER:--version-script=${file}")
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${file}")
endfunction()

# heddle_agent(NAME sources...): an agent driver plugin, lib<NAME>.so in the agents folder.
function(heddle_agent name)
  add_library(${name} MODULE ${ARGN})
  file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
  heddle_headers(${name} PRIVATE "${folder}")
  set_target_properties(${name} PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/${HEDDLE_AGENT_SUBDIR}")
  target_link_libraries(${name} PRIVATE heddle_options)
  heddle_exports(${name} "${PROJECT_SOURCE_DIR}/src/agents/exports.map")
endfunction()
