// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QRectF>
#include <QString>
#include <cstdint>

#include "ui/theme/theme.h"

class QPainter;
class QWidget;

namespace disklathe::ui {

// What a run of an image's or device's bytes is, as every picture draws it: fill, hatch and outline besides colour.
// partition: of a device that was not read, what its table says is used.
enum class ContentKind : uint8_t { data, compressed, backing, zero, hole, encrypted, unreadable, partition };

// strength below 1 pales it: not written yet.
void paint_kind(QPainter& painter, QRectF at, ContentKind kind, double strength = 1);
void paint_hatch(QPainter& painter, QRectF at, const QColor& color, double pitch, bool crossed, double width);
// Under a cell: one bar of 2 px is written, two of 1 px verified. Soft where nothing but zeroes was put.
void paint_under_bar(QPainter& painter, QPointF at, double width, bool verified, bool soft);
void paint_text(QPainter& painter, QRectF at, int flags, const QString& text, Face face, const QColor& ink);
// Words that stay readable on top of a drawing; returns where they went.
QRectF paint_plate(QPainter& painter, QPointF at, const QString& text, Face face, const QColor& ink);
// Dark words in a box of the text colour, for the one reading that matters.
void paint_flag(QPainter& painter, QRectF at, const QString& text);
double width_of(const QString& text, Face face);
double height_of(Face face);

// Rows, legends and badges mirror through this; axes over addresses and sizes stay left to right everywhere.
QRectF mirrored(const QWidget& widget, QRectF at);

}  // namespace disklathe::ui
