// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QDirIterator>
#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTest>

#include "core/device/descriptor.h"
#include "core/device/identity_words.h"
#include "tests/support/loop_device.h"
#include "tests/support/private_bus.h"
#include "tests/support/program.h"
#include "tests/support/temp_dir.h"
#include "tests/support/terminal.h"

// What the tests of the privileged side share: loop devices, and clients that are nobody special.
namespace disklathe::test {

constexpr size_t mebibyte = 1 << 20;

inline std::string pattern(size_t size, unsigned seed) {
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>((seed = seed * 1103515245 + 12345) >> 16);
  return bytes;
}

// How many times longer than elsewhere things may take here.
inline qint64 patience() { return std::max(1, qEnvironmentVariableIntValue("DISKLATHE_PATIENCE")); }

inline QString q(const std::string& text) { return QString::fromStdString(text); }

// disklathe-rig-client, as that user.
class Client {
 public:
  Client(uid_t user, const QStringList& words, std::vector<int> inherited = {}) {
    process_.setChildProcessModifier([user, inherited] {
      for (const int fd : inherited) fcntl(fd, F_SETFD, 0);
      if (user != 0 && (setgroups(0, nullptr) != 0 || setgid(user) != 0 || setuid(user) != 0)) _exit(126);
    });
    process_.start(QString(PrivateBus::test_programs) + "/disklathe-rig-client", words);
    process_.waitForStarted();
  }
  ~Client() {
    process_.kill();
    process_.waitForFinished();
  }

  // The next line that begins like that; empty: there was none.
  QString line(const QString& beginning, int patience = 10000) {
    QElapsedTimer clock;
    clock.start();
    while (true) {
      while (process_.canReadLine()) {
        const QString text = QString::fromUtf8(process_.readLine()).trimmed();
        said_ += text + u'\n';
        if (text.startsWith(beginning)) return text;
      }
      if (clock.elapsed() > patience) return {};
      if (!process_.waitForReadyRead(50) && process_.state() == QProcess::NotRunning && !process_.canReadLine())
        return {};
    }
  }
  QString end() { return line("ended"); }
  void tell() { process_.write("x\n"), process_.waitForBytesWritten(); }
  qint64 pid() const { return process_.processId(); }
  void kill() { ::kill(static_cast<pid_t>(process_.processId()), SIGKILL); }
  void wait() { process_.waitForFinished(); }
  const QString& said() const { return said_; }

 private:
  QProcess process_;
  QString said_;
};

struct Running {
  pid_t pid;
  uid_t user;
};

inline std::vector<Running> processes(const std::string& name) {
  std::vector<Running> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string number = entry.path().filename();
    if (number.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string folder = entry.path();
    QFile comm(QString::fromStdString(folder + "/comm")), line(QString::fromStdString(folder + "/cmdline"));
    if (!comm.open(QIODevice::ReadOnly) || comm.readAll().trimmed() != name.substr(0, 15).c_str()) continue;
    if (!line.open(QIODevice::ReadOnly) || line.readAll().isEmpty()) continue;  // ended, and nobody has taken leave yet
    QFile status(QString::fromStdString(folder + "/status"));
    if (!status.open(QIODevice::ReadOnly)) continue;
    static const QRegularExpression uid("Uid:\\s+(\\d+)");
    found.push_back({std::stoi(number), uid.match(QString::fromUtf8(status.readAll())).captured(1).toUInt()});
  }
  return found;
}
inline std::vector<Running> workers() { return processes("disklathe-worker"); }

// How long until there are no more; -1: there still are.
inline qint64 wait_for_no_workers(qint64 patience = 3000) {
  QElapsedTimer clock;
  clock.start();
  while (!workers().empty()) {
    if (clock.elapsed() > patience) return -1;
    QTest::qSleep(2);
  }
  return clock.elapsed();
}

inline bool soon(const auto& condition) {
  for (int i = 0; i < 400; ++i) {
    if (condition()) return true;
    QTest::qSleep(5);
  }
  return false;
}

inline std::string words(const Identity& identity) {
  std::string text;
  for (const std::string& word : words_of(identity)) text += (text.empty() ? "" : ",") + word;
  return text;
}

// A test on a bus and a polkitd of its own.
class HelperTest : public QObject {
 protected:
  // A loop device of that size, in bytes, with a file behind it.
  struct Device {
    std::string file;
    std::unique_ptr<LoopDevice> loop;

    QString path() const { return q(loop->path()); }
    std::string content() const { return read_file(file); }
    std::string id() const { return loop->name() + ":" + std::to_string(content().size()); }
    bool untouched() const { return content() == std::string(content().size(), '\0'); }
  };
  Device make_device(size_t size = 4 * mebibyte) {
    static int count = 0;
    Device device{.file = dir_->file("device" + std::to_string(++count))};
    write_file(device.file, std::string(size, '\0'));
    device.loop = LoopDevice::attach(device.file, 512);
    if (device.loop) {
      chmod(device.loop->path().c_str(), 0600);
    }
    return device;
  }
  // An image that only its owner may read.
  QString make_image(uid_t owner, const std::string& content) {
    static int count = 0;
    const std::string path = std::string(PrivateBus::folder) + "/image" + std::to_string(++count);
    write_file(path, content);
    (void)!chown(path.c_str(), owner, owner);
    chmod(path.c_str(), 0600);
    return q(path);
  }
  QStringList convert(const Device& device, const QString& image) {
    return {"action=convert", "device=" + device.path(), "image=" + image};
  }
  // A job that goes on until the pipe ends.
  struct Endless {
    Descriptor reader, writer;
    Endless() {
      int ends[2];
      (void)!pipe2(ends, O_CLOEXEC);
      reader = Descriptor(ends[0]), writer = Descriptor(ends[1]);
      (void)!write(ends[1], "some bytes", 10);
    }
    QStringList words(const Device& device) const {
      return {"action=convert", "device=" + device.path(), QString("pipe=%1").arg(reader.get()), "stoppable"};
    }
  };
  QStringList raw_words(const Device& device, const QString& token) {
    return {"raw=convert", "str:token=" + token, "fds:socket=own",
            "lst:device=" + q(words(*identity_of(device.loop->path())))};
  }
  static QString token(int number) { return QString("%1").arg(number, 32, 16, QLatin1Char('0')); }

  std::unique_ptr<TempDir> dir_;
  std::unique_ptr<PrivateBus> bus_;

  // initTestCase(), cleanup() and cleanupTestCase() of each such test.
  void start_rig() {
    QElapsedTimer clock;
    clock.start();
    dir_ = std::make_unique<TempDir>(TempDir::Where::memory);
    bus_ = std::make_unique<PrivateBus>();
    const std::string wrong = bus_->start();
    if (!wrong.empty()) qFatal("%s", wrong.c_str());
    qInfo("the bus and polkitd are up after %lld ms", clock.elapsed());
    if (!make_device().loop) QSKIP(LoopDevice::why_not());
  }
  void nothing_is_left() { QVERIFY(wait_for_no_workers() >= 0); }
  void end_rig() {
    bus_.reset();
    dir_.reset();
  }
};

// main() of such a test.
template <class Test>
int run_in_rig(int count, char** arguments) {
  const std::string wrong = PrivateBus::enter();
  if (!wrong.empty()) {
    std::printf("SKIP: %s\n", wrong.c_str());
    return 77;
  }
  QCoreApplication application(count, arguments);
  Test test;
  return QTest::qExec(&test, count, arguments);
}

}  // namespace disklathe::test
