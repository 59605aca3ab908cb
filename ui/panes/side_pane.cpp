// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panes/side_pane.h"

#include <QMenu>
#include <QScrollArea>
#include <QVBoxLayout>

#include "ui/controls/surfaces.h"
#include "ui/controls/text_label.h"
#include "ui/devices/device_model.h"
#include "ui/images/open_image.h"
#include "ui/panes/drop_strip.h"
#include "ui/panes/side_list.h"
#include "ui/theme/icons.h"
#include "ui/words/device_words.h"

namespace disklathe::ui {

// As high as what it holds, or as there is room: then it scrolls.
class PaneScroll : public QScrollArea {
 public:
  PaneScroll() {
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    viewport()->setBackgroundRole(QPalette::Window);
  }
  QSize sizeHint() const override { return widget() ? widget()->sizeHint() : QScrollArea::sizeHint(); }
  QSize minimumSizeHint() const override { return {160, 96}; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    const bool handled = QScrollArea::eventFilter(watched, event);
    if (watched == widget() && event->type() == QEvent::LayoutRequest) updateGeometry();
    return handled;
  }
};

namespace {

constexpr int wide = 264, narrow = 224, narrow_below = 1120;

TextLabel* title_of(const QString& text) {
  auto* title = new TextLabel(text, Face::section, Ink::window_muted);
  title->setContentsMargins(16, 0, 16, 0);
  title->setFixedHeight(28);
  return title;
}

}  // namespace

SidePane::SidePane(DeviceModel& devices, ImageModel& images, QWidget* parent)
    : QWidget(parent), devices_(devices), images_(images) {
  setFixedWidth(wide);
  auto* whole = new QVBoxLayout(this);
  whole->setContentsMargins(0, 8, 0, 8);
  whole->setSpacing(0);
  scroll_ = new PaneScroll;
  auto* lists = new QWidget;
  set_surface(*lists, false);
  auto* column = new QVBoxLayout(lists);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  scroll_->setWidget(lists);
  whole->addWidget(scroll_);
  column->addWidget(title_of(tr("Devices")));
  device_list_ = new SideList(tr("Devices"));
  device_list_->setModel(&devices);
  column->addWidget(device_list_);
  column->addSpacing(16);
  column->addWidget(title_of(tr("Images")));
  image_list_ = new SideList(tr("Images"));
  image_list_->setModel(&images);
  image_list_->setDragEnabled(true);
  column->addWidget(image_list_);
  auto* none = new TextLabel(tr("None open"), Face::caption, Ink::window_muted);
  none->setContentsMargins(16, 4, 16, 4);
  column->addWidget(none);
  auto* strip = new DropStrip;
  auto* strip_row = new QHBoxLayout;
  strip_row->setContentsMargins(8, 4, 8, 0);
  strip_row->addWidget(strip);
  whole->addLayout(strip_row);
  whole->addStretch(1);
  const auto show_none = [&images, none] { none->setVisible(images.rowCount() == 0); };
  for (const auto& signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
    connect(&images, signal, none, show_none);
  show_none();
  connect(device_list_, &SideList::chosen, this, [this](const QModelIndex& index) {
    show_row(*device_list_);
    Q_EMIT device_chosen(devices_.at(index.row()));
  });
  connect(image_list_, &SideList::chosen, this, [this](const QModelIndex& index) {
    show_row(*image_list_);
    Q_EMIT image_chosen(images_.at(index.row()));
  });
  connect(device_list_, &SideList::menu_wanted, this, &SidePane::device_menu);
  connect(image_list_, &SideList::menu_wanted, this, &SidePane::image_menu);
  connect(device_list_, &SideList::dropped_on, this, [this](const QModelIndex& index, const QList<QUrl>& urls) {
    Q_EMIT dropped_on(urls, devices_.at(index.row()));
  });
  connect(strip, &DropStrip::dropped, this, &SidePane::dropped);
  connect(strip, &DropStrip::clicked, this, &SidePane::open_wanted);
}

void SidePane::show_row(const SideList& list) {
  const QRect row = list.visualRect(list.currentIndex());
  const QPoint middle = list.viewport()->mapTo(scroll_->widget(), row.center());
  scroll_->ensureVisible(0, middle.y(), 0, row.height());
}

void SidePane::choose_image(int row) { image_list_->setCurrentIndex(images_.index(row)); }
void SidePane::focus_devices() { device_list_->setFocus(); }
void SidePane::unchoose_device() { device_list_->selectionModel()->clear(); }
void SidePane::unchoose_image() { image_list_->selectionModel()->clear(); }
void SidePane::set_dragging(bool dragging) { device_list_->set_dragging(dragging); }
void SidePane::fit_to(int window_width) { setFixedWidth(window_width < narrow_below ? narrow : wide); }

void SidePane::device_menu(const QModelIndex& index, const QPoint& at) {
  const DevicePtr device = devices_.at(index.row());
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  QAction* make = menu->addAction(action_icon(QLatin1String("document-save-as")), tr("Make &Image…"));
  make->setEnabled(device->disk.size > 0);
  connect(make, &QAction::triggered, this, [this, device] { Q_EMIT make_image_wanted(device); });
  if (DeviceWords::only_mounted(device->usage))
    connect(menu->addAction(action_icon(QLatin1String("media-eject")), tr("&Unmount")), &QAction::triggered, this,
            [this, device] { Q_EMIT unmount_wanted(device); });
  menu->popup(at);
}

void SidePane::image_menu(const QModelIndex& index, const QPoint& at) {
  QMenu menu(this);
  const ImagePtr image = images_.at(index.row());
  connect(menu.addAction(tr("&Look Again")), &QAction::triggered, this, [image] { image->inspect(); });
  connect(menu.addAction(tr("&Close")), &QAction::triggered, this, [this, image] {
    images_.close(images_.row_of(image->path()));
    Q_EMIT image_closed(image);
  });
  menu.exec(at);
}

}  // namespace disklathe::ui
