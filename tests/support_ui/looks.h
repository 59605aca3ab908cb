// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QWidget;

namespace disklathe::ui::looks {

// The colours of a light or a dark desktop, and a font that is the same everywhere.
void use_palette(bool dark);
QString folder();
// Grabs the widget into folder()/NAME.png once it has settled.
void shoot(QWidget& widget, const QString& name);

}  // namespace disklathe::ui::looks
