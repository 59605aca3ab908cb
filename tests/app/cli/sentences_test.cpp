// SPDX-License-Identifier: GPL-3.0-or-later
// LINKS: disklathe_cli
#include "app/cli/sentences.h"

#include <QtTest>
#include <cerrno>
#include <set>

#include "app/cli/exit_codes.h"

using namespace disklathe;
using namespace disklathe::cli;

namespace {

constexpr ErrorKind all_kinds[] = {
    ErrorKind::io,       ErrorKind::not_found, ErrorKind::permission, ErrorKind::busy,        ErrorKind::no_space,
    ErrorKind::vanished, ErrorKind::changed,   ErrorKind::corrupt,    ErrorKind::unsupported, ErrorKind::invalid,
    ErrorKind::refused,  ErrorKind::differs,   ErrorKind::stopped};

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

class SentencesTest : public QObject {
  Q_OBJECT
 private slots:
  void names_the_file_what_failed_where_and_why() {
    const std::string text = sentence(os_failure(EIO, "read", "/srv/a.raw", 5 << 20));
    QVERIFY2(has(text, "cannot read '/srv/a.raw' at byte 5242880 (5 MiB): "), text.c_str());
    QVERIFY2(has(text, "nput/output error"), text.c_str());
  }
  void a_missing_file_is_told_once() {
    QCOMPARE(sentence(os_failure(ENOENT, "open", "x.raw")),
             "cannot open 'x.raw': no such file or directory. Check the name, and that its folder exists");
  }
  void what_is_missing_inside_a_file_is_no_matter_of_folders() {
    QCOMPARE(sentence({.kind = ErrorKind::not_found, .operation = "open", .subject = "x", .cause = "no snapshot 7"}),
             "cannot open 'x': no snapshot 7");
  }
  void a_read_only_file_system_is_nothing_that_rights_would_help_with() {
    QCOMPARE(sentence(os_failure(EROFS, "create", "/mnt/x")),
             "cannot create '/mnt/x': read-only file system. Choose another place");
  }
  void the_format_has_the_first_word_about_damage() {
    QCOMPARE(
        sentence({.kind = ErrorKind::corrupt, .operation = "map", .subject = "x", .offset = 512, .cause = "a loop"}),
        "'x' is damaged at byte 512 (512 B), or not of its format: a loop");
  }
  void no_space_tells_what_is_free() {
    QVERIFY(has(sentence(os_failure(ENOSPC, "write", "/dev/shm/not-there", 1)), " free)"));
  }
  void what_a_device_means_by_its_numbers_is_told() {
    const std::string text = sentence(os_failure(ENODATA, "read", "/dev/sdx", 0));
    QVERIFY2(has(text, "at byte 0") && has(text, "the medium is bad there") && has(text, "dmesg"), text.c_str());
    QVERIFY(has(sentence(os_failure(EREMOTEIO, "write", "/dev/sdx", 0)), "a failure of its own"));
    QVERIFY(has(sentence(os_failure(ETIMEDOUT, "write", "/dev/sdx", 0)), "did not answer in time"));
    QVERIFY(!has(sentence(os_failure(ENODATA, "read", "/srv/a.raw", 0)), "medium is bad"));
  }
  void a_read_only_device_is_nothing_that_rights_would_help_with() {
    QCOMPARE(
        sentence({.kind = ErrorKind::permission, .operation = "write", .subject = "/dev/sdx", .cause = "read-only"}),
        "cannot write '/dev/sdx': read-only");
  }
  void a_refusal_is_told_in_its_own_words() {
    QCOMPARE(sentence({.kind = ErrorKind::refused, .operation = "open", .subject = "x", .cause = "say please"}),
             "'x': say please");
    QCOMPARE(sentence({.kind = ErrorKind::invalid, .operation = "create", .cause = "a SIZE is needed"}),
             "a SIZE is needed");
  }
  void every_kind_has_a_sentence_without_holes_even_with_nothing_known() {
    for (const ErrorKind kind : all_kinds) {
      const std::string text = sentence({.kind = kind});
      QVERIFY(!text.empty());
      QVERIFY2(!has(text, "''") && !has(text, "  ") && !has(text, ": ."), text.c_str());
      QVERIFY(name_of(kind) != "other");
    }
  }
  void a_name_cannot_steer_the_terminal() {
    QCOMPARE(sentence({.kind = ErrorKind::corrupt, .subject = "a\x1b[2J\n", .cause = "b"}),
             "'a\\x1b[2J\\x0a' is damaged, or not of its format: b");
  }
  void every_kind_has_an_exit_code_of_its_own() {
    std::set<int> codes;
    for (const ErrorKind kind : all_kinds) {
      QVERIFY(exit_code_of(kind) > exit_other);
      QVERIFY(codes.insert(exit_code_of(kind)).second);
    }
  }
};

QTEST_GUILESS_MAIN(SentencesTest)
#include "sentences_test.moc"
