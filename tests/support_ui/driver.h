// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets>

#include <QTest>

// What a person does with the window, and what she reads there.
namespace disklathe::ui::drive {

inline constexpr int patience_ms = 30'000;

// Every word that is shown, a line each: labels whole (also where they are cut), buttons without their mnemonics.
QString said(const QWidget& root);
bool says(const QWidget& root, const QString& words);               // within patience_ms
QAbstractButton* button(const QWidget& root, const QString& text);  // shown, with that word or name; null: none
bool click(const QWidget& root, const QString& text);               // once it is there and can be pressed

// Over what is in the line of that name; false: there is none.
bool type_into(const QWidget& root, const QString& name, const QString& words);

// Files dragged from elsewhere, onto the middle of a widget.
void drop(QWidget& on, const QStringList& paths);

// The dialog that is open, waited for; null: none came.
template <class Dialog>
Dialog* dialog(const QWidget& window) {
  Dialog* found = nullptr;
  (void)QTest::qWaitFor(
      [&] {
        for (Dialog* one : window.findChildren<Dialog*>())
          if (one->isVisible()) found = one;
        return found != nullptr;
      },
      patience_ms);
  return found;
}

}  // namespace disklathe::ui::drive
