// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/device_picker.h"

#include <QFileInfo>
#include <QKeyEvent>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include "ui/controls/text_label.h"
#include "ui/devices/device_model.h"
#include "ui/panes/side_list.h"
#include "ui/pictures/paint.h"
#include "ui/theme/icons.h"
#include "ui/words/device_words.h"
#include "ui/words/sizes.h"

namespace disklathe::ui {
namespace {

constexpr int row_height = 60;

class TargetPainter : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override { return {100, row_height}; }
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    QPainter& p = *painter;
    const Theme& t = theme();
    const auto& model = *static_cast<const TargetModel*>(index.model());
    const Device& device = *model.at(index.row());
    const QString why = model.why_not(index.row());
    const bool can = why.isEmpty(), selected = option.state & QStyle::State_Selected;
    p.save();
    p.setRenderHint(QPainter::Antialiasing);
    const QRectF box = QRectF(option.rect).adjusted(1, 2, -1, -2);
    if (selected || (can && (option.state & QStyle::State_MouseOver))) {
      p.setPen(selected ? QPen(t.accent_ink, 1) : QPen(Qt::NoPen));
      p.setBrush(selected ? t.accent_soft : mix(t.base, t.text, 0.06));
      p.drawRoundedRect(box.adjusted(.5, .5, -.5, -.5), 6, 6);
    }
    if ((option.state & QStyle::State_HasFocus) && (option.state & QStyle::State_KeyboardFocusChange)) {
      p.setPen(QPen(t.accent_ink, 2));
      p.setBrush(Qt::NoBrush);
      p.drawRoundedRect(box.adjusted(1, 1, -1, -1), 6, 6);
    }
    const auto placed = [&](QRectF at) {
      if (option.direction == Qt::RightToLeft) at.moveLeft(box.left() + box.right() - at.right());
      return at;
    };
    const QColor ink = can ? t.text : mix(t.text, t.base, 0.45);
    paint_glyph(p, placed({box.left() + 12, box.center().y() - 16, 32, 32}), DeviceWords::glyph(device.disk), ink);
    const QString size = Sizes::decimal(device.disk.size);
    const double size_width = width_of(size, Face::section), left = box.left() + 58, right = box.right() - 14;
    paint_text(p, placed({right - size_width, box.top() + 8, size_width, 20}), Qt::AlignVCenter, size, Face::section,
               ink);
    if (device.usage.system)
      action_icon(QLatin1String("object-locked")).paint(&p, placed({right - 16, box.top() + 32, 16, 16}).toRect());
    const auto line = [&](double y, const QString& words, Face face, double to, const QColor& color) {
      const QString shown = QFontMetricsF(font_of(face)).elidedText(words, Qt::ElideRight, to - left);
      paint_text(p, placed({left, y, to - left, 20}), Qt::AlignVCenter, shown, face, color);
    };
    line(box.top() + 8, DeviceWords::name(device.disk), selected ? Face::section : Face::body, right - size_width - 12,
         ink);
    QString facts = DeviceWords::facts(device.disk);
    if (can && DeviceWords::nothing_known(device.disk))
      facts += QStringLiteral(" · ") + DeviceWords::content(device.disk.content);
    // What is made of no hardware is told apart by the kernel's name only.
    const QString refused =
        is_virtual(device.disk.bus)
            ? TargetModel::tr("%1 · %2", "kernel name, why not").arg(QString::fromStdString(device.disk.name), why)
            : why;
    line(box.top() + 29, can ? facts : refused, Face::caption, right - (device.usage.system ? 24 : 0),
         can ? t.muted : ink);
    p.restore();
  }
};

// Qt makes the first row current when the list gets the keyboard, and does not choose it; the first arrow chooses that
// row, not the one after it.
class TargetList : public QListView {
 protected:
  void keyPressEvent(QKeyEvent* event) override {
    const bool arrow = event->key() == Qt::Key_Down || event->key() == Qt::Key_Up;
    if (!arrow || selectionModel()->hasSelection() || !currentIndex().isValid()) return QListView::keyPressEvent(event);
    selectionModel()->select(currentIndex(), QItemSelectionModel::ClearAndSelect);
  }
};

}  // namespace

TargetModel::TargetModel(DeviceModel& devices, QObject* parent) : QIdentityProxyModel(parent), devices_(devices) {
  setSourceModel(&devices);
}

DevicePtr TargetModel::at(int row) const { return devices_.at(row); }

void TargetModel::set_needed(uint64_t bytes, const QString& source) {
  needed_ = bytes;
  source_ = QFileInfo(source).canonicalFilePath();
  if (rowCount()) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, 0));
}

