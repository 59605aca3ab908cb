// SPDX-License-Identifier: GPL-3.0-or-later
// Where containers or administrators forbid io_uring, the same work is done by threads.
#include <sys/syscall.h>
#include <unistd.h>

#include <QTest>
#include <cerrno>

#include "core/device/file_device.h"
#include "core/io/aligned_buffer.h"
#include "core/io/ring.h"
#include "tests/support/child.h"
#include "tests/support/run_task.h"
#include "tests/support/temp_dir.h"

using namespace disklathe;

namespace {

enum Outcome { fine, no_filter, wrong_kind, not_refused, not_opened, not_written, not_read };

// `order`: the errno and the path, one after the other.
int direct_job(const std::string& order) {
  const int os_error = std::stoi(order);
  const std::string path = order.substr(order.find('/'));
  if (!test::deny_system_call(SYS_io_uring_setup, os_error)) return no_filter;
  auto ring = Ring::create();
  if (!ring || (*ring)->kind() != RingKind::threads) return wrong_kind;
  const auto asked = Ring::create(RingKind::uring);
  if (asked || asked.error().os_error != os_error) return not_refused;
  const auto device = FileDevice::open({.path = path, .writable = true, .cache = CacheMode::none});
  if (!device || (*device)->io_mode() != IoMode::queued) return not_opened;
  AlignedBuffer buffer(64 << 10, 4096);
  std::ranges::fill(buffer.bytes(), std::byte{'y'});
  std::vector<iovec> vectors(16);
  std::vector<Task<Result<void>>> writes;
  for (size_t i = 0; i < vectors.size(); ++i) {
    vectors[i] = {buffer.data() + i * 4096, 4096};
    writes.push_back((*device)->writev(**ring, i * 4096, {&vectors[i], 1}));
  }
  if (!test::run_task(**ring, when_all(std::move(writes)))) return not_written;
  if (!test::run_task(**ring, (*device)->flush(**ring))) return not_written;
  std::ranges::fill(buffer.bytes(), std::byte{0});
  const iovec whole{buffer.data(), buffer.size()};
  if (!test::run_task(**ring, (*device)->readv(**ring, 0, {&whole, 1}))) return not_read;
  return std::ranges::count(buffer.bytes(), std::byte{'y'}) == (64 << 10) ? fine : not_read;
}

}  // namespace

class ForbiddenTest : public QObject {
  Q_OBJECT

 private slots:
  void theSameJobRunsOnThreads_data() {
    QTest::addColumn<int>("error");
    QTest::newRow("seccomp says EPERM") << EPERM;
    QTest::newRow("an old kernel says ENOSYS") << ENOSYS;
    QTest::newRow("a policy says EACCES") << EACCES;
    QTest::newRow("a memory limit says ENOMEM") << ENOMEM;
  }
  void theSameJobRunsOnThreads() {
    QFETCH(int, error);
    const test::TempDir dir;
    test::write_file(dir.file("a"), std::string(64 << 10, 'x'));
    const int outcome = test::in_child(direct_job, std::to_string(error) + dir.file("a"));
    if (outcome == no_filter) QSKIP("this kernel has no seccomp filters");
    QCOMPARE(outcome, static_cast<int>(fine));
    QCOMPARE(test::read_file(dir.file("a")), std::string(64 << 10, 'y'));
  }

  void olderRingsDoWithoutTheNewFlags() {
    // A kernel that knows neither SINGLE_ISSUER nor DEFER_TASKRUN refuses them with EINVAL. Here all setups are
    // refused so: then it is threads again, and no endless search.
    const int outcome = test::in_child([](const std::string&) {
      if (!test::deny_system_call(SYS_io_uring_setup, EINVAL)) return static_cast<int>(no_filter);
      auto ring = Ring::create();
      return static_cast<int>(ring && (*ring)->kind() == RingKind::threads ? fine : wrong_kind);
    });
    if (outcome == no_filter) QSKIP("this kernel has no seccomp filters");
    QCOMPARE(outcome, static_cast<int>(fine));
  }
};

QTEST_GUILESS_MAIN(ForbiddenTest)
#include "forbidden_test.moc"
