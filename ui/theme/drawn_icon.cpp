// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/drawn_icon.h"

#include <QIconEngine>
#include <QPainter>

#include "ui/theme/theme.h"

namespace disklathe::ui {
namespace {

class Engine : public QIconEngine {
 public:
  explicit Engine(DrawIcon draw) : draw_(std::move(draw)) {}
  void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override {
    const Theme& t = theme();
    draw_(*painter, rect, mode == QIcon::Disabled ? mix(t.text, t.window, 0.55) : t.text);
  }
  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
    QPixmap drawn(size);
    drawn.fill(Qt::transparent);
    QPainter painter(&drawn);
    paint(&painter, QRect(QPoint(), size), mode, state);
    return drawn;
  }
  QIconEngine* clone() const override { return new Engine(draw_); }

 private:
  DrawIcon draw_;
};

}  // namespace

QIcon drawn_icon(DrawIcon draw) { return QIcon(new Engine(std::move(draw))); }

}  // namespace disklathe::ui
