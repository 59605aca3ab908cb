// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/export_page.h"

#include <QCheckBox>
#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>

#include "ui/controls/buttons.h"
#include "ui/controls/fact_table.h"
#include "ui/controls/figure.h"
#include "ui/controls/text_label.h"
#include "ui/images/open_image.h"
#include "ui/jobs/exports.h"
#include "ui/pages/job_painting.h"
#include "ui/theme/icons.h"
#include "ui/words/sizes.h"

namespace disklathe::ui {

ExportPage::ExportPage(Exports& exports, QWidget* parent) : Page(parent), exports_(exports) {
  auto* column = static_cast<QVBoxLayout*>(body()->layout());
  auto* row = new QHBoxLayout;
  row->setSpacing(32);
  state_ = new Figure;
  up_ = new Figure;
  read_ = new Figure;
  now_ = new Figure;
  for (Figure* figure : {state_, read_, now_, up_}) row->addWidget(figure);
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
  clients_title_ = new TextLabel(tr("Clients"), Face::section);
  column->addWidget(clients_title_);
  no_clients_ = new TextLabel({}, Face::body, Ink::muted);
  column->addWidget(no_clients_);
  clients_ = new FactTable(tr("Clients"), {{tr("Client"), FactTable::Look::first, 0},
                                           {tr("Process"), FactTable::Look::plain, 0},
                                           {tr("Connected"), FactTable::Look::number, 120},
                                           {tr("Read"), FactTable::Look::number, 110},
                                           {tr("Now"), FactTable::Look::number, 110},
                                           {tr("Requests"), FactTable::Look::number, 110}});
  column->addWidget(clients_);
  touched_title_ = new TextLabel(tr("Ranges touched"), Face::section);
  column->addWidget(touched_title_);
  legend_ = new MapLegend;
  column->addWidget(legend_);
  map_ = new AllocationMap;
  column->addWidget(map_, 1000);
  explanation_ = new TextLabel(tr("Other programs on this computer read the image as a disk: qemu-system, nbdcopy, "
                                  "nbd-client. Nothing can be written."),
                               Face::body, Ink::muted);
  explanation_->setWordWrap(true);
  column->addWidget(explanation_);
  auto* network = new QVBoxLayout;
  network->setSpacing(2);
  tcp_ = new QCheckBox(tr("Listen on &TCP, on this computer's own address"));
  auto* warning = new TextLabel(tr("Then anyone who can reach the address can read this image: every user of this "
                                   "computer. Nothing is encrypted."),
                                Face::body, Ink::muted);
  warning->setWordWrap(true);
  warning->setContentsMargins(isRightToLeft() ? QMargins(0, 0, 24, 0) : QMargins(24, 0, 0, 0));  // under its words
  network->addWidget(tcp_);
  network->addWidget(warning);
  column->addLayout(network);
  column->addStretch(1);
  connect(toggle_, &QPushButton::clicked, this, &ExportPage::toggle);
  connect(copy, &QPushButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(uri_->whole_text()); });
  connect(&clock_, &QTimer::timeout, this, &ExportPage::show_state);
  // With its row in the list of jobs: both say the same at any time.
  for (const auto& signal : {&Exports::changed, &Exports::looked})
    connect(&exports, signal, this, [this] {
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
  show_clients(ready && server->tells_clients() ? server : nullptr);
  explanation_->setVisible(!ready || !server->tells_clients());
  problem_->set_text(server ? server->problem() : QString());
  problem_->setVisible(!problem_->whole_text().isEmpty());
  tcp_->setEnabled(!running);
  if (!can && image_->stream())
    explanation_->set_text(tr("A compressed file has no places to jump to: convert it first."));
}

void ExportPage::show_clients(const ExportServer* server) {
  const bool any = server && !server->clients().isEmpty(), drawn = server && !image_->cells().empty();
  const std::initializer_list<QWidget*> about_map{touched_title_, legend_, map_};
  for (QWidget* widget : about_map) widget->setVisible(drawn);
  clients_title_->setVisible(server != nullptr);
  no_clients_->setVisible(server && !any);
  clients_->setVisible(any);
  read_->setVisible(server && server->bytes_read() > 0);
  now_->setVisible(any);
  if (!server) return;
  no_clients_->set_text(server->clients_left()
                            ? tr("None now. %n client(s) have left.", nullptr, static_cast<int>(server->clients_left()))
                            : tr("None yet. Give the address to a program that speaks NBD."));
  read_->set(Sizes::decimal(server->bytes_read()), tr("read by clients"));
  now_->set(Sizes::rate(server->rate()), tr("now"));
  QVector<QVector<FactTable::Cell>> rows;
  for (const ExportServer::Client& client : server->clients())
    rows << QVector<FactTable::Cell>{{client.name},
                                     {client.where},
                                     {Sizes::duration(client.seconds)},
                                     {Sizes::decimal(client.read)},
                                     {Sizes::rate(client.rate)},
                                     {Sizes::number(client.requests)}};
  clients_->set_rows(rows);
  if (!drawn) return;
  map_->set_cells(image_->cells());
  map_->set_touched(server->touched());
  QVector<MapLegend::Item> items = legend_of(image_->cells(), nullptr, false);
  items << MapLegend::Item{.mark = MapLegend::Mark::touched, .name = tr("read by a client; the rest is pale")};
  legend_->set_items(items);
}

}  // namespace disklathe::ui
