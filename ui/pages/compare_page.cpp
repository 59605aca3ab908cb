// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compare_page.h"

#include <QAbstractItemView>
#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>

#include "ui/controls/buttons.h"
#include "ui/controls/text_label.h"
#include "ui/devices/device_model.h"
#include "ui/images/open_image.h"
#include "ui/pictures/allocation_map.h"
#include "ui/theme/icons.h"
#include "ui/words/device_words.h"
#include "ui/words/result_words.h"
#include "ui/words/sizes.h"

namespace disklathe::ui {

ComparePage::ComparePage(ImageModel& images, DeviceModel& devices, JobQueue& queue, QWidget* parent)
    : Page(parent), images_(images), devices_(devices), queue_(queue) {
  auto* column = static_cast<QVBoxLayout*>(body()->layout());
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  auto* with = new TextLabel(tr("Compare &with"), Face::body, Ink::muted);
  choice_ = new QComboBox;
  choice_->view()->installEventFilter(this);
  choice_->setMinimumHeight(32);
  choice_->setAccessibleName(tr("The other image"));
  choice_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  with->setBuddy(choice_);
  strict_ = new QCheckBox(tr("Sizes must be equal"));
  strict_->setToolTip(tr("Otherwise zeroes after the end of the shorter one count as the same."));
  go_ = make_button(tr("Compare"), QLatin1String("exchange-positions"));
  row->addWidget(with);
  row->addWidget(choice_, 1);
  row->addWidget(strict_);
  row->addWidget(go_);
  column->addLayout(row);

  verdict_ = new Card;
  auto* panel = new QHBoxLayout(verdict_);
  panel->setContentsMargins(20, 12, 16, 12);
  panel->setSpacing(16);
  sign_ = new QLabel;
  panel->addWidget(sign_);
  auto* words = new QVBoxLayout;
  words->setSpacing(2);
  sentence_ = new TextLabel({}, Face::title);
  meaning_ = new TextLabel({}, Face::body);
  meaning_->setWordWrap(true);
  words->addWidget(sentence_);
  words->addWidget(meaning_);
  panel->addLayout(words, 1);
  column->addWidget(verdict_);
  verdict_->hide();

  first_name_ = new TextLabel({}, Face::section);
  second_name_ = new TextLabel({}, Face::section);
  first_ = new AllocationMap;
  second_ = new AllocationMap;
  column->addWidget(first_name_);
  column->addWidget(first_, 500);
  column->addWidget(second_name_);
  column->addWidget(second_, 500);
  column->addStretch(1);
  connect(choice_, &QComboBox::activated, this, [this](int) { set_other(choice_->currentData().toString()); });
  connect(go_, &QPushButton::clicked, this, &ComparePage::compare);
  for (QAbstractItemModel* model :
       {static_cast<QAbstractItemModel*>(&images_), static_cast<QAbstractItemModel*>(&devices_)}) {
    connect(model, &QAbstractItemModel::rowsInserted, this, &ComparePage::fill_choices);
    connect(model, &QAbstractItemModel::rowsRemoved, this, &ComparePage::fill_choices);
  }
}

void ComparePage::set_image(const ImagePtr& image) {
  if (image_ == image) return;
  if (image_) image_->disconnect(this);
  image_ = image;
  other_.reset();
  other_path_.clear();
  job_.clear();
  verdict_->hide();
  connect(image.get(), &OpenImage::map_grew, this, &ComparePage::show_maps);
  fill_choices();
  show_maps();
}

// An open list stays as it is: what somebody points at must not become another one.
bool ComparePage::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Hide && watched == choice_->view())
    QMetaObject::invokeMethod(this, &ComparePage::fill_choices, Qt::QueuedConnection);
  return Page::eventFilter(watched, event);
}

