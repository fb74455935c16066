"""Views of this machine: processes that see their own /etc/passwd, and for a release in a root of its own its own /usr.

A view is a mount namespace, and for a cluster's daemons a process namespace too, kept by one sleeping process, the keeper.
Killing a keeper of a process namespace kills everything in it, so a cluster never leaves a daemon, a job or a mount behind.
Nothing here is undone by hand: mounts end with the last process that sees them. Only root may; one thread only.
"""
import ctypes
import os
import signal
import socket
import struct
import subprocess
import sys
import time
from dataclasses import dataclass

CLONE_NEWNS, CLONE_NEWPID = 0x00020000, 0x20000000
MS_RDONLY, MS_REMOUNT, MS_BIND, MS_REC, MS_UNBINDABLE, MS_PRIVATE = 1, 32, 4096, 16384, 1 << 17, 1 << 18
libc = ctypes.CDLL(None, use_errno=True)


class Failure(Exception):
    """What a person reads: what failed, on what, and what to do."""


def system_call(name, *arguments):
    if getattr(libc, name)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def mount(source, target, kind=None, flags=0):
    def text(value):
        return None if value is None else os.fsencode(value)
    try:
        system_call("mount", text(source), text(target), text(kind), ctypes.c_ulong(flags), None)
    except OSError as error:
        raise OSError(error.errno, f"cannot mount {source or kind} on {target}: {os.strerror(error.errno)}") from error


def bind(source, target, recursive=False):
    mount(source, target, flags=MS_BIND | (MS_REC if recursive else 0))


def enter_mounts(namespace, root):
    """Enters the mount namespace of an open file and takes the folder of another as the root."""
    system_call("setns", namespace, CLONE_NEWNS)
    os.fchdir(root)
    os.chroot(".")


def private_mounts():
    """Keeps this process's new mount namespace to itself. In a chroot `/` may be no mount; the namespace's own root is one."""
    root = os.open("/", os.O_RDONLY | os.O_DIRECTORY)
    namespace = os.open("/proc/self/ns/mnt", os.O_RDONLY)
    system_call("setns", namespace, CLONE_NEWNS)
    mount(None, "/", flags=MS_REC | MS_PRIVATE)
    enter_mounts(namespace, root)
    os.close(namespace)
    os.close(root)


# ---- processes, told apart from a later one with the same number by their start ----

@dataclass(frozen=True)
class Process:
    pid: int
    started: int  # ticks after boot


def process(pid):
    """The process with this number, or None. A zombie is none, once its last thread has ended too."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
            fields = stat.read().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if fields[0] in "ZX" and int(fields[17]) <= 1 else Process(pid, int(fields[19]))


def alive(known):
    return known is not None and process(known.pid) == known


def send(known, number):
    """Sends a signal to that very process; nothing happens when it has ended."""
    if not alive(known):
        return
    try:
        handle = os.pidfd_open(known.pid)
    except ProcessLookupError:
        return
    try:
        if alive(known):  # the handle cannot mean another one from here on
            signal.pidfd_send_signal(handle, number)
    except ProcessLookupError:
        pass
    finally:
        os.close(handle)


def wait_until(condition, seconds, step=0.01):
    """Whether the condition came true in time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(step)
        step = min(step * 1.3, 0.1)
    return True


def end_of(known, seconds):
    return wait_until(lambda: not alive(known), seconds)


# ---- identities ----

@dataclass(frozen=True)
class User:
    name: str
    uid: int
    gid: int
    home: str
    groups: tuple


def entries(path):
    with open(path, encoding="utf-8", errors="surrogateescape") as lines:
        return [line.rstrip("\n").split(":") for line in lines if line.count(":") >= 3]


def user(name, passwd, group):
    """A user as these two files have it."""
    for entry in entries(passwd):
        if entry[0] == name and len(entry) >= 6:
            gid = int(entry[3])
            more = {int(g[2]) for g in entries(group) if name in g[3].split(",")}
            return User(name, int(entry[2]), gid, entry[5], tuple(sorted(more | {gid})))
    raise Failure(f"no user {name}: the cluster has alice, bob, carol and the users of this machine")


def become(who):
    os.setgroups(who.groups)
    os.setgid(who.gid)
    os.setuid(who.uid)


# ---- views ----

def report(pipe, action):
    """Runs the action in a forked child; an error goes to the parent as text and ends the child."""
    try:
        action()
    except BaseException as error:  # nothing may climb out of a forked child
        os.write(pipe, f"!{type(error).__name__}: {error}"[:4000].encode())
        os._exit(1)


def read_all(pipe):
    with os.fdopen(pipe, "rb") as stream:
        return stream.read().decode()


def fork(action):
    """Forks a child that runs the action and never comes back."""
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid:
        return pid
    try:
        action()
    finally:
        os._exit(1)


def close_all_but(kept):
    """Else a daemon holds what its caller waits for the end of."""
    first = 3
    for descriptor in [*sorted(kept), os.sysconf("SC_OPEN_MAX")]:
        os.closerange(first, descriptor)
        first = descriptor + 1


