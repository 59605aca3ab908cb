// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/welcome_page.h"

#include <QVBoxLayout>

#include "core/format/registry.h"
#include "core/stream/decoder.h"
#include "ui/controls/buttons.h"
#include "ui/controls/surfaces.h"
#include "ui/controls/text_label.h"
#include "ui/panes/drop_zones.h"

namespace disklathe::ui {
namespace {

// From the registry: what the core learns is named here.
QString format_names() {
  QStringList names, encodings;
  for (const Format& format : formats())
    names << QString::fromUtf8(format.name.data(), static_cast<qsizetype>(format.name.size()));
  for (const stream::Encoding& encoding : stream::encodings())
    encodings << QString::fromUtf8(encoding.name.data(), static_cast<qsizetype>(encoding.name.size()));
  return WelcomePage::tr("%1; also inside %2", "formats; compressions")
      .arg(names.join(QStringLiteral(", ")), encodings.join(QStringLiteral(", ")));
}

}  // namespace

WelcomePage::WelcomePage(QWidget* parent) : QWidget(parent) {
  set_surface(*this, true);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(24, 24, 24, 24);
  column->setSpacing(16);
  auto* zone = new DropZone({Glyph::image}, tr("Drop a disk image here"),
                            tr("It is only inspected. Nothing is written until you say where."));
  connect(zone, &DropZone::dropped, this, &WelcomePage::dropped);
  column->addWidget(zone, 1);

  auto* inside = new QVBoxLayout(zone);
  inside->setSpacing(16);
  inside->addStretch(1);
  inside->addSpacing(150);  // the zone's own words stand above the middle
  auto* open = make_button(tr("&Open…"), QLatin1String("document-open"));
  inside->addWidget(open, 0, Qt::AlignHCenter);
  connect(open, &QPushButton::clicked, this, &WelcomePage::open_wanted);
  inside->addWidget(new TextLabel(format_names(), Face::caption, Ink::muted), 0, Qt::AlignHCenter);
  inside->addStretch(1);

  auto* devices =
      new TextLabel(tr("Or choose a device from the list to see its limits. Reading them needs no password."),
                    Face::body, Ink::muted);
  devices->setAlignment(Qt::AlignHCenter);
  devices->setWordWrap(true);
  column->addWidget(devices);
}

}  // namespace disklathe::ui
