// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QVariant>

namespace disklathe::ui {

// Keeps a setting. QSettings waits for the disk, which is busy while jobs write: here a thread of its own does. Who
// reads it right afterwards may see what was before.
void keep_setting(const QString& key, const QVariant& value);
// Until all is kept.
void wait_for_settings();

}  // namespace disklathe::ui