def keep(setup, processes, held=(), record=lambda keeper: None):
    """Makes a view: a child in new namespaces runs `setup`, then sleeps as its keeper, with the open files of `held`.

    `record` is called with the keeper before it goes its own way, so that no keeper lives that nobody knows of.
    """
    from_child, to_parent = os.pipe()
    from_parent, to_child = os.pipe()

    def keeper():
        report(to_parent, setup)
        os.write(to_parent, b"ready")
        os.close(to_parent)
        os.close(to_child)
        if os.read(from_parent, 1) != b"g":
            os._exit(1)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # outlives exec: whoever is orphaned here leaves no zombie
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        nowhere = os.open("/dev/null", os.O_RDWR)
        for standard in (0, 1, 2):
            os.dup2(nowhere, standard)
        close_all_but(held)
        for descriptor in held:
            os.set_inheritable(descriptor, True)
        os.execvp("sleep", ["sleep", "infinity"])

    def middle():
        os.setsid()
        report(to_parent, lambda: system_call("unshare", CLONE_NEWNS | (CLONE_NEWPID if processes else 0)))
        pid = fork(keeper)
        os.write(to_parent, f"{pid}\n".encode())
        os._exit(0)

    child = fork(middle)
    os.close(to_parent)
    os.close(from_parent)
    os.waitpid(child, 0)
    answer = read_all(from_child)
    if "!" in answer or "ready" not in answer:
        os.close(to_child)
        raise Failure(f"cannot make a namespace: {answer.partition('!')[2] or 'its first process ended'} (root with CAP_SYS_ADMIN is needed)")
    known = process(int("".join(c for c in answer if c.isdigit())))
    record(known)
    os.write(to_child, b"g")
    os.close(to_child)
    return known


class View:
    """What a keeper sees; runs programs there."""

    def __init__(self, keeper, passwd, group, environment):
        self.keeper, self.passwd, self.group, self.environment = keeper, passwd, group, environment

    def user(self, name):
        return user(name, self.passwd, self.group)

    def variables(self, who, more=None):
        return self.environment | {"HOME": who.home, "USER": who.name, "LOGNAME": who.name} | (more or {})

    def opened(self, *kinds):
        """Open files of the keeper's namespaces, then its root."""
        paths = [f"/proc/{self.keeper.pid}/ns/{kind}" for kind in kinds]
        files = [os.open(path, os.O_RDONLY) for path in paths]
        return [*files, os.open(f"/proc/{self.keeper.pid}/root", os.O_RDONLY | os.O_DIRECTORY)]

    def enter(self, who, folder):
        """This very process becomes the user in this view; only exec may follow."""
        mounts, root = self.opened("mnt")
        enter_mounts(mounts, root)
        os.close(mounts)
        os.close(root)
        become(who)
        for place in (folder, who.home, "/"):
            try:
                os.chdir(place)
                return
            except OSError:
                continue

    def run(self, name, *command, seconds=30, text=None, check=True):
        """Runs a short command and gives what it printed; its standard error is in the failure."""
        who = self.user(name)
        try:
            done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=seconds, check=False,
                                  env=self.variables(who), preexec_fn=lambda: self.enter(who, "/"))
        except subprocess.TimeoutExpired as error:
            raise Failure(f"no answer within {seconds} s: {' '.join(command)}") from error
        except (OSError, subprocess.SubprocessError) as error:
            raise Failure(f"cannot run {command[0]}: {error}") from error
        if check and done.returncode != 0:
            raise Failure(f"{' '.join(command)} ended with {done.returncode}: {(done.stderr or done.stdout).strip()[-2000:]}")
        return done.stdout

    def spawn(self, name, command, log, more=None, inside=True):
        """Starts a daemon in this view, an orphan; gives its process as seen from here. Inside: in the view's process namespace too."""
        who, environment = self.user(name), self.variables(self.user(name), more)
        receive, answer = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        receive.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)  # tells who sent, in the receiver's numbers

        def daemon():
            os.setsid()
            with open(log, "ab") as out, open("/dev/null", "rb") as nothing:
                for descriptor, file in ((0, nothing), (1, out), (2, out)):
                    os.dup2(file.fileno(), descriptor)
            answer.send(b"started")
            close_all_but([])
            become(who)
            try:
                os.execvpe(command[0], command, environment)
            except OSError as error:
                os.write(2, f"cannot run {command[0]}: {error}\n".encode())
                os._exit(127)

        def enter():
            processes, mounts, root = self.opened("pid", "mnt")
            if inside:
                system_call("setns", processes, CLONE_NEWPID)
            enter_mounts(mounts, root)

        def first_inside():  # its orphan becomes a child of the keeper
            fork(daemon)
            os._exit(0)

        def middle():
            report(answer.fileno(), enter)
            os.waitpid(fork(first_inside), 0)
            os._exit(0)

        child = fork(middle)
        answer.close()
        os.waitpid(child, 0)
        with receive:
            text, extra, _, _ = receive.recvmsg(5000, socket.CMSG_SPACE(12))
        if text != b"started":
            raise Failure(f"cannot start {command[0]}: {text[1:].decode() or 'its namespace has ended'}")
        pid = struct.unpack("3i", extra[0][2])[0]
        return process(pid) or Process(pid, -1)  # -1: it has ended already, which is what its caller will see


def inhabitants(namespace, passwd):
    """Every process of a mount namespace (as /proc names it) whose /etc/passwd is that file: numbers of namespaces are used again."""
    found, ours = [], os.stat(passwd)
    for name in os.listdir("/proc"):
        try:
            if name.isdigit() and os.readlink(f"/proc/{name}/ns/mnt") == namespace and os.path.samestat(os.stat(f"/proc/{name}/root/etc/passwd"), ours):
                found.append(process(int(name)))
        except OSError:
            continue
    return [one for one in found if one]
