// SPDX-License-Identifier: GPL-3.0-or-later
#include "helper/request.h"

#include <QDBusUnixFileDescriptor>
#include <algorithm>

#include "core/device/identity_words.h"

namespace disklathe::helper {
namespace {

bool is_token(const QString& text) {
  const auto hexadecimal = [](QChar c) { return (c >= u'0' && c <= u'9') || (c >= u'a' && c <= u'f'); };
  return text.size() == 32 && std::ranges::all_of(text, hexadecimal);
}

// Out of the arguments; nothing unless it is of exactly this type.
template <class T>
std::optional<T> take(QVariantMap& arguments, const char* key) {
  const QVariant value = arguments.take(QLatin1StringView(key));
  if (value.metaType() != QMetaType::fromType<T>()) return std::nullopt;
  return value.value<T>();
}

}  // namespace

std::expected<Request, QString> read_request(QVariantMap arguments, bool tunes) {
  constexpr uint64_t least_kib = 4, most_kib = 1 << 20;
  const auto wrong = [](const QString& key) { return std::unexpected(key); };
  Request request;
  const auto token = take<QString>(arguments, "token");
  if (!token || !is_token(*token)) return wrong(QStringLiteral("token"));
  const auto socket = take<QDBusUnixFileDescriptor>(arguments, "socket");
  if (!socket || !socket->isValid()) return wrong(QStringLiteral("socket"));
  const auto device = take<QStringList>(arguments, "device");
  if (!device || device->size() != identity_word_count) return wrong(QStringLiteral("device"));
  for (const QString& word : *device) request.device.push_back(word.toStdString());
  if (!identity_of_words(request.device)) return wrong(QStringLiteral("device"));
  if (tunes) {
    const auto kib = take<qulonglong>(arguments, "max_sectors_kib");
    if (!kib || *kib < least_kib || *kib > most_kib) return wrong(QStringLiteral("max_sectors_kib"));
    request.max_sectors_kib = *kib;
  }
  if (!arguments.isEmpty()) return wrong(QStringLiteral("one that is not known"));
  request.token = *token;
  request.socket = socket->fileDescriptor();
  return request;
}

}  // namespace disklathe::helper
