// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/export_page.h"

#include <QCheckBox>
#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>

#include "ui/controls/buttons.h"
#include "ui/controls/figure.h"
#include "ui/controls/text_label.h"
#include "ui/images/open_image.h"
#include "ui/jobs/exports.h"
#include "ui/theme/icons.h"
#include "ui/words/sizes.h"

namespace disklathe::ui {

ExportPage::ExportPage(Exports& exports, QWidget* parent) : Page(parent), exports_(exports) {
  auto* column = static_cast<QVBoxLayout*>(body()->layout());
  auto* row = new QHBoxLayout;
  row->setSpacing(32);
  state_ = new Figure;
  up_ = new Figure;
  row->addWidget(state_);
  row->addWidget(up_);
  row->addStretch(1);
  toggle_ = make_button({});
  row->addWidget(toggle_);
  column->addLayout(row);
  address_ = new Card;
  address_->setMinimumHeight(40);
  auto* line = new QHBoxLayout(address_);
  line->setContentsMargins(16, 4, 4, 4);
  line->setSpacing(12);
  line->addWidget(new TextLabel(QStringLiteral("URI"), Face::caption, Ink::muted));
  uri_ = new TextLabel({}, Face::mono);
  uri_->set_elided();
  uri_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  line->addWidget(uri_, 1);
  auto* copy = make_button(tr("&Copy"), QLatin1String("edit-copy"));
  line->addWidget(copy);
  column->addWidget(address_);
  problem_ = new TextLabel({}, Face::body, Ink::bad);
  problem_->setWordWrap(true);
  column->addWidget(problem_);
  explanation_ = new TextLabel(tr("Other programs on this computer read the image as a disk: qemu-system, nbdcopy, "
                                  "nbd-client. Nothing can be written."),
                               Face::body, Ink::muted);
  explanation_->setWordWrap(true);
  column->addWidget(explanation_);
  auto* network = new QHBoxLayout;
  network->setSpacing(8);
  tcp_ = new QCheckBox(tr("Listen on &TCP, on this computer's own address"));
  auto* warning = new TextLabel(
      tr("Anyone who can reach the address can read this image: every user of this computer. Nothing is encrypted."),
      Face::body, Ink::muted);
  warning->setWordWrap(true);
  network->addWidget(tcp_);
  network->addWidget(warning, 1);
  column->addLayout(network);
  column->addStretch(1);
  connect(toggle_, &QPushButton::clicked, this, &ExportPage::toggle);
  connect(copy, &QPushButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(uri_->whole_text()); });
  connect(&clock_, &QTimer::timeout, this, &ExportPage::show_state);
  connect(&exports, &Exports::changed, this, [this] {
    if (image_) show_state();
  });
}

void ExportPage::set_image(const ImagePtr& image) {
  if (image_) image_->disconnect(this);
  image_ = image;
  connect(image.get(), &OpenImage::changed, this, &ExportPage::show_state);
  show_state();
}

void ExportPage::toggle() {
  ExportServer& server = exports_.of(image_);
  if (server.running())
    server.stop();
  else
    server.start(tcp_->isChecked());
}

void ExportPage::show_state() {
  const ExportServer* server = exports_.find(image_->path());
  const bool running = server && server->running(), ready = running && !server->uri().isEmpty();
  const bool can =
      image_->state() == OpenImage::State::ready && !image_->stream() && image_->references_to_allow().isEmpty();
  state_->set(ready     ? tr("Serving")
              : running ? tr("Starting")
                        : tr("Not served"),
              ready ? (server->tcp() ? tr("read-only, TCP") : tr("read-only, Unix socket")) : tr("nobody can read it"));
  up_->setVisible(ready);
  if (ready)
    up_->set(Sizes::duration(static_cast<double>(server->since().secsTo(QDateTime::currentDateTime()))), tr("up"));
  if (ready != clock_.isActive()) ready ? clock_.start(1000) : clock_.stop();
  toggle_->setText(running ? tr("&Stop") : tr("&Start"));
  toggle_->setIcon(action_icon(QLatin1String(running ? "process-stop" : "media-playback-start")));
  toggle_->setEnabled(running || can);
  address_->setVisible(ready);
  if (ready) uri_->set_text(server->uri());
  problem_->set_text(server ? server->problem() : QString());
  problem_->setVisible(!problem_->whole_text().isEmpty());
  tcp_->setEnabled(!running);
  if (!can && image_->stream())
    explanation_->set_text(tr("A compressed file has no places to jump to: convert it first."));
}

}  // namespace disklathe::ui
