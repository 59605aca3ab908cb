// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QProxyStyle>

namespace disklathe::ui {

// The desktop's style. Only where that is Fusion, which knows one surface: the frames of fields and boxes, so that they
// stand out on paper in dark palettes as well.
class Style : public QProxyStyle {
  Q_OBJECT
 public:
  // Of the application, once.
  static void install();

  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;

 private:
  Style() : QProxyStyle(QStringLiteral("fusion")) {}
};

}  // namespace disklathe::ui
