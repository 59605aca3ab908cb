// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/images/image_model.h"

#include <QFileInfo>
#include <QMimeData>
#include <QSettings>
#include <QUrl>

#include "ui/desktop/keep_setting.h"
#include "ui/images/open_image.h"
#include "ui/panes/side_list.h"

namespace disklathe::ui {
namespace {

constexpr int most_kept = 50;
const QString settings_key = QStringLiteral("images");

}  // namespace

ImageModel::ImageModel(QObject* parent) : QAbstractListModel(parent) { restore(); }
ImageModel::~ImageModel() { wait_for_settings(); }

int ImageModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(images_.size());
}

QVariant ImageModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const OpenImage& image = *images_[index.row()];
  switch (role) {
    case Qt::DisplayRole: return image.name();
    case Qt::ToolTipRole: return image.path();
    case Qt::AccessibleDescriptionRole: return image.detail();
    case side_glyph: return static_cast<int>(Glyph::image);
    case side_detail: return image.detail();
    case side_badge: return image.badge();
    case side_key: return image.path();
    default: return {};
  }
}

Qt::ItemFlags ImageModel::flags(const QModelIndex& index) const {
  return QAbstractListModel::flags(index) | Qt::ItemIsDragEnabled;
}

QStringList ImageModel::mimeTypes() const { return {QStringLiteral("text/uri-list")}; }

QMimeData* ImageModel::mimeData(const QModelIndexList& indexes) const {
  QList<QUrl> urls;
  for (const QModelIndex& index : indexes) urls << QUrl::fromLocalFile(images_[index.row()]->path());
  auto* data = new QMimeData;
  data->setUrls(urls);
  return data;
}

int ImageModel::row_of(const QString& path) const {
  for (int row = 0; row < images_.size(); ++row)
    if (images_[row]->path() == path) return row;
  return -1;
}

void ImageModel::add(const QString& path) {
  auto image = std::make_shared<OpenImage>(path);
  connect(image.get(), &OpenImage::changed, this, [this, path] {
    const int row = row_of(path);
    if (row >= 0) Q_EMIT dataChanged(index(row), index(row));
  });
  images_ << image;
}

int ImageModel::open(const QString& path) {
  const QString whole = QFileInfo(path).absoluteFilePath();
  if (const int row = row_of(whole); row >= 0) return row;
  const int row = rowCount();
  beginInsertRows({}, row, row);
  add(whole);
  endInsertRows();
  keep();
  return row;
}

void ImageModel::close(int row) {
  beginRemoveRows({}, row, row);
  images_.removeAt(row);
  endRemoveRows();
  keep();
}

void ImageModel::restore() {
  wait_for_settings();
  const QStringList paths = QSettings().value(settings_key).toStringList();
  for (const QString& path : paths)
    if (QFileInfo::exists(path)) add(path);
}

void ImageModel::keep() const {
  QStringList paths;
  for (const ImagePtr& image : images_.last(std::min<qsizetype>(images_.size(), most_kept))) paths << image->path();
  keep_setting(settings_key, paths);
}

}  // namespace disklathe::ui
