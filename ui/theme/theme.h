// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QFont>
#include <cstdint>

namespace disklathe::ui {

// The whole type scale, as factors of the desktop's font; all with tabular digits.
enum class Face : uint8_t { figure, title, section, body, caption, mono, mono_caption };
QFont font_of(Face face);

// Every colour the program draws with. Neutral ones follow the palette; meanings (Okabe-Ito, safe for colour-blind
// eyes) are fixed, in a set for light and one for dark palettes.
struct Theme {
  bool dark = false;
  QColor window, base, text;   // of the palette
  QColor muted, faint;         // second words; ticks and thin outlines, 3:1 on base
  QColor line, well;           // separators; quiet panels on base
  QColor window_muted;         // second words on window colour
  QColor accent, accent_soft;  // selection
  QColor accent_ink;           // focus rings and thin edges: accent moved until 3:1 on base
  QColor data, compressed, compressed_ink, backing, good, bad, warn;
  QColor good_text, bad_text, warn_text;  // the meanings as words, 4.5:1 and more
  QColor danger_fill;                     // the one destructive button
};

// Of the application's palette, made anew when that changes. GUI thread.
const Theme& theme();

QColor mix(const QColor& a, const QColor& b, double share_of_b);
double contrast(const QColor& a, const QColor& b);  // WCAG 2, 1 to 21

// A role that a label keeps when the palette changes.
enum class Ink : uint8_t { text, muted, window_muted, good, bad, warn };
QColor color_of(Ink ink);

}  // namespace disklathe::ui
