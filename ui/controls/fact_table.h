// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableWidget>
#include <cstdint>

namespace disklathe::ui {

// A table of facts: as high as its rows, since the page scrolls and not the table. No grid, hair lines, numbers at the
// end. The keyboard walks it cell by cell; a cell that is cut shows the whole in its tool tip.
class FactTable : public QTableWidget {
  Q_OBJECT
 public:
  enum class Look : uint8_t { first, plain, number, caption };  // first: the row's name
  struct Column {
    QString title;
    Look look = Look::plain;
    int width = 0;  // 0: what is left
  };
  FactTable(const QString& name, const QVector<Column>& columns, QWidget* parent = nullptr);

  struct Cell {
    QString text;
    bool warn = false;    // a sign before it
    bool absent = false;  // said in second words: "not reported"
  };
  void set_rows(const QVector<QVector<Cell>>& rows);
  void set_row_height(int height);

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {200, sizeHint().height()}; }

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fit_columns();

  QVector<Column> columns_;
  int row_height_ = 28;
};

}  // namespace disklathe::ui
