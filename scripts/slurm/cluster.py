"""One cluster in one folder: brought up, taken down, asked, disturbed. What runs is in the folder's state.json."""
import fcntl
import json
import os
import secrets
import shutil
import signal
import socket
import stat
import subprocess
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from . import daemons, settings, views
from .namespaces import Failure, Process, View, alive, end_of, inhabitants, keep, send, wait_until
from .ports import claim, claim_name

LONGEST = 70  # bytes of a folder's path: the sockets below it must fit into 107
SIGNALS = {"stop": signal.SIGTERM, "kill": signal.SIGKILL, "pause": signal.SIGSTOP, "resume": signal.SIGCONT}


def boot():
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()


def known(values):
    return Process(*values) if values else None


@contextmanager
def locked(folder):
    """One command at a time changes a cluster."""
    while True:
        try:
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        except FileNotFoundError as error:
            raise Failure(f"no cluster in {folder}") from error
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        try:
            if os.path.exists(folder) and os.path.samestat(os.fstat(descriptor), os.stat(folder)):
                yield
                return
        finally:
            os.close(descriptor)


def check_place(folder):
    """The test users must reach the folder, and its sockets' names must fit."""
    if len(os.fsencode(folder)) > LONGEST:
        raise Failure(f"{folder} is too long a path for unix sockets below it: at most {LONGEST} bytes")
    if any(c in str(folder) for c in " \t\n\"'$\\#,=[]"):
        raise Failure(f"{folder}: no white space, quotes or any of $ \\ # , = [ ] in the path; Slurm's configuration has no way to write them")
    for above in folder.parents:
        if above.exists() and not above.stat().st_mode & stat.S_IXOTH:
            raise Failure(f"the cluster's users cannot reach {folder}: {above} is closed to others; choose another folder")