QString TargetModel::why_not(int row) const {
  const Device& device = *devices_.at(row);
  if (const QString why = DeviceWords::why_not_written(device); !why.isEmpty()) return why;
  if (source_ == QString::fromStdString(device.disk.node)) return tr("It is what is read.");
  if (needed_ > device.disk.size) return tr("Image needs %1 more.").arg(Sizes::exact(needed_ - device.disk.size));
  return {};
}

Qt::ItemFlags TargetModel::flags(const QModelIndex& index) const {
  return why_not(index.row()).isEmpty() ? Qt::ItemIsEnabled | Qt::ItemIsSelectable : Qt::NoItemFlags;
}

QVariant TargetModel::data(const QModelIndex& index, int role) const {
  if (role == Qt::ToolTipRole || role == Qt::AccessibleDescriptionRole) {
    const QString why = why_not(index.row());
    return why.isEmpty() ? DeviceWords::facts(at(index.row())->disk) : why;
  }
  return QIdentityProxyModel::data(index, role);
}

DevicePicker::DevicePicker(DeviceModel& devices, QWidget* parent) : QWidget(parent) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(8);
  targets_ = new TargetModel(devices, this);
  list_ = new TargetList;
  list_->setAccessibleName(tr("Devices to write to"));
  // Before the list is told: it would choose the neighbour of a row that goes.
  connect(targets_, &QAbstractItemModel::rowsAboutToBeRemoved, this, &DevicePicker::let_go);
  list_->setModel(targets_);
  list_->setItemDelegate(new TargetPainter(list_));
  list_->setFrameShape(QFrame::NoFrame);
  list_->setMouseTracking(true);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list_->setResizeMode(QListView::Adjust);
  list_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  list_->setMinimumHeight(4 * row_height);
  column->addWidget(list_, 1);
  hint_ = new TextLabel({}, Face::caption, Ink::muted);
  hint_->setWordWrap(true);
  column->addWidget(hint_);
  connect(list_->selectionModel(), &QItemSelectionModel::selectionChanged, this, &DevicePicker::take_choice);
  for (const auto signal : {&QAbstractItemModel::rowsRemoved, &QAbstractItemModel::rowsInserted})
    connect(targets_, signal, this, &DevicePicker::check_choice);
  connect(targets_, &QAbstractItemModel::dataChanged, this, &DevicePicker::check_choice);
  connect(targets_, &QAbstractItemModel::modelReset, this, &DevicePicker::check_choice);
  check_choice();
}

void DevicePicker::set_needed(uint64_t bytes, const QString& source) {
  targets_->set_needed(bytes, source);
  check_choice();
}

void DevicePicker::choose(const DevicePtr& device) {
  for (int row = 0; row < targets_->rowCount(); ++row)
    if (same_device(targets_->at(row)->disk, device->disk) && targets_->why_not(row).isEmpty())
      list_->selectionModel()->setCurrentIndex(targets_->index(row, 0), QItemSelectionModel::ClearAndSelect);
}

void DevicePicker::take_choice() {
  const QModelIndexList rows = list_->selectionModel()->selectedIndexes();
  chosen_ = rows.isEmpty() ? nullptr : targets_->at(rows.first().row());
  check_choice();
}

void DevicePicker::let_go(const QModelIndex&, int first, int last) {
  const int row = list_->currentIndex().row();
  if (row < first || row > last) return;
  const QSignalBlocker quiet(list_->selectionModel());
  list_->selectionModel()->clear();
}

// The choice is a device, not a row: it ends with the device, or when somebody takes that into use.
void DevicePicker::check_choice() {
  const DevicePtr before = chosen_;
  DevicePtr now;
  for (int row = 0; chosen_ && row < targets_->rowCount(); ++row)
    if (same_device(targets_->at(row)->disk, chosen_->disk) && targets_->why_not(row).isEmpty())
      now = targets_->at(row);
  chosen_ = now;
  if (before && !now) {
    const QSignalBlocker quiet(list_->selectionModel());
    list_->clearSelection();
    list_->setCurrentIndex({});
    list_->viewport()->update();
    hint_->set_text(
        tr("%1 is not there any more, or is in use now. Choose again.").arg(DeviceWords::name(before->disk)));
  } else if (targets_->rowCount() == 0) {
    hint_->set_text(tr("No devices. Plug one in: it appears here."));
  } else if (now) {
    hint_->set_text(
        tr("What is on %1 is shown, and asked about, before anything is written.").arg(DeviceWords::name(now->disk)));
  } else if (!before && hint_->whole_text().isEmpty()) {
    hint_->set_text(tr("Nothing is chosen yet."));
  }
  Q_EMIT changed();
}

}  // namespace disklathe::ui
