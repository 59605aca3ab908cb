// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QIcon>
#include <QRectF>
#include <QWidget>
#include <cstdint>

class QPainter;

namespace disklathe::ui {

// The program's own line marks for things and results: one stroke in the colour of the text, on a grid of 22.
enum class Glyph : uint8_t { disk, nvme, usb, card, image, network, layers, good, bad };
void paint_glyph(QPainter& painter, QRectF at, Glyph glyph, const QColor& ink);
// Follows the palette: drawn anew each time it is painted.
QIcon icon_of(Glyph glyph);

// A mark as a widget; decoration beside a word, so it has no name of its own.
class GlyphView : public QWidget {
  Q_OBJECT
 public:
  explicit GlyphView(Glyph glyph, int size, QWidget* parent = nullptr);
  void set_glyph(Glyph glyph);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  Glyph glyph_;
};

}  // namespace disklathe::ui