class Cluster:
    def __init__(self, folder, state):
        self.folder, self.state = folder, state
        self.options = settings.Options.from_dict(state["options"])
        self.root = Path(state["root"])

    @classmethod
    def load(cls, folder):
        """The cluster in a folder, up or down; None when there never was one."""
        try:
            state = json.loads((folder / "state.json").read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        if state.get("boot") != boot():
            state.update(boot=boot(), keepers={}, namespaces={}, daemons={})
        return cls(folder, state)

    @classmethod
    def at(cls, folder):
        """The cluster that runs in a folder."""
        cluster = cls.load(folder)
        if cluster is None or not cluster.is_up():
            raise Failure(f"no cluster runs in {folder}")
        return cluster

    @classmethod
    def make(cls, folder, options, root):
        return cls(folder, {"options": options.as_dict(), "root": str(root), "boot": boot(), "base": None, "version": "",
                            "keepers": {}, "namespaces": {}, "daemons": {}})

    def save(self):
        beside = self.folder / "state.json.new"
        beside.write_text(json.dumps(self.state, indent=1) + "\n", encoding="utf-8")
        beside.rename(self.folder / "state.json")

    # ---- what runs ----

    def keeper(self, name):
        return known(self.state["keepers"].get(name))

    def running(self, name):
        process_known = known(self.state["daemons"].get(name))
        return process_known if alive(process_known) else None

    def is_up(self):
        return alive(self.keeper("cluster")) and alive(self.keeper("login"))

    def view(self, name):
        variables = {"SLURM_CONF": f"{self.folder}/etc/slurm.conf", "LC_ALL": "C.UTF-8", "PATH": views.SYSTEM_PATH}
        if self.options.timezone:
            variables["TZ"] = self.options.timezone
        place = self.folder / "view" / name
        return View(self.keeper(name), place / "passwd", place / "group", variables)

    @property
    def base(self):
        return self.state["base"]

    def table(self):
        return daemons.table(self.options, self.folder, self.base)

    # ---- files ----

    def lay_out(self):
        folder = self.folder
        for name in ("bin", "dev", "etc", "home", "log", "munge", "run/db", "run/rest", "sbin", "spool", "state", "tmp", "view"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        for path in (folder, *folder.iterdir()):
            if path.is_dir():
                path.chmod(0o1777 if path.name == "tmp" else 0o755)
        views.write_identities(self.options, folder, self.root, self.host)
        views.write_commands(folder, self.root)
        for link, target in self.links().items():
            link.unlink(missing_ok=True)
            link.symlink_to(target)
        for kind in settings.DEVICES:
            for index in range(8):
                node = folder / "dev" / f"{kind}{index}"
                if not node.exists():
                    os.mknod(node, 0o666 | stat.S_IFCHR, os.makedev(1, 3))  # /dev/null's numbers
                    node.chmod(0o666)

    def links(self):
        """Daemons by their plain names: each looks at its own to know what it is, and crashes as slurmctld-wlm."""
        found = {self.folder / "plugins": views.library_folder(self.root) / "slurm-wlm"}
        for name in ("slurmctld", "slurmd", "slurmstepd"):
            suffix = "-wlm" if views.resolved(self.root, f"/usr/sbin/{name}-wlm").exists() else ""
            found[self.folder / "sbin" / name] = f"/usr/sbin/{name}{suffix}"
        return found

    @property
    def host(self):
        return socket.gethostname().partition(".")[0]

    def configure(self):
        etc, options = self.folder / "etc", self.options
        texts = {"slurm.conf": settings.slurm_conf(options, self.folder, self.base, self.host), "gres.conf": settings.gres_conf(options, self.folder),
                 "cgroup.conf": settings.cgroup_conf(options), "slurmdbd.conf": settings.slurmdbd_conf(self.folder, self.base)}
        if not options.nodes:
            texts["topology.conf"] = settings.topology_conf()
        for name, text in texts.items():
            (etc / name).write_text(text, encoding="utf-8")
        for name, size in (("munge.key", 1024), ("jwt.key", 32)):
            if not (etc / name).exists():
                descriptor = os.open(etc / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o400)
                os.write(descriptor, secrets.token_bytes(size))
                os.close(descriptor)

    def write_sql(self, fresh):
        (self.folder / "etc/start.sql").write_text(settings.database_sql(fresh), encoding="ascii")

    def give_away(self):
        """Each part of the folder to the user whose daemon writes there."""
        folder, view = self.folder, self.view("cluster")
        owners = {"slurm": ("state", "log", "run", "spool", "etc/jwt.key", "etc/slurmdbd.conf"), "munge": ("munge", "etc/munge.key"),
                  "restd": ("run/rest", "home/restd"), "sqld": ("run/db", "db"), "alice": ("home/alice",), "bob": ("home/bob",), "carol": ("home/carol",)}
        for name, paths in owners.items():
            who = view.user(name)
            for path in paths:
                if path.startswith("home/"):
                    (folder / path).mkdir(exist_ok=True)
                os.chown(folder / path, who.uid, who.gid)
        (folder / "etc/slurmdbd.conf").chmod(0o600)
        for node in settings.node_names(self.options):
            (folder / "spool" / node).mkdir(exist_ok=True)

    # ---- up ----

    def open_views(self, held):
        def record(name):
            def write(keeper):
                self.state["keepers"][name] = [keeper.pid, keeper.started]
                self.state["namespaces"][name] = os.readlink(f"/proc/{keeper.pid}/ns/mnt")
                self.save()
            return write
        keep(lambda: views.cluster_setup(self.folder, self.root), True, held, record("cluster"))
        keep(lambda: views.login_setup(self.folder), False, (), record("login"))

    def prepare(self, database, base):
        """Everything but daemons: ports, files, views. `database` is a folder to begin with, or None to go on with what is there."""
        self.lay_out()
        self.state["base"], held = claim(settings.ports_wanted(self.options), base or self.base, bool(base))
        if self.options.oom == "cgroup":
            held.append(claim_name("cgroups"))
        try:
            if None in held:
                raise Failure("another cluster on this machine has --oom cgroup, and both would name their groups after the same nodes: take it down first")
            fresh = not (self.folder / "db").exists()
            self.configure()
            self.write_sql(fresh and database is not None)
            if fresh and database is not None:
                copy = self.folder / "db.new"
                subprocess.run(["rm", "-rf", copy], check=True)
                subprocess.run(["cp", "-a", "--sparse=always", database, copy], check=True)
                copy.rename(self.folder / "db")
            (self.folder / "db").mkdir(exist_ok=True)
            self.open_views(held)
        finally:
            for descriptor in held:
                if descriptor is not None:
                    os.close(descriptor)
        self.give_away()
        shown = self.view("cluster").run("root", f"{self.folder}/sbin/slurmctld", "-V")
        self.state["version"] = shown.split()[-1]
        self.save()

    def spawn(self, daemon):
        started = self.view("cluster").spawn(daemon.user, daemon.command, self.folder / "log" / f"{daemon.name}.out", daemon.more, daemon.inside)
        self.state["daemons"][daemon.name] = [started.pid, started.started]

    def is_ready(self, daemon):
        """slurmctld listens before it has read its state, which may yet be its end; so it is asked."""
        return daemon.ready() and (daemon.name != "slurmctld" or "UP" in self.view("cluster").run("root", "scontrol", "ping", check=False))

    def await_ready(self, daemon):
        if wait_until(lambda: not self.running(daemon.name) or self.is_ready(daemon), daemons.SLOW) and self.running(daemon.name):
            return
        what = "is not ready" if self.running(daemon.name) else "ended at its start"
        raise Failure(f"{daemon.name} {what}:\n{self.last_words(daemon.name)}")

    def last_words(self, name):
        lines = []
        for path in (self.folder / "log" / f"{name}.log", self.folder / "log" / f"{name}.out", self.folder / "munge" / f"{name}.log"):
            if path.exists():
                lines += path.read_text(encoding="utf-8", errors="replace").splitlines()[-12:]
        return "\n".join(lines) or f"it wrote nothing; see {self.folder}/log"

    def start(self, names):
        """Starts these daemons, all at once, and waits until each is ready."""
        rows = [daemon for daemon in (self.table()[name] for name in names) if not self.running(daemon.name)]
        for daemon in rows:
            self.spawn(daemon)
        self.save()
        for daemon in rows:
            self.await_ready(daemon)

    def start_all(self, new, say):
        """In their order. A new slurmctld after 22.05 is started twice: 26.05 killed before its first end would never start again,
        since only then, or after five minutes, it writes all the files that it must find."""
        names = list(self.table())
        first = [name for name in names if name.startswith(("munged", "mariadbd"))]
        last = [name for name in names if name.startswith(("slurmd.", "slurmrestd"))]
        for group in (first, ["slurmdbd"], ["slurmctld"], last):
            self.start(group)
            if group == ["slurmctld"] and new and self.options.release != "22.05":
                self.end("slurmctld")
                self.start(group)
            if group is first:
                self.write_sql(False)  # for when MariaDB starts again
            say(f"{', '.join(group) if len(group) < 3 else 'the rest'} up")

    def not_ready(self):
        """Nodes that slurmctld does not yet see as up."""
        shown = self.view("cluster").run("root", "sinfo", "-h", "-N", "-o", "%N %T", check=False)
        states = dict(line.split() for line in shown.splitlines() if len(line.split()) == 2)
        good = ("idle", "mixed", "allocated", "completing", "drained", "draining")
        return [f"{name} is {states.get(name, 'unknown')}" for name in settings.node_names(self.options) if states.get(name) not in good]

    def await_nodes(self):
        if not wait_until(lambda: not self.not_ready(), daemons.SLOW + self.options.nodes // 10, 0.05):
            raise Failure(f"not all nodes came up: {', '.join(self.not_ready()[:8])}; see {self.folder}/log")

    # ---- down ----

    def end(self, name, seconds=15):
        running = self.running(name)
        if running:
            send(running, signal.SIGCONT)
            send(running, signal.SIGTERM)
            if not end_of(running, seconds):
                send(running, signal.SIGKILL)
                end_of(running, seconds)
        self.state["daemons"].pop(name, None)

    def end_gently(self):
        """What has something to write is asked to end; the rest goes with its namespace."""
        for name in ("slurmctld", "slurmdbd", "mariadbd"):
            self.end(name)

    def inhabitants(self):
        """Every process of the daemons' view: daemons, steps, jobs."""
        namespace, passwd = self.state["namespaces"].get("cluster"), self.folder / "view/cluster/passwd"
        return inhabitants(namespace, passwd) if namespace and passwd.exists() else []

    def take_down(self, gently):
        if gently:
            self.end_gently()
        send(self.keeper("cluster"), signal.SIGKILL)  # ends all in its process namespace
        send(self.keeper("login"), signal.SIGKILL)

        def none_left():
            left = self.inhabitants()
            for one in left:
                send(one, signal.SIGKILL)
            return not left and not alive(self.keeper("login"))
        if not wait_until(none_left, 30):
            raise Failure(f"processes of {self.folder} do not end: {', '.join(str(one.pid) for one in self.inhabitants())}")
        self.state.update(keepers={}, namespaces={}, daemons={})
        remove_cgroups(self.options)

    # ---- faults ----

    def steps_on(self, node):
        """The slurmstepd of a node, told by the log file that they write, and what runs below them."""
        log, found, children = str(self.folder / "log" / f"slurmd.{node}.log"), [], {}
        for one in self.inhabitants():
            try:
                status = Path(f"/proc/{one.pid}/status").read_text(encoding="utf-8", errors="replace")
                parent = int(status.partition("PPid:")[2].split()[0])
                children.setdefault(parent, []).append(one)
                if status.split()[1].startswith("slurmstepd") and log in {os.readlink(f"/proc/{one.pid}/fd/{fd}") for fd in os.listdir(f"/proc/{one.pid}/fd")}:
                    found.append(one)
            except (OSError, IndexError, ValueError):
                continue
        for one in found:
            found += children.get(one.pid, [])
        return found

    def disturb(self, verb, name):
        """Stops, kills, pauses or resumes a daemon; `node.n3` with kill is a node's slurmd and all its jobs."""
        if verb == "kill" and name.startswith("node."):
            node = name.removeprefix("node.")
            self.end_all([self.running(row.name) for row in daemons.named(self.table(), f"slurmd.{node}")])
            while steps := self.steps_on(node):  # a step may have started another meanwhile
                self.end_all(steps)
        else:
            rows = daemons.named(self.table(), name)
            if verb == "stop":
                for row in rows:
                    self.end(row.name, daemons.SLOW)
                return
            victims = [self.running(row.name) for row in rows]
            if verb == "kill":
                self.end_all(victims)
                return
            for victim in filter(None, victims):
                send(victim, SIGNALS[verb])

    @staticmethod
    def end_all(victims):
        for victim in filter(None, victims):
            send(victim, SIGNALS["kill"])
            end_of(victim, 10)

    # ---- what it says of itself ----

    def describe(self):
        folder = self.folder
        return {
            "release": self.options.release, "version": self.state["version"], "folder": folder, "root": self.root, "slurm_conf": folder / "etc/slurm.conf",
            "bin": folder / "bin", "rest_url": f"http://127.0.0.1:{self.base + settings.SLURMRESTD}", "rest_socket": folder / "run/rest/socket",
            "rest_user": "restd", "cluster_name": settings.NAME, "nodes": ",".join(nodes.expression for nodes in settings.all_nodes(self.options, folder)),
            "slurmctld_port": self.base + settings.SLURMCTLD, "slurmdbd_port": self.base + settings.SLURMDBD, "munge_socket": folder / "munge/socket",
            "logs": folder / "log", "users": "alice,bob,carol", "login_pid": self.state["keepers"]["login"][0],
            "timezone": self.options.timezone or "the machine's",
        }

    def token(self, name, seconds):
        answer = self.view("cluster").run("root", "scontrol", "token", f"username={name}", f"lifespan={seconds}")
        return answer.strip().partition("=")[2]


def remove_cgroups(options):
    """The empty groups that slurmd leaves; v1 has a folder per controller, v2 one."""
    if options.oom != "cgroup":
        return
    for node in settings.node_names(options):
        for top in [*Path("/sys/fs/cgroup").glob(f"*/slurm_{node}"), *Path("/sys/fs/cgroup").glob(f"slurm_{node}")]:
            for folder, _, _ in os.walk(top, topdown=False):
                try:
                    os.rmdir(folder)
                except OSError:
                    pass


# ---- verbs ----

def up(folder, options, root, database, base=None, say=lambda text: None):
    """Brings a cluster up, or what of it is down; on a failure nothing stays that was not there."""
    check_place(folder)
    if folder.exists() and any(folder.iterdir()) and not (folder / "state.json").exists():
        raise Failure(f"{folder} is no cluster's and not empty")
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder):
        cluster, new = Cluster.load(folder), False
        if cluster is None:
            cluster, new = Cluster.make(folder, options, root), True
        elif asdict(cluster.options) != asdict(options) and cluster.is_up():
            raise Failure(f"a cluster with other options runs in {folder}: take it down first")
        elif cluster.options.release != options.release:
            raise Failure(f"{folder} holds a cluster of release {cluster.options.release}: wipe it first")
        try:
            if not cluster.is_up():
                cluster.take_down(gently=True)  # what a crash left
                cluster.options, cluster.root = options, root
                cluster.state.update(options=options.as_dict(), root=str(root))
                cluster.prepare(database, base)
            cluster.start_all(not (folder / "state/clustername").exists(), say)
            if options.slurmd:
                cluster.await_nodes()
            cluster.save()
        except BaseException:
            cluster.take_down(gently=False)
            if new:
                shutil.rmtree(folder)
            else:
                cluster.save()
            raise
    return cluster


def down(folder, wipe=False):
    """Ends a cluster; whether there was something to end. Wiping forgets it: its folder goes."""
    if not folder.exists():
        return False
    with locked(folder):
        cluster = Cluster.load(folder)
        if cluster is None:
            if any(folder.iterdir()):
                raise Failure(f"{folder} is no cluster's")
            folder.rmdir()
            return False
        ran = bool(cluster.state["keepers"])
        cluster.take_down(gently=not wipe)
        if wipe:
            shutil.rmtree(folder)
        else:
            cluster.save()
        return ran


def change(folder, verb, name):
    """Starts, stops, kills, pauses or resumes daemons of a running cluster."""
    with locked(folder):
        cluster = Cluster.at(folder)
        if verb == "start":
            cluster.start([row.name for row in daemons.named(cluster.table(), name)])
        else:
            cluster.disturb(verb, name)
        cluster.save()


def enter(folder, name, command):
    """This process becomes the command, run by that user on the login node."""
    cluster = Cluster.at(folder)
    view, here = cluster.view("login"), os.getcwd()
    who = view.user(name)
    own = view.variables(who)
    variables = {key: value for key, value in os.environ.items() if not key.startswith("SUDO_")} | own
    variables["PATH"] = f"{cluster.folder}/bin:{os.environ.get('PATH', views.SYSTEM_PATH)}"
    view.enter(who, here)
    try:
        os.execvpe(command[0], command, variables)
    except OSError as error:
        raise Failure(f"cannot run {command[0]}: {error.strerror}") from error
