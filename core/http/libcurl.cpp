// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/http/libcurl.h"

#include <string>

#include "core/base/late_library.h"

namespace disklathe::http {
namespace {

// With GnuTLS, which the NBD side uses as well; else whichever there is.
constexpr const char* library_names[] = {"libcurl-gnutls.so.4", "libcurl.so.4"};

std::unexpected<Error> unavailable(std::string cause) {
  return failure(ErrorKind::unsupported, "open", std::move(cause));
}

Result<LibCurl> load_now() {
  LateLibrary library(library_names[0]);
  if (!library.loaded()) library = LateLibrary(library_names[1]);
  if (!library.loaded()) return unavailable("web addresses need libcurl, which is not installed here");
  LibCurl api{};
  library.find("curl_global_init", api.global_init);
  library.find("curl_easy_init", api.easy_init);
  library.find("curl_easy_cleanup", api.easy_cleanup);
  library.find("curl_easy_setopt", api.easy_setopt);
  library.find("curl_easy_perform", api.easy_perform);
  library.find("curl_easy_getinfo", api.easy_getinfo);
  library.find("curl_easy_pause", api.easy_pause);
  library.find("curl_easy_strerror", api.easy_strerror);
  library.find("curl_multi_init", api.multi_init);
  library.find("curl_multi_cleanup", api.multi_cleanup);
  library.find("curl_multi_setopt", api.multi_setopt);
  library.find("curl_multi_add_handle", api.multi_add_handle);
  library.find("curl_multi_remove_handle", api.multi_remove_handle);
  library.find("curl_multi_perform", api.multi_perform);
  library.find("curl_multi_poll", api.multi_poll);
  library.find("curl_multi_wakeup", api.multi_wakeup);
  library.find("curl_multi_info_read", api.multi_info_read);
  library.find("curl_slist_append", api.slist_append);
  library.find("curl_slist_free_all", api.slist_free_all);
  if (library.missing())
    return unavailable(std::string("the libcurl that is installed here is too old: it has no ") + library.missing());
  if (api.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return unavailable("libcurl could not be started");
  return api;
}

}  // namespace

Result<const LibCurl*> LibCurl::load() {
  static const Result<LibCurl> loaded = load_now();
  if (!loaded) return std::unexpected(loaded.error());
  return &*loaded;
}

}  // namespace disklathe::http
