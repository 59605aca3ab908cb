// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/flows/device_choice.h"

#include <QPointer>
#include <QThreadPool>

#include "ui/words/device_words.h"
#include "ui/words/error_words.h"

namespace disklathe::ui {

void choose_device_at(const QString& node, QObject* context,
                      std::function<void(std::shared_ptr<const ChosenDevice>, const QString&)> then) {
  QThreadPool::globalInstance()->start([node, guard = QPointer<QObject>(context), then = std::move(then)] {
    auto chosen = choose_device(node.toStdString());
    std::shared_ptr<const ChosenDevice> device;
    QString why;
    if (chosen)
      device = std::make_shared<ChosenDevice>(std::move(*chosen));
    else
      why = DeviceWords::denial(chosen.error());
    QMetaObject::invokeMethod(qApp, [guard, then, device, why] {
      if (guard) then(device, why);
    });
  });
}

}  // namespace disklathe::ui
