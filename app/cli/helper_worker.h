// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "app/cli/job.h"
#include "core/device/identity.h"
#include "core/job/client.h"

namespace disklathe::cli {

// Devices that this user may not open: the privileged helper opens them for a worker, when polkit says so (which may
// ask for a password, on the desktop or on this terminal). docs/security.md

// Whether it is a block device that this user may not open so, where there is a helper that may.
bool needs_helper(const std::string& path, bool writes);

// To be added to a Handover: what the helper gives the worker.
job::GivenFile granted_file(job::Role role, const std::string& path, const Identity& device, CacheMode cache);

// What the helper is asked for: action is its own ("convert", "zero"), path is what the device is called here.
struct HelperRequest {
  std::string_view action;
  std::string path;
  Identity device;
  uint64_t max_sectors_kib = 0;  // of tune
  bool unasked = false;          // only if nobody has to be asked for a password
};

// The other end of what the helper starts, from the question on: the client of a worker, to be begun when one likes.
class HelperClient {
 public:
  static Result<HelperClient> ask(const HelperRequest& request);
  HelperClient(HelperClient&&) noexcept;
  HelperClient& operator=(HelperClient&&) = delete;
  ~HelperClient();  // who asks no more is opened nothing

  job::Client& client() { return *client_; }
  // Why there is no worker, in words: of an error that came before hello. Errors: `permission` (it was not allowed),
  // `busy` and `refused` (it is not opened).
  Error in_words(Error error) const;

 private:
  class Asker;
  HelperClient(std::string path, std::unique_ptr<Asker> asker, std::unique_ptr<job::Client> client);

  std::string path_;
  std::unique_ptr<Asker> asker_;
  std::unique_ptr<job::Client> client_;
};

// Runs the job in a worker that has the device. Errors: those of HelperClient, and the job's.
Result<job::Outcome> run_by_helper(const HelperRequest& request, const job::Spec& spec,
                                   std::span<const int> descriptors, job::Callbacks callbacks, Job& job);

// What needs no worker ("flush", "tune"): done when this returns, and tune for as long as what is returned lives.
Result<HelperClient> done_by_helper(const HelperRequest& request, Job& job);
// Ends a tune, and waits until it is as before.
void undo_by_helper(HelperClient tuned);

// What a worker finds on the device. Names in the image on it are opened as `open` says.
Result<job::Inspection> inspect_by_helper(const std::string& path, const job::Inspect& asked,
                                          const decltype(job::Callbacks::open)& open, Job& job);

}  // namespace disklathe::cli
