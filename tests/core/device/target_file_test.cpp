// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/device/target_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTest>
#include <array>
#include <csignal>
#include <span>
#include <string>
#include <vector>

#include "tests/support/child.h"
#include "tests/support/temp_dir.h"

using namespace disklathe;
using test::read_file;
using test::TempDir;
using test::write_file;
using Names = std::vector<std::string>;

namespace {

std::unique_ptr<TargetFile> create(const std::string& path, CacheMode cache = CacheMode::automatic) {
  Result<std::unique_ptr<TargetFile>> target = TargetFile::create(path, cache);
  if (!target) qFatal("create %s: errno %d", path.c_str(), target.error().os_error);
  return std::move(*target);
}

void fill(TargetFile& target, std::string_view content) {
  if (!target.device().resize(content.size()) || !target.device().write_now(0, std::as_bytes(std::span(content)))) {
    qFatal("cannot write");
  }
}

ino_t inode_of(const std::string& path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

mode_t mode_of(const std::string& path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}

}  // namespace

class TargetFileTest : public QObject {
  Q_OBJECT

 private slots:
  void appearsWhenCommitted_data() { places(); }
  void appearsWhenCommitted() {
    const TempDir dir(where());
    auto target = create(dir.file("a"));
    fill(*target, "new");
    QVERIFY(access(dir.file("a").c_str(), F_OK) != 0);
    QVERIFY(target->commit(true).has_value());
    QCOMPARE(read_file(dir.file("a")), std::string("new"));
    target.reset();
    QCOMPARE(dir.names(), (Names{"a"}));
  }

  void replacesTheOldFileInOneStep_data() { places(); }
  void replacesTheOldFileInOneStep() {
    const TempDir dir(where());
    write_file(dir.file("a"), "old");
    const int reader = open(dir.file("a").c_str(), O_RDONLY | O_CLOEXEC);
    auto target = create(dir.file("a"));
    fill(*target, "new");
    QCOMPARE(read_file(dir.file("a")), std::string("old"));
    QVERIFY(target->commit(true).has_value());
    QCOMPARE(read_file(dir.file("a")), std::string("new"));
    std::array<char, 3> text{};
    QCOMPARE(read(reader, text.data(), 3), 3);
    QCOMPARE(std::string(text.data(), 3), std::string("old"));  // whoever has it open keeps it
    close(reader);
    target.reset();
    QCOMPARE(dir.names(), (Names{"a"}));
  }

  void leavesNothingWhenDropped_data() { places(); }
  void leavesNothingWhenDropped() {
    const TempDir dir(where());
    write_file(dir.file("old"), "old");
    fill(*create(dir.file("old")), "new");
    fill(*create(dir.file("fresh")), "new");
    auto abandoned = create(dir.file("abandoned"));
    abandoned->abandon();
    QCOMPARE(dir.names(), (Names{"old"}));
    QCOMPARE(read_file(dir.file("old")), std::string("old"));
  }

  void killedItLeavesTheOldFileAndNothingElse_data() { places(); }
  void killedItLeavesTheOldFileAndNothingElse() {
    const TempDir dir(where());
    write_file(dir.file("a"), "old");
    std::array<int, 2> ready{};
    QCOMPARE(pipe(ready.data()), 0);
    const pid_t child = fork();
    if (child == 0) {
      auto target = create(dir.file("a"));
      fill(*target, std::string(1 << 20, 'n'));
      (void)!write(ready[1], "x", 1);
      for (;;) pause();
    }
    char byte = 0;
    QCOMPARE(read(ready[0], &byte, 1), 1);
    kill(child, SIGKILL);
    QCOMPARE(waitpid(child, nullptr, 0), child);
    close(ready[0]);
    close(ready[1]);
    QCOMPARE(dir.names(), (Names{"a"}));
    QCOMPARE(read_file(dir.file("a")), std::string("old"));
  }

