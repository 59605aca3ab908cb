// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractListModel>
#include <memory>

namespace disklathe::ui {

class OpenImage;
using ImagePtr = std::shared_ptr<OpenImage>;

// The rows of the images pane: files that were dropped or opened, kept between starts.
class ImageModel : public QAbstractListModel {
  Q_OBJECT
 public:
  explicit ImageModel(QObject* parent = nullptr);
  ~ImageModel() override;
  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QMimeData* mimeData(const QModelIndexList& indexes) const override;
  QStringList mimeTypes() const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;

  // Its row; of a file that is open already the row that it has.
  int open(const QString& path);
  void close(int row);
  ImagePtr at(int row) const { return images_.at(row); }
  int row_of(const QString& path) const;  // -1: not open

 private:
  void restore();
  void keep() const;
  void add(const QString& path);

  QList<ImagePtr> images_;
};

}  // namespace disklathe::ui
