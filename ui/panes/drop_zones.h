// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QUrl>
#include <QWidget>

#include "ui/theme/glyph.h"

namespace disklathe::ui {

// A place to drop files on, with a dashed frame: one mark, or two with an arrow between, and two lines of words.
class DropZone : public QWidget {
  Q_OBJECT
 public:
  DropZone(const QList<Glyph>& marks, const QString& title, const QString& words, QWidget* parent = nullptr);
  void set_words(const QString& words);

 Q_SIGNALS:
  void dropped(const QList<QUrl>& urls);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dragLeaveEvent(QDragLeaveEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  QList<Glyph> marks_;
  QString title_, words_;
  bool hot_ = false;
};

// What lies over the page while files are dragged across the window: look at them, or convert them.
class DropOverlay : public QWidget {
  Q_OBJECT
 public:
  explicit DropOverlay(QWidget* parent = nullptr);
  void set_files(const QList<QUrl>& urls);

 Q_SIGNALS:
  void inspect(const QList<QUrl>& urls);
  void convert(const QList<QUrl>& urls);

 private:
  DropZone* inspect_;
};

}  // namespace disklathe::ui
