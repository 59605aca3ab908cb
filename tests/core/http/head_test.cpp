// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/http/head.h"

#include <QTest>

using namespace disklathe;
using namespace disklathe::http;

class HeadTest : public QObject {
  Q_OBJECT

 private slots:
  void contentRangesAreUnderstood() {
    QCOMPARE(parse_content_range("bytes 0-0/1"), (PartOf{.range = {0, 1}, .total = 1}));
    QCOMPARE(parse_content_range("Bytes  5-9/*"), (PartOf{.range = {5, 5}, .total = {}}));
    QCOMPARE(parse_content_range("bytes */1234"), (PartOf{.range = {}, .total = 1234}));
  }

  void contentRangesThatMakeNoSenseAreNone() {
    for (const char* value :
         {"", "bytes", "bytes ", "bytes 5", "bytes 5-", "bytes 5-9", "bytes -9/10", "bytes 9-5/10", "bytes 5-10/10",
          "bytes 5-9/", "bytes 5-9/x", "bytes */*", "items 5-9/10", "bytes 0x5-9/10", "bytes 0-18446744073709551615/*",
          "bytes 99999999999999999999-5/10", "bytes 5--9/10", "bytes 5-9/10/11", "bytes +5-9/10"})
      QVERIFY2(!parse_content_range(value), value);
  }

  void theLastAnswerCounts() {
    Head head;
    for (const char* line :
         {"HTTP/1.1 302 Found\r\n", "ETag: \"old\"\r\n", "Content-Length: 7\r\n", "\r\n", "HTTP/2 206 \r\n",
          "etag:  \"new\" \r\n", "LAST-MODIFIED: yesterday\r\n", "content-range: bytes 1-2/3\r\n", "\r\n"})
      head.take(line);
    QCOMPARE(head.status, 206u);
    QVERIFY(!head.length);
    QCOMPARE(head.validator, (Validator{.etag = "\"new\"", .modified = "yesterday"}));
    QCOMPARE(head.part, (PartOf{.range = {1, 2}, .total = 3}));
  }

  void linesThatMakeNoSenseAreNothing() {
    Head head;
    for (const char* line : {"HTTP/1.1", "HTTP/1.1 x", "Content-Length: -5", "Content-Length: 5 5", "no colon", ":", "",
                             "Content-Range: nonsense"})
      head.take(line);
    QCOMPARE(head.status, 0u);
    QVERIFY(!head.length && !head.part && head.has_range);
  }

  // They go back to the server in a line of their own.
  void tagsWithControlCharactersAreNone() {
    Head head;
    head.take("ETag: \"a\nb\"");
    QVERIFY(head.validator.etag.empty());
    head.take("ETag: \"" + std::string(5000, 'x') + "\"");
    QVERIFY(head.validator.etag.empty());
  }

  void weakTagsAreNoCondition() {
    QCOMPARE(Validator({.etag = "\"a\"", .modified = "now"}).condition(), std::string("\"a\""));
    QCOMPARE(Validator({.etag = "W/\"a\"", .modified = "now"}).condition(), std::string("now"));
    QVERIFY(Validator({.etag = "W/\"a\"", .modified = ""}).condition().empty());
  }

  void encodedBodiesAreSeen() {
    Head head;
    head.take("Content-Encoding: identity");
    QVERIFY(!head.encoded);
    head.take("content-encoding: gzip");
    QVERIFY(head.encoded);
  }

  void addressesAreToldFromPaths() {
    QVERIFY(is_url("http://a/b") && is_url("HTTPS://a"));
    QVERIFY(!is_url("http:/a") && !is_url("https://") && !is_url("/http://a") && !is_url("ftp://a"));
  }

  void passwordsAreNotShown() {
    QCOMPARE(shown("http://a/b@c"), std::string("http://a/b@c"));
    QCOMPARE(shown("http://me:pass@a/b"), std::string("http://***@a/b"));
    QCOMPARE(shown("http://me:p@ss@a/b?x=@"), std::string("http://***@a/b?x=@"));
  }
};

QTEST_GUILESS_MAIN(HeadTest)
#include "head_test.moc"
