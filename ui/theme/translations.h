// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace disklathe::ui {

// The program's words and Qt's own in the user's language; in English the plural forms. Once, before the first window.
void install_translations();

}  // namespace disklathe::ui
