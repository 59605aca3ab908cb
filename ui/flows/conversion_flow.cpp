// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/flows/conversion_flow.h"

#include "ui/devices/device_model.h"
#include "ui/dialogs/convert_dialog.h"
#include "ui/dialogs/erase_dialog.h"
#include "ui/dialogs/problem_box.h"
#include "ui/flows/device_choice.h"
#include "ui/images/open_image.h"
#include "ui/words/device_words.h"
#include "ui/words/result_words.h"
#include "ui/words/sizes.h"

namespace disklathe::ui {

ConversionFlow::ConversionFlow(DeviceModel& devices, JobQueue& queue, QWidget& window)
    : QObject(&window), devices_(devices), queue_(queue), window_(window) {}

ConvertDialog* ConversionFlow::open_dialog(const ImagePtr& image) {
  auto* dialog = new ConvertDialog(image, devices_, &window_);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this, [this, dialog, image] {
    JobRequest request = dialog->request();
    if (!dialog->to_device()) {
      Q_EMIT queued(queue_.add(std::move(request)));
      return;
    }
    const DevicePtr device = dialog->device();
    if (!device) return;  // it vanished with the click
    const uint64_t size = image->virtual_size();
    Erasure erasure{
        .name = image->name(),
        .detail = size ? tr("%1, %2", "size, format").arg(Sizes::decimal(size), image->format()) : image->format(),
        .size = size};
    if (image->map_complete()) {
      const ContentCells& cells = image->cells();
      erasure.zeroes = cells.total(ContentKind::zero) + cells.total(ContentKind::hole);
      erasure.data = size - std::min(size, *erasure.zeroes);
    }
    erasure.warning = DeviceWords::sector_mismatch(image->partitions(), device->disk);
    confirm(QString::fromStdString(device->disk.node), erasure, request);
  });
  dialog->open();
  return dialog;
}

void ConversionFlow::begin(const ImagePtr& image, Where where) {
  ConvertDialog* dialog = open_dialog(image);
  if (where == Where::device) dialog->choose_devices();
}

void ConversionFlow::begin_on(const ImagePtr& image, const DevicePtr& device) {
  open_dialog(image)->choose_device(device);
}

void ConversionFlow::make_image_of(const DevicePtr& device) { open_dialog(std::make_shared<OpenImage>(device)); }

void ConversionFlow::again(const ImagePtr& image, const History::Entry& entry) {
  ConvertDialog* dialog = open_dialog(image);
  if (entry.device) return dialog->choose_devices();
  dialog->choose_format(entry.format);
  dialog->choose_path(entry.target);
}

void ConversionFlow::again(const ImagePtr& image, const QueuedJob& job) {
  JobRequest request = job.request();
  const JobResult& result = *job.result();
  const bool same_device = request.device && (request.kind() == job::Kind::zero ||
                                              (result.error && result.error->kind == ErrorKind::permission));
  if (same_device) {
    const auto* zero = std::get_if<job::Zero>(&request.work);
    const QString node = request.target;
    Erasure erasure{.name = image ? image->name() : ResultWords::kind(request.kind()),
                    .detail = image ? image->format() : QString(),
                    .size = image ? image->virtual_size() : request.device->disk.size,
                    .offer_verify = !zero || !zero->discard};
    request.device.reset();
    return confirm(node, erasure, request);
  }
  if (!image) return;
  ConvertDialog* dialog = open_dialog(image);
  if (request.device) return dialog->choose_devices();
  if (const auto* convert = std::get_if<job::Convert>(&request.work))
    dialog->choose_format(QString::fromStdString(convert->format));
  dialog->choose_path(request.target);
}

void ConversionFlow::confirm(const QString& node, const Erasure& erasure, const JobRequest& asked) {
  choose_device_at(node, this,
                   [this, erasure, asked](const std::shared_ptr<const ChosenDevice>& chosen, const QString& why) {
                     if (!chosen) return show_problem(&window_, tr("It cannot be written"), why);
                     auto* dialog = new EraseDialog(*chosen, erasure, devices_, &window_);
                     dialog->setAttribute(Qt::WA_DeleteOnClose);
                     connect(dialog, &QDialog::accepted, this, [this, dialog, chosen, asked] {
                       JobRequest request = asked;
                       request.device = chosen;
                       request.target = QString::fromStdString(chosen->node().node);
                       if (auto* convert = std::get_if<job::Convert>(&request.work)) convert->verify = dialog->verify();
                       if (auto* zero = std::get_if<job::Zero>(&request.work)) zero->verify = dialog->verify();
                       Q_EMIT queued(queue_.add(std::move(request)));
                     });
                     dialog->open();
                   });
}

}  // namespace disklathe::ui
