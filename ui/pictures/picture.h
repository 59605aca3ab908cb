// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPoint>
#include <QString>
#include <QStringList>
#include <QVector>
#include <QWidget>

namespace disklathe::ui {

// What a picture shows, as rows of words: for a screen reader, for CSV, and for who prefers a table.
struct PictureTable {
  QStringList headers;
  QVector<QStringList> rows;
};

// Base of every drawing. Gives it the keyboard (arrows walk its marks, Home and End, F2 shows the table), a read-out
// under the pointer, a name and the reading of the current mark for screen readers, and a menu that saves it as PNG,
// copies it as CSV and shows it as a table.
class Picture : public QWidget {
  Q_OBJECT
 public:
  explicit Picture(const QString& name, QWidget* parent = nullptr);

  virtual PictureTable table() const = 0;
  QByteArray csv() const;
  bool save_png(const QString& path);
  void show_table();

 protected:
  // Marks that the pointer and the keyboard can stand on; none by default.
  virtual int mark_count() const { return 0; }
  virtual int mark_at(QPoint) const { return -1; }
  virtual QString reading_of(int) const { return {}; }
  virtual QRectF place_of(int) const { return {}; }
  // Marks that Up and Down go over.
  virtual int row_length() const { return 1; }

  int current_mark() const { return current_; }  // -1: none
  void set_current_mark(int mark);
  // The reading of the current mark, beside it and inside of the picture. To be painted last.
  void paint_reading(QPainter& painter) const;
  void paint_focus(QPainter& painter) const;

  void keyPressEvent(QKeyEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  int current_ = -1;
};

}  // namespace disklathe::ui
