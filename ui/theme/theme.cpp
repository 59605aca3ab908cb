// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/theme.h"

#include <QApplication>
#include <QFontDatabase>
#include <QPalette>
#include <array>
#include <cmath>
#include <optional>

namespace disklathe::ui {
namespace {

double luminance(const QColor& color) {
  const auto linear = [](double v) { return v <= 0.03928 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
  return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

Theme theme_of(const QPalette& palette) {
  Theme t;
  t.window = palette.color(QPalette::Active, QPalette::Window);
  t.base = palette.color(QPalette::Active, QPalette::Base);
  t.text = palette.color(QPalette::Active, QPalette::Text);
  t.accent = palette.color(QPalette::Active, QPalette::Highlight);
  t.dark = luminance(t.base) < luminance(t.text);
  t.muted = mix(t.text, t.base, t.dark ? 0.34 : 0.32);
  t.faint = mix(t.text, t.base, t.dark ? 0.58 : 0.48);
  t.line = mix(t.text, t.base, 0.86);
  t.well = mix(t.text, t.base, t.dark ? 0.93 : 0.965);
  t.window_muted = mix(t.text, t.window, 0.28);
  t.accent_soft = mix(t.accent, t.base, 0.80);
  t.accent_ink = t.accent;
  for (double k = 0.04; contrast(t.accent_ink, t.base) < 3.2 && k < 1; k += 0.04)
    t.accent_ink = mix(t.accent, t.text, k);

  const auto meaning = [&](QRgb rgb, double lift) { return t.dark ? mix(QColor(rgb), Qt::white, lift) : QColor(rgb); };
  t.data = meaning(0x0072b2, 0.24);
  t.compressed = meaning(0xe69f00, 0.05);
  t.backing = meaning(0xcc79a7, 0.08);
  t.good = meaning(0x009e73, 0.14);
  t.bad = meaning(0xd55e00, 0.12);
  t.warn = meaning(0xe69f00, 0.05);
  t.compressed_ink = t.dark ? t.compressed : QColor(0xc48700);
  t.good_text = QColor(t.dark ? 0x3cc79b : 0x00714f);
  t.bad_text = QColor(t.dark ? 0xff9351 : 0xa84300);
  t.warn_text = QColor(t.dark ? 0xf0b840 : 0x805600);
  t.danger_fill = QColor(0xb84f00);
  return t;
}

QFont made_font(Face face, QFont font) {
  const double body = font.pointSizeF() > 0 ? font.pointSizeF() : font.pixelSize() * 0.75;
  const auto sized = [&](double factor, QFont::Weight weight) {
    font.setPointSizeF(body * factor);
    font.setWeight(weight);
  };
  switch (face) {
    case Face::figure: sized(1.6, QFont::DemiBold); break;
    case Face::title: sized(1.4, QFont::DemiBold); break;
    case Face::section: sized(1.0, QFont::DemiBold); break;
    case Face::body: break;
    case Face::caption: sized(0.9, QFont::Normal); break;
    case Face::mono:
    case Face::mono_caption:
      font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
      font.setPointSizeF(body * (face == Face::mono ? 0.95 : 0.85));
      break;
  }
  font.setFeature("tnum", 1);
  return font;
}

}  // namespace

QColor mix(const QColor& a, const QColor& b, double share) {
  const auto between = [share](float x, float y) { return static_cast<float>(x + (y - x) * share); };
  return QColor::fromRgbF(between(a.redF(), b.redF()), between(a.greenF(), b.greenF()), between(a.blueF(), b.blueF()),
                          between(a.alphaF(), b.alphaF()));
}

double contrast(const QColor& a, const QColor& b) {
  const double x = luminance(a) + 0.05, y = luminance(b) + 0.05;
  return x > y ? x / y : y / x;
}

// Kept, as with a font goes what was looked up for it: metrics and glyphs.
QFont font_of(Face face) {
  static QFont made_of;
  static std::array<std::optional<QFont>, static_cast<size_t>(Face::mono_caption) + 1> made;
  if (const QFont now = QApplication::font(); now != made_of) {
    made_of = now;
    made = {};
  }
  auto& font = made[static_cast<size_t>(face)];
  if (!font) font = made_font(face, made_of);
  return *font;
}

const Theme& theme() {
  static qint64 key = 0;
  static Theme current;
  const QPalette palette = QApplication::palette();
  if (key != palette.cacheKey()) {
    key = palette.cacheKey();
    current = theme_of(palette);
  }
  return current;
}

QColor color_of(Ink ink) {
  const Theme& t = theme();
  switch (ink) {
    case Ink::text: return t.text;
    case Ink::muted: return t.muted;
    case Ink::window_muted: return t.window_muted;
    case Ink::good: return t.good_text;
    case Ink::bad: return t.bad_text;
    case Ink::warn: return t.warn_text;
  }
  return t.text;
}

}  // namespace disklathe::ui
