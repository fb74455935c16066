#!/usr/bin/env python3
"""slurm_cluster.py VERB CLUSTER ...: real Slurm clusters on this machine, for tests. See docs/slurm-test-clusters.md.

CLUSTER is a folder, or a release (22.05, 24.11, 26.05) for this checkout's cluster of that release.
"""
import argparse
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from slurm import accounts, cluster, releases, settings
from slurm.namespaces import Failure

CLUSTERS = releases.REPOSITORY / "build/clusters"


def folder_of(name):
    """The folder of a cluster. This checkout's are in build/clusters, or behind a link there when the test users cannot reach it."""
    if name not in releases.SUITES:
        return Path(name).absolute()
    usual = CLUSTERS / f"slurm-{name}"
    try:
        cluster.check_place(usual)
        return usual
    except Failure:
        place = Path("/var/tmp", f"fairlead-clusters-{hashlib.sha256(str(CLUSTERS).encode()).hexdigest()[:8]}", usual.name)
        CLUSTERS.mkdir(parents=True, exist_ok=True)
        place.parent.mkdir(exist_ok=True)
        if not usual.is_symlink():
            usual.symlink_to(place)
        return place


def print_values(made):
    for key, value in made.describe().items():
        print(f"{key}={value}")


def do_up(arguments):
    start = time.monotonic()

    def say(text):
        print(f"[{time.monotonic() - start:6.2f} s] {text}", file=sys.stderr, flush=True)
    release = arguments.release or (arguments.cluster if arguments.cluster in releases.SUITES else "22.05")
    options = settings.Options(release, arguments.extra, arguments.extra_gres, arguments.oom, not arguments.no_slurmd, arguments.nodes, arguments.timezone)
    root = releases.ensure_root(release, say=say)
    database = accounts.ensure_database(release, root, say)
    made = cluster.up(folder_of(arguments.cluster), options, root, database, arguments.port, say)
    if not made.state["version"].startswith(release):
        say(f"Debian {releases.SUITES[release]} has moved on: this is Slurm {made.state['version']}, not {release}")
    say(f"Slurm {made.state['version']} is up in {made.folder}")
    print_values(made)


def do_down(arguments):
    named = [folder_of(name) for name in arguments.cluster]
    for folder in named or sorted(CLUSTERS.glob("slurm-*")):
        if cluster.down(folder.resolve(), arguments.verb == "wipe"):
            print(f"ended {folder}")
        if arguments.verb == "wipe" and (CLUSTERS / folder.name).is_symlink():
            (CLUSTERS / folder.name).unlink()


def do_as(arguments):
    cluster.enter(folder_of(arguments.cluster), arguments.user, [arguments.command, *arguments.arguments])


def do_token(arguments):
    print(cluster.Cluster.at(folder_of(arguments.cluster)).token(arguments.user, arguments.seconds))


def do_env(arguments):
    print_values(cluster.Cluster.at(folder_of(arguments.cluster)))


def do_daemon(arguments):
    cluster.change(folder_of(arguments.cluster), arguments.verb, arguments.daemon)


def do_root(arguments):
    """Several at once: most of it is waiting for the mirror and the disk."""
    wanted = arguments.release or list(releases.SUITES)
    if len(wanted) > 1:
        more = ["--fresh"] if arguments.fresh else []
        tries = [subprocess.Popen([sys.executable, __file__, "root", release, *more]) for release in wanted]
        if any([one.wait() for one in tries]):
            raise Failure("not every release is ready")
        return
    root = releases.ensure_root(wanted[0], arguments.fresh)
    accounts.ensure_database(wanted[0], root)
    print(f"{wanted[0]} {root}")


def parser():
    top = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = top.add_subparsers(dest="verb", required=True, metavar="VERB")

    def verb(name, action, about, one=True):
        made = verbs.add_parser(name, help=about, description=about)
        made.set_defaults(action=action)
        if one:
            made.add_argument("cluster", metavar="CLUSTER")
        return made

    up = verb("up", do_up, "start a cluster, or what of it is down; prints its values as `env` does")
    up.add_argument("--release", choices=releases.SUITES, help="default: CLUSTER when it is one, else 22.05")
    up.add_argument("--port", type=int, help="first of its ports; free ones by default")
    up.add_argument("--extra", default="", metavar="LINES", help="lines for slurm.conf")
    up.add_argument("--extra-gres", default="", metavar="LINES", help="lines for gres.conf")
    up.add_argument("--oom", choices=("poll", "cgroup"), default="poll", help="who kills what is over its memory: Slurm's poll, or the kernel")
    up.add_argument("--no-slurmd", action="store_true", help="no slurmd: every node stays unknown")
    up.add_argument("--nodes", type=int, default=0, metavar="N", help="N nodes g1 to gN with eight H100 each, instead of n1 to n5")
    up.add_argument("--timezone", default="", metavar="TZ", help="time zone of daemons and commands")
    for name, about in (("down", "end clusters; none named: this checkout's"), ("wipe", "end clusters and delete their folders; none named: this checkout's")):
        verb(name, do_down, about, one=False).add_argument("cluster", metavar="CLUSTER", nargs="*")
    run = verb("as", do_as, "run a command as a user on the login node")
    run.add_argument("user", metavar="USER")
    run.add_argument("command", metavar="COMMAND")
    run.add_argument("arguments", metavar="ARGUMENT", nargs=argparse.REMAINDER)
    token = verb("token", do_token, "print a token for slurmrestd")
    token.add_argument("user", metavar="USER")
    token.add_argument("seconds", metavar="SECONDS", nargs="?", type=int, default=3600)
    verb("env", do_env, "print the cluster's values, key=value")
    for name, about in (("start", "start a daemon"), ("stop", "end a daemon and wait for its end"), ("kill", "kill -9 a daemon; node.n3: its slurmd and jobs"),
                        ("pause", "stop a daemon's clock (SIGSTOP)"), ("resume", "let it go on")):
        verb(name, do_daemon, about).add_argument("daemon", metavar="DAEMON", help="munged, mariadbd, slurmdbd, slurmctld, slurmrestd, slurmd or slurmd.NODE")
    root = verb("root", do_root, "make the roots and accounts of releases beforehand", one=False)
    root.add_argument("release", nargs="*", metavar="RELEASE", choices=[*releases.SUITES, []])
    root.add_argument("--fresh", action="store_true", help="anew even where there is one")
    return top


def become_root():
    """Namespaces need root: goes on through sudo."""
    if os.geteuid() == 0:
        return
    if not shutil.which("sudo"):
        raise Failure("only root can make clusters, and there is no sudo")
    kept = [f"{name}={os.environ[name]}" for name in ("FAIRLEAD_SLURM_CACHE", "FAIRLEAD_DEBIAN_MIRROR", "PATH") if name in os.environ]
    os.execvp("sudo", ["sudo", "env", *kept, sys.executable, os.path.abspath(__file__), *sys.argv[1:]])


def interrupted(number, _):
    raise SystemExit(128 + number)


def main():
    arguments = parser().parse_args()
    try:
        become_root()
        os.umask(0o022)
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, interrupted)
        arguments.action(arguments)
    except Failure as failure:
        print(f"slurm_cluster: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
