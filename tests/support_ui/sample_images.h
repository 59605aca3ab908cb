// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/support/temp_dir.h"

namespace disklathe::test {

// Images to look at, made by qemu-img and qemu-io in the folder; a test fails where one cannot be made.

// A disk of a system in two layers, win11.qcow2 on win11-base.qcow2: data in places, zeroes, holes, compressed
// clusters, a partition table, a snapshot.
void make_images(const TempDir& folder);

// What is odd about an image, each in one: broken.qcow2, locked.qcow2, card.img.gz, misnamed.vmdk, old-pc.img.
void make_odd_images(const TempDir& folder);

}  // namespace disklathe::test
