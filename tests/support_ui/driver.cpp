// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support_ui/driver.h"

#include "ui/controls/text_label.h"

namespace disklathe::ui::drive {
namespace {

QString plain(QString text) {
  text.replace(QLatin1String("&&"), QString(QChar(1)));
  return text.remove(QLatin1Char('&')).replace(QChar(1), QLatin1Char('&'));
}

}  // namespace

QString said(const QWidget& root) {
  QStringList words;
  for (const QWidget* widget : root.findChildren<QWidget*>()) {
    if (!widget->isVisible()) continue;
    if (const auto* text = qobject_cast<const TextLabel*>(widget))
      words << text->whole_text();
    else if (const auto* label = qobject_cast<const QLabel*>(widget))
      words << label->text();
    else if (const auto* pressed = qobject_cast<const QAbstractButton*>(widget))
      words << plain(pressed->text());
  }
  words.removeAll(QString());
  return words.join(QLatin1Char('\n'));
}

bool says(const QWidget& root, const QString& words) {
  const bool found = QTest::qWaitFor([&] { return said(root).contains(words); }, patience_ms);
  if (!found) qWarning("not said: \"%s\", but:\n%s", qPrintable(words), qPrintable(said(root)));
  return found;
}

QAbstractButton* button(const QWidget& root, const QString& text) {
  for (QAbstractButton* one : root.findChildren<QAbstractButton*>())
    if (one->isVisible() && (plain(one->text()) == text || one->accessibleName() == text)) return one;
  return nullptr;
}

bool click(const QWidget& root, const QString& text) {
  const auto can = [&] {
    const QAbstractButton* one = button(root, text);
    return one && one->isEnabled();
  };
  if (!QTest::qWaitFor(can, patience_ms)) {
    qWarning("no button \"%s\" to press; there is:\n%s", qPrintable(text), qPrintable(said(root)));
    return false;
  }
  QTest::mouseClick(button(root, text), Qt::LeftButton);
  return true;
}

bool type_into(const QWidget& root, const QString& name, const QString& words) {
  for (QLineEdit* field : root.findChildren<QLineEdit*>()) {
    if (!field->isVisible() || field->accessibleName() != name) continue;
    field->selectAll();
    QTest::keyClicks(field, words);
    return field->text() == words;
  }
  return false;
}

void drop(QWidget& on, const QStringList& paths) {
  QMimeData data;
  QList<QUrl> urls;
  for (const QString& path : paths) urls << QUrl::fromLocalFile(path);
  data.setUrls(urls);
  QDragEnterEvent enter(on.rect().center(), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(&on, &enter);  // Qt drops only on what was entered
  QDropEvent event(QPointF(on.rect().center()), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(&on, &event);
}

}  // namespace disklathe::ui::drive
