// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support_ui/looks.h"

#include <QTest>
#include <QtWidgets>

#include "ui/theme/style.h"
#include "ui/theme/theme.h"

namespace disklathe::ui::looks {

void use_palette(bool dark) {
  struct Row {
    QPalette::ColorRole role;
    QRgb light, dark;
  };
  constexpr Row rows[] = {
      {QPalette::Window, 0xeff0f1, 0x202326},
      {QPalette::WindowText, 0x232629, 0xfcfcfc},
      {QPalette::Base, 0xffffff, 0x141618},
      {QPalette::AlternateBase, 0xf7f7f7, 0x1d1f22},
      {QPalette::Text, 0x232629, 0xfcfcfc},
      {QPalette::Button, 0xfcfcfc, 0x292c30},
      {QPalette::ButtonText, 0x232629, 0xfcfcfc},
      {QPalette::Highlight, 0x3daee9, 0x3daee9},
      {QPalette::HighlightedText, 0xffffff, 0xfcfcfc},
      {QPalette::ToolTipBase, 0xf7f7f7, 0x292c30},
      {QPalette::ToolTipText, 0x232629, 0xfcfcfc},
      {QPalette::Light, 0xffffff, 0x40464c},
      {QPalette::Midlight, 0xf6f7f7, 0x33383c},
      {QPalette::Mid, 0xc4c8cc, 0x1a1c1e},
      {QPalette::Dark, 0x888e93, 0x111314},
      {QPalette::Shadow, 0x474a4c, 0x0a0b0c},
      {QPalette::Accent, 0x3daee9, 0x3daee9},
  };
  QPalette palette;
  for (const Row& row : rows) palette.setColor(row.role, QColor(dark ? row.dark : row.light));
  const QColor text = palette.color(QPalette::Text), base = palette.color(QPalette::Base);
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
    palette.setColor(QPalette::Disabled, role, mix(text, base, 0.55));
  palette.setColor(QPalette::PlaceholderText, mix(text, base, 0.42));
  QApplication::setStyle(QStringLiteral("fusion"));
  Style::install();
  QApplication::setPalette(palette);
  QFont font = QApplication::font();
  if (QFontDatabase::families().contains(QLatin1String("Noto Sans"))) font.setFamily(QStringLiteral("Noto Sans"));
  font.setPointSizeF(10);
  font.setHintingPreference(QFont::PreferNoHinting);
  QApplication::setFont(font);
}

QString folder() {
  return qEnvironmentVariable(
      "DISKLATHE_SCREENSHOTS",
      qEnvironmentVariable("DISKLATHE_BUILD_DIR", QStringLiteral(".")) + QStringLiteral("/screenshots"));
}

void shoot(QWidget& widget, const QString& name) {
  QCursor::setPos(-50, -50);  // nothing is under the pointer
  QTest::qWait(60);
  QVERIFY2(widget.grab().save(folder() + QLatin1Char('/') + name + QLatin1String(".png")), qPrintable(name));
}

}  // namespace disklathe::ui::looks
