// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <optional>

#include "core/device/enumerate.h"
#include "core/engine/sweep.h"

namespace disklathe::ui {

class QueuedJob;

// Bytes per second that a target was seen to do, kept between starts: what the next job on it is guessed from.
struct Speeds {
  std::optional<double> write, read;

  static Speeds of(const Disk& disk);
  static Speeds of_file(const QString& path);  // of the file system that it is or will be on
  // What a job that has ended tells of its target, where it was long enough to tell anything.
  static void learn_from(const QueuedJob& job);
  // device_id: of the disk that was swept.
  static void learn_from(const QString& device_id, bool writing, const std::vector<SweepPoint>& sweep);
};

// How long a job will take, seconds.
struct TimeGuess {
  double least = 0, most = 0;
  bool measured = false;  // on this very target; else by what targets of its kind do

  // written: bytes that are moved; zeroed: bytes that become zero, which may take no time or as long as writing them;
  // read_back: 0 without verifying.
  static TimeGuess for_device(const Disk& disk, uint64_t written, uint64_t zeroed, uint64_t read_back);
  static TimeGuess for_file(const QString& path, uint64_t written, bool compressed, uint64_t read_back);
  // Of an image of all of a disk: to be compared with it the disk is read once more.
  static TimeGuess for_image_of(const Disk& disk, const QString& path, bool compressed, bool read_back);
};

}  // namespace disklathe::ui
