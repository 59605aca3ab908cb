# SPDX-License-Identifier: GPL-3.0-or-later
#
# The libraries Disklathe::core stands on. Used by the build and, because the library is static, by the installed
# package as well.

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(PkgConfig REQUIRED)

set(DISKLATHE_CORE_LIBRARIES nlohmann_json::nlohmann_json)
foreach(module liburing libdeflate zlib libzstd liblzma libxxhash nettle gnutls libseccomp blkid mount libudev)
  string(MAKE_C_IDENTIFIER disklathe_${module} name)
  pkg_check_modules(${name} REQUIRED IMPORTED_TARGET ${module})
  list(APPEND DISKLATHE_CORE_LIBRARIES PkgConfig::${name})
endforeach()
find_package(BZip2 REQUIRED)
list(APPEND DISKLATHE_CORE_LIBRARIES BZip2::BZip2)
