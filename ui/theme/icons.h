// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QIcon>
#include <QLatin1String>

namespace disklathe::ui {

// The desktop theme's icon of that name, or our own line drawing where the theme has none. Our own follow the palette.
QIcon action_icon(QLatin1String name);

}  // namespace disklathe::ui
