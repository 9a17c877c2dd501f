# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Debian packages, one for each component of HeddleInstall.cmake: `cpack` in the build folder, or `./dev packages`.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME heddle)
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_CONTACT "heddle maintainers <maintainers@heddle.example>" CACHE STRING "Maintainer of the packages")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY "${CMAKE_BINARY_DIR}/packages")
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_CURRENT_LIST_DIR}/debian/stage.cmake")
set(CPACK_HEDDLE_DEBIAN_FOLDER "${CMAKE_CURRENT_LIST_DIR}/debian")
set(CPACK_HEDDLE_LIBDIR "${CMAKE_INSTALL_LIBDIR}")

set(CPACK_COMPONENTS_ALL runtime finalizer compiler hip tools dev doc)
get_cmake_property(components COMPONENTS)
list(REMOVE_ITEM components ${CPACK_COMPONENTS_ALL})
if(components)
  message(FATAL_ERROR "install() names components that are in no package: ${components} (cmake/HeddlePackages.cmake)")
endif()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# Dependencies on libraries of others come from dpkg-shlibdeps; those between the packages are written below. Libraries of
# heddle that dpkg-shlibdeps meets are in the build folder.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}")
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)
set(same_version "(= ${PROJECT_VERSION})")

# The runtime has the file names of Debian's ROCm runtime and answers its clients, up to the version named here.
set(rocr_version 5.2.3)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME heddle-runtime)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_PROVIDES "libhsa-runtime64-1 (= ${rocr_version})")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONFLICTS libhsa-runtime64-1)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_REPLACES libhsa-runtime64-1)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS "heddle-finalizer ${same_version}")
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "HSA runtime with kernel agents for CPUs
heddle is an HSA platform: the HSA runtime, a compiler for HSAIL, and agents
that execute kernels. This package has the runtime, libhsa-runtime64.so.1,
and the agents: the processors of the host, a reference interpreter, and one
that only completes packets.")

set(CPACK_DEBIAN_FINALIZER_PACKAGE_NAME heddle-finalizer)
set(CPACK_DEBIAN_FINALIZER_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_FINALIZER_DESCRIPTION "assembler, checker and compiler for HSAIL
This package has the toolchain of heddle as a library. The HSA runtime opens
it when a program first finalizes a module; programs with finished code
objects do not need it.")

# clang and libclc are no dependencies: who compiles LLVM IR needs neither.
set(CPACK_DEBIAN_COMPILER_PACKAGE_NAME heddle-compiler)
set(CPACK_DEBIAN_COMPILER_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_COMPILER_PACKAGE_DEPENDS "heddle-finalizer ${same_version}")
set(CPACK_DEBIAN_COMPILER_PACKAGE_RECOMMENDS "clang-22, libclc-22")
set(CPACK_COMPONENT_COMPILER_DESCRIPTION "compiler for kernels in OpenCL C, HIP and LLVM IR
This package has the compiler of heddle as a library, which makes HSAIL of
OpenCL C, of the device functions of HIP programs and of LLVM IR. The command
heddle opens it.")

# The runtime of HIP has the file name of AMD's and answers its programs. Those that compile at run time make it open the
# compiler.
set(CPACK_DEBIAN_HIP_PACKAGE_NAME heddle-hip)
set(CPACK_DEBIAN_HIP_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_HIP_PACKAGE_DEPENDS "heddle-runtime ${same_version}, heddle-finalizer ${same_version}")
set(CPACK_DEBIAN_HIP_PACKAGE_RECOMMENDS "heddle-compiler ${same_version}")
set(CPACK_DEBIAN_HIP_PACKAGE_PROVIDES "libamdhip64-5 (= ${rocr_version})")
set(CPACK_DEBIAN_HIP_PACKAGE_CONFLICTS libamdhip64-5)
set(CPACK_DEBIAN_HIP_PACKAGE_REPLACES libamdhip64-5)
set(CPACK_COMPONENT_HIP_DESCRIPTION "runtime of HIP over HSA
This package has libamdhip64.so.5, with which HIP programs that heddle hipcc
has compiled run on every agent of the HSA runtime.")

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME heddle)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "heddle-runtime ${same_version}, heddle-finalizer ${same_version}")
set(CPACK_DEBIAN_TOOLS_PACKAGE_RECOMMENDS "heddle-compiler ${same_version}, heddle-hip ${same_version}")
set(CPACK_DEBIAN_TOOLS_PACKAGE_SUGGESTS "heddle-doc ${same_version}")
set(CPACK_COMPONENT_TOOLS_DESCRIPTION "command that assembles, checks, runs, times and debugs HSAIL
This package has the command heddle, its manual pages, and completion for
bash, zsh and fish.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME heddle-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
  "heddle-runtime ${same_version}, heddle-finalizer ${same_version}, heddle-compiler ${same_version}")
set(CPACK_DEBIAN_DEV_PACKAGE_PROVIDES "libhsa-runtime-dev (= ${rocr_version})")
set(CPACK_DEBIAN_DEV_PACKAGE_CONFLICTS libhsa-runtime-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_REPLACES libhsa-runtime-dev)
set(CPACK_COMPONENT_DEV_DESCRIPTION "headers and files for building HSA programs and agent drivers
This package has the headers of the HSA runtime, of the driver boundary and
of the HSAIL toolchain and compiler, the files for pkg-config and CMake, and
the conformance suite for agent drivers.")

set(CPACK_DEBIAN_DOC_PACKAGE_NAME heddle-doc)
set(CPACK_DEBIAN_DOC_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_DOC_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_DOC_PACKAGE_SHLIBDEPS OFF)
set(CPACK_COMPONENT_DOC_DESCRIPTION "documents and examples of the HSA platform heddle
This package has the documents of heddle, with the sources of its examples.")

# Packages that are built against the libraries depend on the packages named here (dpkg-shlibdeps reads the files shlibs). Plugins
# are no libraries to link, so the lists are not CPack's.
file(WRITE "${CMAKE_BINARY_DIR}/debian/runtime/shlibs" "libhsa-runtime64 1 heddle-runtime (>= ${PROJECT_VERSION})\n")
get_target_property(finalizer_version heddle_finalizer SOVERSION)
file(WRITE "${CMAKE_BINARY_DIR}/debian/finalizer/shlibs"
  "libheddle-finalizer ${finalizer_version} heddle-finalizer (>= ${PROJECT_VERSION})\n")
get_target_property(compiler_version heddle_compiler SOVERSION)
file(WRITE "${CMAKE_BINARY_DIR}/debian/hip/shlibs" "libamdhip64 5 heddle-hip (>= ${PROJECT_VERSION})\n")
file(WRITE "${CMAKE_BINARY_DIR}/debian/compiler/shlibs"
  "libheddle-compiler ${compiler_version} heddle-compiler (>= ${PROJECT_VERSION})\n")
foreach(component runtime finalizer compiler hip)
  string(TOUPPER ${component} name)
  set(CPACK_DEBIAN_${name}_PACKAGE_CONTROL_EXTRA "${CMAKE_BINARY_DIR}/debian/${component}/shlibs"
    "${CMAKE_CURRENT_LIST_DIR}/debian/triggers")
endforeach()

include(CPack)
