# Defences of what we compile and link, for input that we did not write. tests/binaries_test.cpp looks
# for each of them in the built files. Those of the linker cost nothing and are always there; those of
# the compiler cost 1.4 % (SECURITY.md), and -DMULBERRY_HARDEN=OFF leaves them out. Sanitizers bring their own checks
# and do not go well with the latter.
option(MULBERRY_HARDEN "stack protector, checked containers and strings, landing pads" ON)
add_link_options(LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)
if(MULBERRY_HARDEN AND NOT MULBERRY_SANITIZE)
  add_compile_options(-fstack-protector-strong -fstack-clash-protection)
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|i.86")
    add_compile_options(-fcf-protection=full)  # landing pads and shadow stacks
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    add_compile_options(-mbranch-protection=standard)
  endif()
  # Needs optimisation; a distribution may have chosen a level before us.
  add_compile_options($<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE>
                      $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=3>)
endif()

# What is installed searches the folders of the libraries that it was linked with, and is linked so at
# once: when CMake rewrites the list at installation instead, the build leaves an empty entry in it,
# which is the current folder.
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
function(mulberry_final_rpath target)
  set_target_properties(${target} PROPERTIES BUILD_WITH_INSTALL_RPATH ON)
endfunction()