  void withoutNamelessFilesItIsWrittenBesideItsName() {
    // FAT, NFS and others have no O_TMPFILE.
    const TempDir dir;
    write_file(dir.file("a"), "old");
    const int outcome = test::in_child(
        [](const std::string& folder) {
          if (!test::deny_system_call(SYS_openat, 2, O_TMPFILE, EOPNOTSUPP)) return 1;
          {
            fill(*create(folder + "/dropped"), "new");
          }
          for (const char* name : {"/a", "/b"}) {
            auto target = create(folder + name);
            fill(*target, "new");
            if (!target->commit(true)) return 2;
          }
          auto refused = create(folder + "/c");
          write_file(folder + "/c", "somebody's");
          const Result<void> commit = refused->commit(true);
          if (commit || commit.error().kind != ErrorKind::refused) return 3;
          auto abandoned = create(folder + "/d");
          abandoned->abandon();
          _exit(0);  // without destructors, as from a signal
        },
        dir.path());
    if (outcome == 1) QSKIP("this kernel has no seccomp filters");
    QCOMPARE(outcome, 0);
    QCOMPARE(read_file(dir.file("a")), std::string("new"));
    QCOMPARE(read_file(dir.file("b")), std::string("new"));
    QCOMPARE(read_file(dir.file("c")), std::string("somebody's"));
    Names names = dir.names();
    // `refused` was not dropped: its hidden file shows what abandon() is for.
    QCOMPARE(std::erase_if(names, [](const std::string& name) { return name.starts_with(".c.disklathe-"); }), 1U);
    QCOMPARE(names, (Names{"a", "b", "c"}));
  }

  void aFullTargetSaysNoSpaceAndLeavesTheOldFile() {
    const TempDir dir;
    const int outcome = test::in_child(
        [](const std::string& folder) {
          if (!test::mount_small_tmpfs(folder, 1 << 20)) return 1;
          write_file(folder + "/a", "old");
          {
            auto target = create(folder + "/a");
            if (!target->device().resize(4 << 20)) return 2;
            const std::string bytes(2 << 20, 'n');
            const Result<void> result = target->device().write_now(0, std::as_bytes(std::span(bytes)));
            if (result || result.error().kind != ErrorKind::no_space) return 3;
            // Short first, then refused: it says how far it came.
            if (result.error().offset.value_or(0) < 900 << 10) return 4;
          }
          return read_file(folder + "/a") == "old" ? 0 : 5;
        },
        dir.path());
    if (outcome == 1) QSKIP("needs root, to mount a small file system");
    QCOMPARE(outcome, 0);
  }

  void aDirectTargetIsWritable() {
    const TempDir dir;
    auto target = create(dir.file("a"), CacheMode::none);
    QCOMPARE(target->device().io_mode(), IoMode::queued);
    fill(*target, "new");
    QVERIFY(target->commit(true).has_value());
    QCOMPARE(read_file(dir.file("a")), std::string("new"));
  }

  void keepsPermissionsOfTheReplacedFile() {
    const TempDir dir;
    write_file(dir.file("a"), "old");
    QCOMPARE(chmod(dir.file("a").c_str(), 0640), 0);
    if (geteuid() == 0) QCOMPARE(chown(dir.file("a").c_str(), 65534, 65534), 0);
    auto target = create(dir.file("a"));
    QVERIFY(target->commit(true).has_value());
    QCOMPARE(mode_of(dir.file("a")), 0640U);
    struct stat status{};
    QCOMPARE(stat(dir.file("a").c_str(), &status), 0);
    QCOMPARE(status.st_uid, geteuid() == 0 ? 65534U : getuid());
  }

  void aFreshFileObeysTheUmask() {
    const TempDir dir;
    const mode_t before = umask(027);
    QVERIFY(create(dir.file("a"))->commit(false).has_value());
    umask(before);
    QCOMPARE(mode_of(dir.file("a")), 0640U);
  }

  void replacesWhatALinkLeadsTo() {
    const TempDir dir;
    QCOMPARE(mkdir(dir.file("deep").c_str(), 0700), 0);
    write_file(dir.file("deep/file"), "old");
    QCOMPARE(symlink("deep/second", dir.file("first").c_str()), 0);
    QCOMPARE(symlink("file", dir.file("deep/second").c_str()), 0);
    auto target = create(dir.file("first"));
    fill(*target, "new");
    QVERIFY(target->commit(true).has_value());
    QCOMPARE(read_file(dir.file("deep/file")), std::string("new"));
    struct stat status{};
    QCOMPARE(lstat(dir.file("first").c_str(), &status), 0);
    QVERIFY(S_ISLNK(status.st_mode));
  }

