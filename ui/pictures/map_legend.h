// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/pictures/paint.h"

namespace disklathe::ui {

// What the marks of a map mean, with amounts; wraps where it is narrow.
class MapLegend : public QWidget {
  Q_OBJECT
 public:
  enum class Mark : uint8_t { kind, written, verified, now, differs, touched };
  struct Item {
    Mark mark = Mark::kind;
    ContentKind kind = ContentKind::data;
    QString name, amount;
    bool operator==(const Item&) const = default;
  };
  explicit MapLegend(QWidget* parent = nullptr);
  void set_items(const QVector<Item>& items);
  QSize sizeHint() const override { return {600, height_for(width())}; }
  QSize minimumSizeHint() const override { return {200, height_for(width())}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  int height_for(int width) const;
  double place(double width, QPainter* painter) const;

  QVector<Item> items_;
};

}  // namespace disklathe::ui
