// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/words/error_words.h"

#include <cerrno>
#include <system_error>

#include "helper/client/authorization.h"
#include "ui/words/sizes.h"

namespace disklathe::ui {
namespace {

QString reason(const Error& error) {
  if (!error.cause.empty()) return QString::fromStdString(error.cause);
  return error.os_error ? QString::fromStdString(std::generic_category().message(error.os_error)) : QString();
}

bool is_refusal(const Error& error) { return error.os_error == 0 && error.cause == helper::not_authorised; }

}  // namespace

QString ErrorWords::sentence(const Error& error) {
  const QString subject = error.subject.empty() ? tr("the file") : QString::fromStdString(error.subject);
  const QString why = reason(error);
  const auto with = [&](const QString& sentence) {
    if (why.isEmpty()) return sentence + QLatin1Char('.');
    return why.endsWith(QLatin1Char('.')) ? tr("%1: %2", "what happened, why").arg(sentence, why)
                                          : tr("%1: %2.", "what happened, why").arg(sentence, why);
  };
  switch (error.kind) {
    case ErrorKind::not_found: return tr("%1 is not there.").arg(subject);
    case ErrorKind::permission:
      if (is_refusal(error)) return tr("You were not authorised to open %1.").arg(subject);
      if (error.operation == helper::to_ask) return with(tr("%1 could not be opened").arg(subject));
      return with(tr("You may not use %1").arg(subject));
    case ErrorKind::busy: return with(tr("%1 is in use").arg(subject));
    case ErrorKind::no_space:
      return error.os_error == ENOSPC && error.cause.empty() ? tr("There is no room left for %1.").arg(subject)
                                                             : with(tr("There is not enough room on %1").arg(subject));
    case ErrorKind::vanished: return tr("%1 was unplugged or went away.").arg(subject);
    case ErrorKind::changed: return with(tr("%1 changed while it was read").arg(subject));
    case ErrorKind::corrupt:
      if (error.offset) return with(tr("%1 is damaged at byte %2").arg(subject, Sizes::number(*error.offset)));
      return with(tr("%1 is damaged, or not of its format").arg(subject));
    case ErrorKind::unsupported: return with(tr("%1 needs something this program does not do").arg(subject));
    case ErrorKind::io:
      if (error.offset) return with(tr("%1 failed at byte %2").arg(subject, Sizes::number(*error.offset)));
      return with(tr("%1 failed").arg(subject));
    case ErrorKind::refused: return with(tr("%1 was refused").arg(subject));
    case ErrorKind::invalid: return with(tr("That cannot be done with %1").arg(subject));
    case ErrorKind::differs: return with(tr("%1 differs").arg(subject));
    case ErrorKind::stopped: return tr("cancelled.", "after 'Failed: '");
    case ErrorKind::crashed: return tr("The worker ended without a word while it read %1.").arg(subject);
  }
  return with(tr("%1 failed").arg(subject));
}

QString ErrorWords::advice(const Error& error) {
  switch (error.kind) {
    case ErrorKind::not_found: return tr("Check its name, and that its folder is there.");
    case ErrorKind::permission:
      if (is_refusal(error))
        return tr(
            "Try again and give the password. Where nobody asks for one no agent of polkit runs: use sudo "
            "disklathe in a terminal.");
      if (error.operation == helper::to_ask)
        return tr(
            "Install disklathe-helper, or use sudo disklathe in a terminal. Looking at devices and converting "
            "files work without it.");
      return tr("Choose another file, or change its permissions.");
    case ErrorKind::busy: return tr("Close what uses it, or unmount it, then try again.");
    case ErrorKind::no_space: return tr("Make room, or choose another place.");
    case ErrorKind::vanished: return tr("Check the cable, then choose the device again.");
    case ErrorKind::changed: return tr("Stop what writes to it, then start again.");
    case ErrorKind::corrupt: return tr("The image is damaged: get it again.");
    case ErrorKind::io: return tr("The medium or its connection may be failing. Try another port or cable.");
    case ErrorKind::crashed:
      return tr("The image may be made to harm. Only the worker was hit; nothing else of yours was within its reach.");
    case ErrorKind::unsupported:
    case ErrorKind::refused:
    case ErrorKind::invalid:
    case ErrorKind::differs:
    case ErrorKind::stopped: return {};
  }
  return {};
}

}  // namespace disklathe::ui
