// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QWidget;

namespace disklathe::ui {

// What could not be done, and why, in a box over the window that waits for nobody.
void show_problem(QWidget* window, const QString& title, const QString& why);

}  // namespace disklathe::ui
