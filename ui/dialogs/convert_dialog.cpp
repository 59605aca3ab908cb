// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/convert_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QScrollArea>
#include <QSettings>
#include <QStackedWidget>
#include <QStandardPaths>
#include <QStorageInfo>

#include "ui/controls/buttons.h"
#include "ui/controls/text_label.h"
#include "ui/devices/device_model.h"
#include "ui/dialogs/device_picker.h"
#include "ui/dialogs/option_form.h"
#include "ui/dialogs/plan_panel.h"
#include "ui/images/open_image.h"
#include "ui/words/device_words.h"
#include "ui/words/format_words.h"
#include "ui/words/sizes.h"

namespace disklathe::ui {
namespace {

constexpr int device_half = 1;  // of the two: to a file, to a device

QString text(std::string_view from) { return QString::fromUtf8(from.data(), static_cast<qsizetype>(from.size())); }

bool compresses(const Format& format) {
  return std::ranges::any_of(format.options,
                             [](const OptionInfo& option) { return option.name == "compression_type"; });
}

// "Samsung-T7", of whatever a device calls itself.
QString file_name_of(const Disk& disk) {
  QString name = DeviceWords::name(disk);
  for (QChar& one : name)
    if (!one.isLetterOrNumber() && one != QLatin1Char('_') && one != QLatin1Char('.')) one = QLatin1Char('-');
  return name.startsWith(QLatin1Char('.')) ? QString::fromStdString(disk.name) : name;
}

QString users_folder() {
  const QString documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
  return QFileInfo(documents).isDir() ? documents : QStandardPaths::writableLocation(QStandardPaths::HomeLocation);
}

// A name that is not taken, beside the image where that folder may be written, else in the user's documents.
QString proposed_path(const OpenImage& image, const Format& format) {
  const QFileInfo source(image.path());
  QString folder = source.absolutePath();
  if (image.device() || !QFileInfo(folder).isWritable()) folder = users_folder();
  const QString suffix = format.extensions.empty() ? text(format.name) : text(format.extensions.front());
  const QString base =
      folder + QLatin1Char('/') + (image.device() ? file_name_of(image.device()->disk) : source.completeBaseName());
  QString path = base + QLatin1Char('.') + suffix;
  for (int n = 2; QFileInfo::exists(path); ++n) path = QStringLiteral("%1-%2.%3").arg(base).arg(n).arg(suffix);
  return path;
}

}  // namespace

ConvertDialog::ConvertDialog(const ImagePtr& image, DeviceModel& devices, QWidget* parent)
    : DialogFrame({}, 960, parent), image_(image), devices_(devices) {
  setFixedHeight(600);
  auto* halves = new QHBoxLayout;
  halves->setSpacing(32);
  content().addLayout(halves, 1);
  auto* column = new QVBoxLayout;
  column->setSpacing(12);
  halves->addLayout(column, 1);
  title_ = new TextLabel({}, Face::title);
  title_->set_elided();
  column->addWidget(title_);
  const uint64_t size = image->virtual_size();
  column->addWidget(new TextLabel(about_source(), Face::body, Ink::muted));
  where_ = new Segments({tr("To a file"), tr("To a device")}, tr("Where to"));
  where_->setVisible(!image->device());
  column->addWidget(where_);
  halves_ = new QStackedWidget;
  column->addWidget(halves_, 1);
  halves_->addWidget(make_file_half());
  picker_ = new DevicePicker(devices);
  picker_->set_needed(size, image->path());
  halves_->addWidget(picker_);
  verify_ = new QCheckBox(tr("&Verify by reading it back"));
  verify_->setChecked(QSettings().value(QStringLiteral("verify"), true).toBool());
  column->addWidget(verify_);
  plan_ = new PlanPanel;
  halves->addWidget(plan_);

  go_ = make_button({});
  add_button(go_);
  // Writing a new file destroys nothing.
  cancel_button().setDefault(false);
  go_->setDefault(true);
  connect(go_, &QPushButton::clicked, this, &QDialog::accept);
  connect(where_, &Segments::changed, halves_, &QStackedWidget::setCurrentIndex);
  connect(where_, &Segments::changed, this, &ConvertDialog::show_plan);
  connect(format_, &QComboBox::currentIndexChanged, this, &ConvertDialog::format_changed);
  connect(path_, &QLineEdit::textChanged, this, &ConvertDialog::show_plan);
  connect(options_, &OptionForm::changed, this, &ConvertDialog::show_plan);
  connect(compress_, &QCheckBox::toggled, this, &ConvertDialog::show_plan);
  connect(verify_, &QCheckBox::toggled, this, &ConvertDialog::show_plan);
  connect(picker_, &DevicePicker::changed, this, &ConvertDialog::show_plan);
  connect(image.get(), &OpenImage::map_grew, this, &ConvertDialog::show_plan);
  if (image->device()) {
    connect(&devices, &DeviceModel::vanished, this, &ConvertDialog::follow_device);
    connect(&devices, &QAbstractItemModel::dataChanged, this, &ConvertDialog::follow_device);
  }
  format_changed();
}

QWidget* ConvertDialog::make_file_half() {
  auto* half = new QWidget;
  auto* column = new QVBoxLayout(half);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* grid = new QGridLayout;
  grid->setHorizontalSpacing(16);
  grid->setVerticalSpacing(4);
  grid->setColumnStretch(1, 1);
  grid->setColumnMinimumWidth(0, 96);
  column->addLayout(grid);
  const auto add = [&](int row, const QString& name, QWidget* field, QWidget* row_widget, TextLabel*& hint) {
    auto* label = new TextLabel(name, Face::body, Ink::muted);
    label->set_trailing();
    label->setBuddy(field);
    field->setMinimumHeight(32);
    hint = new TextLabel({}, Face::caption, Ink::muted);
    hint->setContentsMargins(2, 0, 2, 8);
    hint->setWordWrap(true);
    grid->addWidget(label, row, 0);
    grid->addWidget(row_widget, row, 1);
    grid->addWidget(hint, row + 1, 1);
  };
  format_ = new QComboBox;
  format_->setAccessibleName(tr("Format"));
  for (const Format& one : disklathe::formats())
    if (one.create) format_->addItem(FormatWords::name(one), text(one.name));
  // A raw image becomes qcow2, anything else raw: what one wants most often, and never what it is already.
  const bool raw_file = !image_->device() && image_->format() == QLatin1String("raw");
  format_->setCurrentIndex(std::max(0, format_->findData(raw_file ? QStringLiteral("qcow2") : QStringLiteral("raw"))));
  path_ = new QLineEdit;
  path_->setAccessibleName(tr("Save as"));
  auto* choose = make_button(tr("C&hoose…"));
  connect(choose, &QPushButton::clicked, this, &ConvertDialog::browse);
  auto* path_row = new QWidget;
  auto* row = new QHBoxLayout(path_row);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(8);
  row->addWidget(path_, 1);
  row->addWidget(choose);
  add(0, tr("&Save as"), path_, path_row, path_hint_);
  add(2, tr("&Format"), format_, format_, format_hint_);
  options_ = new OptionForm;
  auto* scroll = new QScrollArea;
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setFocusPolicy(Qt::NoFocus);
  scroll->viewport()->setBackgroundRole(QPalette::Base);
  auto* inside = new QWidget;
  set_surface(*inside, true);
  auto* list = new QVBoxLayout(inside);
  list->setContentsMargins(0, 0, 0, 0);
  list->addWidget(options_);
  list->setSpacing(8);
  compress_ = new QCheckBox(tr("Co&mpress: smaller, slower to write"));
  list->addWidget(compress_);
  list->addStretch(1);
  scroll->setWidget(inside);
  column->addWidget(scroll, 1);
  return half;
}

const Format& ConvertDialog::format() const { return *find_format(format_->currentData().toString().toStdString()); }

void ConvertDialog::format_changed() {
  const Format& chosen = format();
  format_hint_->set_text(FormatWords::use(chosen));
  options_->set_format(chosen);
  compress_->setVisible(compresses(chosen));
  compress_->setChecked(false);
  path_->setText(proposed_path(*image_, chosen));
  show_plan();
}

void ConvertDialog::browse() {
  const QString chosen = QFileDialog::getSaveFileName(this, tr("Save As"), path_->text());
  if (!chosen.isEmpty()) path_->setText(chosen);
}

void ConvertDialog::choose_device(const DevicePtr& device) {
  choose_devices();
  picker_->choose(device);
}

void ConvertDialog::choose_devices() { where_->set_current(device_half); }

void ConvertDialog::choose_format(const QString& name) {
  if (const int index = format_->findData(name); index >= 0) format_->setCurrentIndex(index);
}

void ConvertDialog::choose_path(const QString& path) { path_->setText(path); }
bool ConvertDialog::to_device() const { return where_->current() == device_half; }
DevicePtr ConvertDialog::device() const { return picker_->chosen(); }

QString ConvertDialog::about_source() const {
  if (image_->device())
    return tr("%1, only read", "size, kernel name").arg(DeviceWords::detail(image_->device()->disk));
  const uint64_t size = image_->virtual_size();
  const QString stored = Sizes::decimal(image_->stored());
  return size ? tr("%1 seen by the guest, %2 stored").arg(Sizes::decimal(size), stored)
              : tr("%1 stored; its size shows at the end").arg(stored);
}

QString ConvertDialog::why_not_there(const QFileInfo& target) const {
  if (gone_) return tr("%1 was unplugged.").arg(image_->name());
  if (target.exists() && target.canonicalFilePath() == QFileInfo(image_->path()).canonicalFilePath())
    return tr("That is the image itself. Choose another name.");
  if (!QFileInfo(target.absolutePath()).isDir()) return tr("There is no such folder.");
  // It would grow while it is read.
  const QString place = image_->device() ? QStorageInfo(target.absolutePath()).rootPath() : QString();
  if (!place.isEmpty() && DeviceWords::mount_points(image_->device()->usage).contains(place))
    return tr("That folder is on the device itself. Choose one elsewhere.");
  return {};
}

// It may be pulled out, or come into use, while this is thought about.
void ConvertDialog::follow_device() {
  gone_ = true;
  for (const DevicePtr& device : devices_.devices()) {
    if (!same_device(device->disk, image_->device()->disk)) continue;
    gone_ = false;
    image_ = std::make_shared<OpenImage>(device);
    break;
  }
  show_plan();
}

void ConvertDialog::show_plan() {
  const QFileInfo target(path_->text());
  const QString why_not = why_not_there(target);
  path_hint_->set_ink(why_not.isEmpty() ? Ink::muted : Ink::bad);
  path_hint_->set_text(!why_not.isEmpty() ? why_not
                       : target.exists()  ? tr("Replaces the file of that name, once the new one is complete.")
                                          : tr("A new file. It appears under this name only once it is complete."));
  title_->set_text((image_->device() ? tr("Make an image of %1")
                    : to_device()    ? tr("Write %1 to a device")
                                     : tr("Convert %1"))
                       .arg(image_->name()));
  setWindowTitle(title_->whole_text());
  PlanPanel::Target plan{.format = &format(), .options = options_->options(), .compress = compress_->isChecked()};
  if (to_device())
    plan.device = picker_->chosen();
  else
    plan.path = path_->text();
  // The erase dialog asks for it, and begins with what the settings say.
  plan.verify = to_device() ? QSettings().value(QStringLiteral("verify"), true).toBool() : verify_->isChecked();
  plan_->set(*image_, plan);
  verify_->setVisible(!to_device());  // the erase dialog asks for it
  go_->setText(image_->device() ? tr("Make &Image") : to_device() ? tr("C&ontinue…") : tr("C&onvert"));
  const bool ready = image_->state() == OpenImage::State::ready && image_->references_to_allow().isEmpty();
  go_->setEnabled(ready && plan_->has_room() &&
                  (to_device() ? picker_->chosen() != nullptr : why_not.isEmpty() && !path_->text().isEmpty()));
}

JobRequest ConvertDialog::request() const {
  job::Convert work;
  if (to_device()) {
    work.format = "raw";
    work.existing = true;
  } else {
    work.format = format().name;
    work.options = options_->options();
    work.compress = compress_->isVisibleTo(this) && compress_->isChecked();
    work.target_is_zero = true;
    work.verify = verify_->isChecked();
  }
  if (image_->device()) work.source_format = "raw";  // what is on a device is not what it is
  JobRequest request{.work = work, .source = image_->path()};
  request.read = image_->device();
  if (!to_device()) request.target = QFileInfo(path_->text()).absoluteFilePath();
  request.approved = image_->approved();
  return request;
}

}  // namespace disklathe::ui
