// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panes/export_row.h"

#include <QHBoxLayout>
#include <QToolButton>

#include "ui/controls/buttons.h"
#include "ui/controls/text_label.h"
#include "ui/images/open_image.h"
#include "ui/theme/glyph.h"
#include "ui/theme/icons.h"
#include "ui/words/sizes.h"

namespace disklathe::ui {

ExportRow::ExportRow(ExportServer& server, QWidget* parent) : PaneRow(parent), server_(server) {
  const QString title = tr("%1 → NBD").arg(server.image()->name());
  setAccessibleName(title);
  row().addWidget(new GlyphView(Glyph::network, 22));
  state_ = add_words(title);
  rate_ = new TextLabel({});
  row().addWidget(rate_);
  auto* stop = make_tool({}, action_icon(QLatin1String("process-stop")), tr("Stop %1").arg(title));
  stop->setFixedSize(32, 32);
  row().addWidget(stop);
  connect(stop, &QToolButton::clicked, &server, &ExportServer::stop);
  connect(&server, &ExportServer::changed, this, &ExportRow::show_state);
  connect(&server, &ExportServer::looked, this, &ExportRow::show_state);
  show_state();
}

void ExportRow::show_state() {
  const bool ready = !server_.uri().isEmpty();
  QString state = !ready ? tr("Starting") : server_.tcp() ? tr("Serving, read-only, TCP") : tr("Serving, read-only");
  if (ready && server_.tells_clients())
    state = tr("%1, %2", "what it does, how many clients")
                .arg(state, tr("%n client(s)", nullptr, static_cast<int>(server_.clients().size())));
  state_->set_text(state);
  rate_->set_text(server_.rate() > 0 ? Sizes::rate(server_.rate()) : QString());
  setAccessibleDescription(state_->whole_text());
}

}  // namespace disklathe::ui
