# Install rules: headers, CMake package, pkg-config file.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_DATADIR}/cmake/ashlar")

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/ashlar" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING PATTERN "*.hpp" PATTERN "*.inc")
install(FILES "${PROJECT_SOURCE_DIR}/src/ashlar.cpp" DESTINATION "${CMAKE_INSTALL_DATADIR}/ashlar")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")

# threads, eigen and cuda are not exported: the package defines them when the user's machine has their libraries, so that
# a package made without oneTBB still offers them.
install(TARGETS ashlar ashlar_reproducible EXPORT ashlar_targets)
install(EXPORT ashlar_targets NAMESPACE ashlar:: FILE ashlarTargets.cmake DESTINATION "${package_dir}")

set(ashlar_source "${CMAKE_INSTALL_DATADIR}/ashlar/ashlar.cpp")
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/ashlarConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/ashlarConfig.cmake" INSTALL_DESTINATION "${package_dir}" PATH_VARS ashlar_source)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/ashlarConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES "${PROJECT_BINARY_DIR}/ashlarConfig.cmake" "${PROJECT_BINARY_DIR}/ashlarConfigVersion.cmake"
  DESTINATION "${package_dir}")

configure_file("${CMAKE_CURRENT_LIST_DIR}/ashlar.pc.in" "${PROJECT_BINARY_DIR}/ashlar.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/ashlar.pc" DESTINATION "${CMAKE_INSTALL_DATADIR}/pkgconfig")
