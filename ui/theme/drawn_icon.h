// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QIcon>
#include <functional>

namespace disklathe::ui {

// An icon that is drawn anew each time, in the palette's colour of words, or of words that are disabled.
using DrawIcon = std::function<void(QPainter& painter, const QRect& at, const QColor& ink)>;
QIcon drawn_icon(DrawIcon draw);

}  // namespace disklathe::ui
