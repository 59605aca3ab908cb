// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractButton>
#include <QUrl>

namespace disklathe::ui {

// A small dashed place below the images that says what the whole window takes: files. A click asks for them.
class DropStrip : public QAbstractButton {
  Q_OBJECT
 public:
  explicit DropStrip(QWidget* parent = nullptr);
  QSize sizeHint() const override { return {200, 40}; }

 Q_SIGNALS:
  void dropped(const QList<QUrl>& urls);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dragLeaveEvent(QDragLeaveEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  bool hot_ = false;
};

}  // namespace disklathe::ui
