// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <dlfcn.h>

namespace disklathe {

// A shared library that is loaded when something first needs it (docs/adr/0017), for as long as the process lives.
// Types of functions come from the library's own header: `decltype(&::gnutls_init)`.
class LateLibrary {
 public:
  explicit LateLibrary(const char* soname) : handle_(dlopen(soname, RTLD_NOW | RTLD_LOCAL)) {}

  bool loaded() const { return handle_ != nullptr; }

  template <class Function>
  void find(const char* name, Function& into) {
    into = handle_ ? reinterpret_cast<Function>(dlsym(handle_, name)) : nullptr;
    if (!into) missing_ = name;
  }
  // One of the functions that were looked for in vain; null: none.
  const char* missing() const { return missing_; }

 private:
  void* handle_;
  const char* missing_ = nullptr;
};

}  // namespace disklathe