void ComparePage::fill_choices() {
  if (choice_->view()->isVisible()) return;
  choice_->clear();
  choice_->addItem(tr("Choose an open image or a device"));
  for (int row = 0; row < images_.rowCount(); ++row)
    if (images_.at(row) != image_) choice_->addItem(images_.at(row)->name(), images_.at(row)->path());
  for (const DevicePtr& device : devices_.devices())
    choice_->addItem(tr("%1, %2", "device, kernel name")
                         .arg(DeviceWords::name(device->disk), QString::fromStdString(device->disk.name)),
                     QString::fromStdString(device->disk.node));
  const int index = choice_->findData(other_path_);
  if (index < 0) other_path_.clear();
  choice_->setCurrentIndex(std::max(0, index));
  go_->setEnabled(!other_path_.isEmpty());
}

void ComparePage::set_other(const QString& path) {
  const int row = images_.row_of(path);
  if (other_ && other_ != image_) other_->disconnect(this);
  other_ = row < 0 ? nullptr : images_.at(row);
  other_path_ = path;
  if (other_) connect(other_.get(), &OpenImage::map_grew, this, &ComparePage::show_maps);
  choice_->setCurrentIndex(std::max(0, choice_->findData(path)));
  go_->setEnabled(!path.isEmpty());
  verdict_->hide();
  show_maps();
}

void ComparePage::show_maps() {
  const auto show = [](const ImagePtr& image, TextLabel& name, AllocationMap& map) {
    const bool drawn = image && !image->cells().empty();
    name.setVisible(drawn);
    map.setVisible(drawn);
    if (!drawn) return;
    name.set_text(image->name());
    map.set_cells(image->cells());
  };
  show(image_, *first_name_, *first_);
  show(other_, *second_name_, *second_);
}

void ComparePage::compare() {
  job::Compare work{.strict = strict_->isChecked()};
  // A device is longer than what was written on it: what lies past the image's end may be anything.
  if (!other_ && image_->virtual_size()) work.limit = image_->virtual_size();
  JobRequest request{.work = work, .source = image_->path(), .other = other_path_};
  request.approved = image_->approved() + (other_ ? other_->approved() : QStringList());
  job_ = queue_.add(std::move(request));
  connect(job_, &QueuedJob::changed, this, &ComparePage::show_job);
  connect(job_, &QueuedJob::progressed, this, &ComparePage::show_job);
  show_job();
}

void ComparePage::show_job() {
  if (!job_) return;
  const auto say = [this](Card::Tone tone, QLatin1String sign, Ink ink, const QString& sentence,
                          const QString& meaning) {
    verdict_->set_tone(tone);
    sign_->setPixmap(action_icon(sign).pixmap(QSize(22, 22), devicePixelRatioF()));
    sentence_->set_ink(ink);
    sentence_->set_text(sentence);
    meaning_->set_text(meaning);
    meaning_->setVisible(!meaning.isEmpty());
    verdict_->show();
  };
  go_->setEnabled(job_->state() == QueuedJob::State::ended);
  first_->set_difference(std::nullopt);
  second_->set_difference(std::nullopt);
  const JobResult* result = job_->result();
  if (!result) {
    const QString doing =
        job_->worker() ? ResultWords::doing(job_->worker()->progress(), job::Kind::compare) : job_->why_waiting();
    return say(Card::Tone::quiet, QLatin1String("data-information"), Ink::text, doing, {});
  }
  if (!result->good())
    return say(Card::Tone::bad, QLatin1String("data-error"), Ink::bad, ResultWords::sentence(*result),
               ResultWords::meaning(job_->request(), *result));
  const auto& compared = std::get<job::Compared>(*result->outcome);
  if (!compared.differs_at) {
    const bool longer = compared.source_size != compared.other_size;
    return say(Card::Tone::good, QLatin1String("checkmark"), Ink::good, ResultWords::sentence(*result),
               longer ? tr("They hold the same bytes; the longer one ends in zeroes.")
                      : tr("Every byte of both disks is the same."));
  }
  say(Card::Tone::bad, QLatin1String("data-error"), Ink::bad, ResultWords::sentence(*result),
      tr("%1 is the first offset of the disk that differs. The rest was not read.")
          .arg(Sizes::hex(*compared.differs_at)));
  first_->set_difference(compared.differs_at);
  second_->set_difference(compared.differs_at);
}

}  // namespace disklathe::ui