  void makesWhatADanglingLinkLeadsTo() {
    const TempDir dir;
    QCOMPARE(symlink("file", dir.file("link").c_str()), 0);
    QVERIFY(create(dir.file("link"))->commit(true).has_value());
    QCOMPARE(dir.names(), (Names{"file", "link"}));
    QCOMPARE(symlink("loop", dir.file("loop").c_str()), 0);
    QCOMPARE(error_of(dir.file("loop")).os_error, ELOOP);
  }

  void nothingThatAppearedMeanwhileIsReplaced_data() { places(); }
  void nothingThatAppearedMeanwhileIsReplaced() {
    const TempDir dir(where());
    auto fresh = create(dir.file("a"));
    write_file(dir.file("a"), "somebody's");
    QCOMPARE(fresh->commit(true).error().kind, ErrorKind::refused);
    auto replacing = create(dir.file("a"));
    write_file(dir.file("b"), "somebody else's");
    QCOMPARE(rename(dir.file("b").c_str(), dir.file("a").c_str()), 0);
    QCOMPARE(replacing->commit(true).error().kind, ErrorKind::refused);
    fresh.reset();
    replacing.reset();
    QCOMPARE(read_file(dir.file("a")), std::string("somebody else's"));
    QCOMPARE(dir.names(), (Names{"a"}));
  }

  void aFileThatWentMeanwhileIsMadeAnew() {
    const TempDir dir;
    write_file(dir.file("a"), "old");
    auto target = create(dir.file("a"));
    QCOMPARE(unlink(dir.file("a").c_str()), 0);
    QVERIFY(target->commit(true).has_value());
    QVERIFY(inode_of(dir.file("a")) != 0);
  }

  void aLongNameIsNoProblem() {
    const TempDir dir;
    const std::string name(255, 'n');
    write_file(dir.file(name), "old");
    QVERIFY(create(dir.file(name))->commit(true).has_value());
    QCOMPARE(dir.names(), (Names{name}));
  }

  void saysWhatIsInTheWay() {
    const TempDir dir;
    QCOMPARE(error_of(dir.path()).os_error, EISDIR);
    QCOMPARE(error_of(dir.path() + "/").os_error, EISDIR);
    QCOMPARE(error_of("/dev/null").cause, std::string("it is no regular file"));
    const Error missing = error_of(dir.file("no/such/file"));
    QCOMPARE(missing.kind, ErrorKind::not_found);
    QCOMPARE(missing.subject, dir.file("no/such"));
    QCOMPARE(error_of("/proc/disklathe").kind == ErrorKind::permission ||
                 error_of("/proc/disklathe").kind == ErrorKind::not_found,
             true);
  }

  void whoMayNotWriteIsTold() {
    if (geteuid() != 0) QSKIP("needs root, to become somebody who may not");
    const TempDir dir;
    write_file(dir.file("readonly"), "old");
    QCOMPARE(chmod(dir.file("readonly").c_str(), 0444), 0);
    QCOMPARE(chmod(dir.path().c_str(), 0755), 0);
    QCOMPARE(mkdir(dir.file("open").c_str(), 0777), 0);
    QCOMPARE(chmod(dir.file("open").c_str(), 0777), 0);
    write_file(dir.file("open/readonly"), "old");
    QCOMPARE(seteuid(65534), 0);
    const Error folder = error_of(dir.file("fresh"));
    const Error file = error_of(dir.file("open/readonly"));
    QCOMPARE(seteuid(0), 0);
    QCOMPARE(folder.kind, ErrorKind::permission);
    QCOMPARE(folder.subject, dir.path());
    QCOMPARE(file.kind, ErrorKind::permission);
    QCOMPARE(file.subject, dir.file("open/readonly"));
    QCOMPARE(read_file(dir.file("open/readonly")), std::string("old"));
  }

 private:
  static void places() {
    QTest::addColumn<int>("place");
    QTest::newRow("disk") << static_cast<int>(TempDir::Where::disk);
    QTest::newRow("memory") << static_cast<int>(TempDir::Where::memory);
  }
  static TempDir::Where where() {
    QFETCH(int, place);
    return static_cast<TempDir::Where>(place);
  }
  static Error error_of(const std::string& path) {
    Result<std::unique_ptr<TargetFile>> target = TargetFile::create(path, CacheMode::automatic);
    return target ? Error{.cause = "it was made"} : target.error();
  }
};

QTEST_GUILESS_MAIN(TargetFileTest)
#include "target_file_test.moc"
