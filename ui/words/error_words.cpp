// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/words/error_words.h"

#include <cerrno>
#include <system_error>

#include "helper/client/authorization.h"
#include "ui/words/core_words.h"
#include "ui/words/sizes.h"

namespace disklathe::ui {
namespace {

bool is_refusal(const Error& error) { return error.os_error == 0 && error.cause == helper::not_authorised; }

// A whole sentence is the window's own already.
bool is_sentence(const std::string& cause) { return cause.ends_with('.'); }

}  // namespace

// What the kernel means by its numbers; of block devices by those of Linux's block/blk-core.c, blk_errors.
QString ErrorWords::by_kernel(int os_error) {
  switch (os_error) {
    case EIO: return tr("input/output error");
    case ENODATA: return tr("the medium is bad there");
    case EREMOTEIO: return tr("the device reports a failure of its own");
    case EILSEQ: return tr("what it holds there does not match its checksum");
    case ETIMEDOUT: return tr("it did not answer in time");
    case ENOLINK: return tr("the connection to the device failed");
    case EBADE: return tr("another computer has reserved it");
    case EACCES:
    case EPERM: return tr("permission denied");
    case EROFS: return tr("it is read-only");
    case EBUSY: return tr("something else uses it");
    case ETXTBSY: return tr("it is a program that runs");
    case ENOSPC: return tr("no room is left");
    case EDQUOT: return tr("your share of the disk is used up");
    case EFBIG: return tr("the file system takes no file of that size");
    case ENODEV:
    case ENXIO:
    case ENOMEDIUM: return tr("there is no such device any more");
    case ENOENT: return tr("there is no such file or folder");
    case ENOTDIR: return tr("a part of its path is no folder");
    case EISDIR: return tr("it is a folder");
    case ELOOP: return tr("it is a link that leads to itself");
    case ENAMETOOLONG: return tr("its name is too long");
    case ENOMEM: return tr("this computer is out of memory");
    case EMFILE:
    case ENFILE: return tr("too many files are open");
    case ECONNREFUSED: return tr("nobody answers there");
    case ECONNRESET:
    case EPIPE: return tr("the other side has left");
    default: return {};
  }
}

// Why it is so; empty: nobody said, or not in words for people.
QString ErrorWords::reason(const Error& error) {
  if (error.cause.empty()) return by_kernel(error.os_error);
  if (is_sentence(error.cause)) return QString::fromStdString(error.cause);
  return CoreWords::translated(error.cause).value_or(QString());
}

QString ErrorWords::detail(const Error& error) {
  if (!reason(error).isEmpty() || is_refusal(error)) return {};
  const std::string said =
      error.cause.empty() && error.os_error ? std::generic_category().message(error.os_error) : error.cause;
  return said.empty() ? QString() : tr("Technical detail: %1.").arg(QString::fromStdString(said));
}

QString ErrorWords::whole(const Error& error) {
  QStringList parts{sentence(error), advice(error), detail(error)};
  parts.removeAll(QString());
  return parts.join(QLatin1Char(' '));
}

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
    case ErrorKind::crashed: return with(tr("The worker ended without a word while it read %1").arg(subject));
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
