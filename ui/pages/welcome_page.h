// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QUrl>
#include <QWidget>

namespace disklathe::ui {

// What the window shows before anything is chosen: where to drop an image, and what else can be done.
class WelcomePage : public QWidget {
  Q_OBJECT
 public:
  explicit WelcomePage(QWidget* parent = nullptr);

 Q_SIGNALS:
  void open_wanted();
  void dropped(const QList<QUrl>& urls);
};

}  // namespace disklathe::ui
