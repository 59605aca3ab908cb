// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/private_bus.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "tests/support/program.h"
#include "tests/support/temp_dir.h"

namespace disklathe::test {
namespace fs = std::filesystem;
namespace {

constexpr const char* polkitd = "/usr/lib/polkit-1/polkitd";

// crypt("sesame")
constexpr const char* password =
    "$6$disklathe$/oomJecvZSibpevKBgd.S2R.PZJaUHeMApNMCXcK9A7Qoqs3hRh/juz7k6v.2Aayws/fLLPLgoxjZZgCTZEhm/";

constexpr const char* rules = R"(polkit.addRule(function(action, subject) {
  if (action.id.indexOf("org.disklathe.") != 0) return polkit.Result.NOT_HANDLED;
  if (subject.user == "alice" || subject.user == "bob") return polkit.Result.YES;
  if (subject.user == "carol") return polkit.Result.AUTH_ADMIN;  // as at the desk; here nobody has a session
});
polkit.addAdminRule(function() { return ["unix-user:carol"]; });
)";

constexpr const char* bus = R"(<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>system</type>
  <listen>unix:path=/run/dbus/system_bus_socket</listen>
  <auth>EXTERNAL</auth>
  <servicedir>/run/rig/services</servicedir>
  <policy context="default">
    <allow user="*"/>
    <deny own="*"/>
    <deny send_type="method_call"/>
    <allow send_type="signal"/>
    <allow send_requested_reply="true" send_type="method_return"/>
    <allow send_requested_reply="true" send_type="error"/>
    <allow receive_type="method_call"/>
    <allow receive_type="method_return"/>
    <allow receive_type="error"/>
    <allow receive_type="signal"/>
    <allow send_destination="org.freedesktop.DBus"/>
  </policy>
  <include>/usr/share/dbus-1/system.d/org.freedesktop.PolicyKit1.conf</include>
  <include>/usr/share/dbus-1/system.d/org.kde.kf6auth.conf</include>
  <include>/run/rig/org.disklathe.helper.conf</include>
</busconfig>
)";

std::string build_folder() {
  const char* folder = std::getenv("DISKLATHE_BUILD_DIR");
  return folder ? folder : "";
}

bool mount_tmpfs(const char* folder, const char* options) {
  return mount("rig", folder, "tmpfs", MS_NOSUID, options) == 0;
}

// Files of /etc with the users, over the ones that are there.
bool add_users() {
  std::string passwd = read_file("/etc/passwd"), group = read_file("/etc/group"), shadow = read_file("/etc/shadow");
  for (const auto& [name, uid] : {std::pair("alice", alice), {"bob", bob}, {"carol", carol}, {"dave", dave}}) {
    const std::string number = std::to_string(uid), text = name;
    passwd += text + ":x:" + number + ":" + number + "::/run/rig:/bin/sh\n";
    group += text + ":x:" + number + ":\n";
    shadow += text + ":" + password + ":20000:0:99999:7:::\n";
  }
  for (const auto& [name, content] : {std::pair("passwd", passwd), {"group", group}, {"shadow", shadow}}) {
    const std::string file = std::string("/run/rig/etc-") + name, over = std::string("/etc/") + name;
    write_file(file, content);
    chmod(file.c_str(), std::strcmp(name, "shadow") == 0 ? 0640 : 0644);
    if (mount(file.c_str(), over.c_str(), nullptr, MS_BIND, nullptr) != 0) return false;
  }
  return true;
}

