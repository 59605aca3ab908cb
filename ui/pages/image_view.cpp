// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/image_view.h"

#include "ui/controls/banner.h"
#include "ui/controls/page_tabs.h"
#include "ui/images/open_image.h"
#include "ui/pages/compare_page.h"
#include "ui/pages/contents_page.h"
#include "ui/pages/export_page.h"
#include "ui/pages/layers_page.h"
#include "ui/pages/log_page.h"
#include "ui/pages/partitions_page.h"
#include "ui/pages/sweep_page.h"

namespace disklathe::ui {

ImageView::ImageView(ComparePage* compare, Exports& exports, JobQueue& queue, QWidget* parent)
    : ThingView(tr("Pages of the image"), parent), compare_(compare) {
  contents_ = new ContentsPage;
  layers_ = new LayersPage;
  partitions_ = new PartitionsPage;
  export_ = new ExportPage(exports);
  sweep_ = new SweepPage(SweepPage::Of::file, queue);
  log_ = new LogPage;
  add_page(tr("Contents"), contents_);
  layers_index_ = add_page(tr("Layers"), layers_);
  partitions_index_ = add_page(tr("Partitions"), partitions_);
  export_index_ = add_page(tr("Export"), export_);
  compare_index_ = add_page(tr("Compare"), compare_);
  sweep_index_ = add_page(tr("Sweep"), sweep_);
  add_page(tr("Log"), log_);
  connect(this, &ThingView::page_shown, this, [this] {
    if (image_) show_state();
  });
  connect(&banner(), &Banner::resolved, this, &ImageView::show_layers);
}

void ImageView::set_image(const ImagePtr& image) {
  if (image_) image_->disconnect(this);
  image_ = image;
  connect(image.get(), &OpenImage::changed, this, &ImageView::show_state);
  contents_->set_image(image);
  layers_->set_image(image);
  export_->set_image(image);
  compare_->set_image(image);
  show_state();
}

void ImageView::show_state() {
  set_header(Glyph::image, image_->name(), image_->facts(), {});
  log_->set_lines(image_->log());
  partitions_->set_image(*image_);
  sweep_->set_file(*image_);
  const auto count = static_cast<int>(image_->references_to_allow().size());
  if (image_->state() == OpenImage::State::failed)
    banner().show_message(Card::Tone::bad, image_->failure());
  else if (count)
    banner().show_message(Card::Tone::warn,
                          tr("It stands on %n file(s) that you have not allowed yet.", nullptr, count),
                          tabs().currentIndex() == layers_index_ ? QString() : tr("Show Layers"));
  else
    banner().hide();
}

}  // namespace disklathe::ui
