// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPainter>
#include <QVector>

namespace disklathe::ui {

// The next of 1, 2 and 5 times a power of ten, for the end and the steps of a scale.
double round_up(double value);
// Values for about `count` lines from 0 to the end of a scale that ends at a round number.
QVector<double> steps_to(double end, int count);
// A hair line across and its number before it.
void paint_level(QPainter& painter, const QRectF& plot, double y, const QString& number);

}  // namespace disklathe::ui