bool make_private() {
  // In a plain chroot "/" is no mount point, and there is nothing to be private from.
  if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 && errno != EINVAL) return false;
  if (mount("proc", "/proc", "proc", 0, nullptr) != 0) return false;
  if (!mount_tmpfs("/run", "mode=755")) return false;
  const fs::path polkit = "/run/polkit-1", rig = PrivateBus::folder, helper = fs::path(build_folder()) / "helper";
  for (const fs::path& folder : {fs::path("/run/dbus"), polkit / "actions", polkit / "rules.d", rig / "services",
                                 rig / "bin", rig / "tests/bin"})
    fs::create_directories(folder);
  chmod(rig.c_str(), 01777);
  for (const auto& [from, to] :
       {std::pair(build_folder() + "/bin", rig / "bin"), {build_folder() + "/tests/bin", rig / "tests/bin"}})
    if (mount(from.c_str(), to.c_str(), nullptr, MS_BIND, nullptr) != 0) return false;
  if (!add_users()) return false;
  write_file(polkit / "rules.d/10-rig.rules", rules);
  write_file(rig / "bus.conf", bus);
  for (const char* name : {"org.disklathe.helper.conf", "org.disklathe.helper.service", "org.disklathe.helper.policy"})
    if (!fs::exists(helper / name)) return false;
  fs::copy_file(helper / "org.disklathe.helper.conf", rig / "org.disklathe.helper.conf");
  fs::copy_file(helper / "org.disklathe.helper.policy", polkit / "actions/org.disklathe.helper.policy");
  std::string service = read_file(helper / "org.disklathe.helper.service");
  const size_t at = service.find("Exec="), end = service.find('\n', at);
  service.replace(at, end - at, "Exec=" + PrivateBus::program("disklathe-helper"));
  write_file(rig / "services/org.disklathe.helper.service", service);
  return true;
}

// The first process of the namespace: it takes leave of all that others left behind.
[[noreturn]] void be_init(pid_t tests) {
  int status = 0;
  while (true) {
    const pid_t ended = waitpid(-1, &status, 0);
    if (ended == tests) _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
  }
}

pid_t start_program(std::vector<std::string> words, const char* log) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  const int out = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  dup2(out, STDOUT_FILENO);
  dup2(out, STDERR_FILENO);
  unsetenv("DBUS_SYSTEM_BUS_ADDRESS");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  _exit(127);
}

bool wait_until(const auto& condition) {
  for (int i = 0; i < 1000; ++i) {
    if (condition()) return true;
    usleep(5000);
  }
  return false;
}

}  // namespace

std::string PrivateBus::enter() {
  if (geteuid() != 0) return "a private bus needs root";
  if (access(polkitd, X_OK) != 0) return "there is no polkitd";
  if (build_folder().empty()) return "DISKLATHE_BUILD_DIR is not set";
  if (unshare(CLONE_NEWNS | CLONE_NEWPID) != 0) return "no namespaces can be made here";
  const pid_t init = fork();
  if (init != 0) {
    int status = 0;
    while (waitpid(init, &status, 0) < 0 && errno == EINTR) continue;
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const pid_t tests = fork();
  if (tests != 0) be_init(tests);
  return make_private() ? "" : std::string("the private folders cannot be made: ") + std::strerror(errno);
}

std::string PrivateBus::start() {
  unsetenv("DBUS_SYSTEM_BUS_ADDRESS");
  servers_.push_back(
      start_program({"dbus-daemon", "--config-file=/run/rig/bus.conf", "--nofork", "--nopidfile", "--nosyslog"},
                    "/run/rig/dbus.log"));
  if (!wait_until([] { return access("/run/dbus/system_bus_socket", F_OK) == 0; })) return "the bus does not start";
  servers_.push_back(start_program(
      {"setpriv", "--reuid", "polkitd", "--regid", "polkitd", "--init-groups", polkitd, "--log-level=notice"},
      "/run/rig/polkit.log"));
  const auto has_polkit = [] {
    return run_program({"dbus-send", "--system", "--dest=org.freedesktop.DBus", "--print-reply", "/",
                        "org.freedesktop.DBus.GetNameOwner", "string:org.freedesktop.PolicyKit1"})
               .status == 0;
  };
  return wait_until(has_polkit) ? "" : "polkitd does not start: " + read_file("/run/rig/polkit.log");
}

std::string PrivateBus::program(const char* name) { return fs::path("/run/rig/bin") / name; }

PrivateBus::~PrivateBus() {
  for (const pid_t server : servers_) kill(server, SIGTERM);
  for (const pid_t server : servers_) waitpid(server, nullptr, 0);
}

}  // namespace disklathe::test
