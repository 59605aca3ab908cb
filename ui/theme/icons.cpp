// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/icons.h"

#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QSvgRenderer>

#include "ui/theme/theme.h"

// The library is static: nobody else calls for its resources. Q_INIT_RESOURCE wants to be outside of namespaces.
static void init_icons() { Q_INIT_RESOURCE(icons); }

namespace disklathe::ui {
namespace {

// An SVG whose strokes say "currentColor": painted in the palette's text colour.
class LineIconEngine : public QIconEngine {
 public:
  explicit LineIconEngine(QByteArray svg) : svg_(std::move(svg)) {}
  void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override {
    const Theme& t = theme();
    const QColor ink = mode == QIcon::Disabled ? mix(t.text, t.window, 0.55) : t.text;
    QByteArray colored = svg_;
    colored.replace("currentColor", ink.name().toLatin1());
    QSvgRenderer(colored).render(painter, rect);
  }
  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
    QPixmap drawn(size);
    drawn.fill(Qt::transparent);
    QPainter painter(&drawn);
    paint(&painter, QRect(QPoint(), size), mode, state);
    return drawn;
  }
  QIconEngine* clone() const override { return new LineIconEngine(svg_); }

 private:
  QByteArray svg_;
};

}  // namespace

QIcon action_icon(QLatin1String name) {
  static const bool ready = (init_icons(), true);
  Q_UNUSED(ready)
  if (QIcon::hasThemeIcon(name)) return QIcon::fromTheme(name);
  QFile file(QStringLiteral(":/disklathe/icons/%1.svg").arg(name));
  if (!file.open(QIODevice::ReadOnly)) return {};
  return QIcon(new LineIconEngine(file.readAll()));
}

}  // namespace disklathe::ui
