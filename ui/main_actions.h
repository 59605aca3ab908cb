// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QAction;
class QWidget;

namespace disklathe::ui {

class MainWindow;

// What can be done from the window's tools, its menu and by keys.
class MainActions : public QObject {
  Q_OBJECT
 public:
  explicit MainActions(MainWindow& window);
  QWidget* make_tools();
  void update();  // which can be done now

 private:
  QAction* add(const QString& text, const QIcon& icon, const QKeySequence& key, void (MainActions::*slot)());
  void convert();
  void write_to_device();
  void make_image();
  void export_image();
  void verify();
  void show_history();
  void show_preferences();
  void show_about();
  void open();
  void quit();

  MainWindow& window_;
  QAction *open_, *convert_, *write_, *make_image_, *export_, *verify_, *history_, *preferences_, *about_, *quit_;
};

}  // namespace disklathe::ui
