// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/icons.h"

#include <QFile>
#include <QHash>
#include <QPainter>
#include <QSvgRenderer>

#include "ui/theme/drawn_icon.h"

// The library is static: nobody else calls for its resources. Q_INIT_RESOURCE wants to be outside of namespaces.
static void init_icons() { Q_INIT_RESOURCE(icons); }

namespace disklathe::ui {

namespace {

QIcon find_icon(QLatin1String name) {
  if (QIcon::hasThemeIcon(name)) return QIcon::fromTheme(name);
  QFile file(QStringLiteral(":/disklathe/icons/%1.svg").arg(name));
  if (!file.open(QIODevice::ReadOnly)) return {};
  // The strokes of ours say "currentColor".
  return drawn_icon([svg = file.readAll()](QPainter& p, const QRect& at, const QColor& ink) {
    QByteArray colored = svg;
    colored.replace("currentColor", ink.name().toLatin1());
    QSvgRenderer(colored).render(&p, at);
  });
}

}  // namespace

// Found once: whether a theme has an icon is asked of the disk.
QIcon action_icon(QLatin1String name) {
  static const bool ready = (init_icons(), true);
  Q_UNUSED(ready)
  static QString searched;  // the theme
  static QHash<QLatin1String, QIcon> found;
  if (const QString now = QIcon::themeName(); now != searched) {
    searched = now;
    found.clear();
  }
  if (!found.contains(name)) found[name] = find_icon(name);
  return found[name];
}

}  // namespace disklathe::ui
