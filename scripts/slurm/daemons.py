"""The daemons of a cluster: who runs each, with which command, and when it is ready. All stay in the foreground."""
import socket
from dataclasses import dataclass, field
from typing import Callable

from . import settings
from .namespaces import Failure

SLOW = 60  # seconds that a daemon may take on a busy machine


@dataclass(frozen=True)
class Daemon:
    name: str
    user: str
    command: list
    ready: Callable[[], bool]
    more: dict = field(default_factory=dict)  # environment
    inside: bool = True  # the cluster's process namespace


def answers(family, address, greets=False):
    """Whether someone listens there, and for a server that speaks first, whether it does."""
    with socket.socket(family, socket.SOCK_STREAM) as connection:
        connection.settimeout(2)
        try:
            connection.connect(address)
            return not greets or bool(connection.recv(1))
        except OSError:
            return False


def on_port(port):
    return lambda: answers(socket.AF_INET, ("127.0.0.1", port))


def on_socket(path, greets=False):
    return lambda: answers(socket.AF_UNIX, str(path), greets)


def munged(folder):
    place = folder / "munge"
    # --force: the folders above may belong to whoever owns the checkout
    return Daemon("munged", "munge", ["/usr/sbin/munged", "--foreground", "--force", f"--key-file={folder}/etc/munge.key", f"--socket={place}/socket",
                  f"--pid-file={place}/munged.pid", f"--log-file={place}/munged.log", f"--seed-file={place}/seed"], on_socket(place / "socket"))


def mariadbd(folder):
    """It greets once it has run its first file."""
    return Daemon("mariadbd", "sqld", [
        "/usr/sbin/mariadbd", "--no-defaults", f"--datadir={folder}/db", f"--socket={folder}/run/db/socket", "--skip-networking",
        f"--pid-file={folder}/run/db/pid", f"--init-file={folder}/etc/start.sql", "--innodb-buffer-pool-size=256M", "--innodb-lock-wait-timeout=900",
        # a killed daemon loses nothing; a machine without power may lose a test's database
        "--innodb-flush-log-at-trx-commit=2", "--loose-innodb-flush-method=nosync", "--innodb-doublewrite=0", "--innodb-fast-shutdown=2", "--max-allowed-packet=16M", "--loose-innodb-log-file-size=32M",
        "--skip-name-resolve", "--skip-log-bin"], on_socket(folder / "run/db/socket", greets=True))


def slurmdbd(folder, base):
    # libmariadb takes the socket of `localhost` from this variable; slurmdbd.conf has no key for it
    return Daemon("slurmdbd", "slurm", ["/usr/sbin/slurmdbd", "-D"], on_port(base + settings.SLURMDBD), {"MYSQL_UNIX_PORT": f"{folder}/run/db/socket"})


def slurmctld(folder, base):
    return Daemon("slurmctld", "slurm", [f"{folder}/sbin/slurmctld", "-D"], on_port(base + settings.SLURMCTLD))


def slurmd(folder, base, node, index):
    command = [f"{folder}/sbin/slurmd", "-D", "-N", node, "-d", f"{folder}/sbin/slurmstepd"]
    return Daemon(f"slurmd.{node}", "root", command, on_port(base + settings.FIRST_SLURMD + index))


def slurmrestd(folder, base, old):
    """Two: one on TCP for bearers of a token, one on a unix socket for its own user and root. It refuses to be root or slurm.

    Outside the process namespace, since it turns away whoever is at a unix socket and has no process number in its own.
    """
    parts = "openapi/v0.0.38,openapi/dbv0.0.38,openapi/v0.0.37,openapi/dbv0.0.37" if old else "slurmctld,slurmdbd"
    port = base + settings.SLURMRESTD
    yield Daemon("slurmrestd.tcp", "restd", ["/usr/sbin/slurmrestd", "-a", "rest_auth/jwt", "-s", parts, f"127.0.0.1:{port}"], on_port(port),
                 {"SLURM_JWT": "daemon"}, inside=False)
    yield Daemon("slurmrestd.unix", "restd", ["/usr/sbin/slurmrestd", "-a", "rest_auth/local", "-s", parts, f"unix:{folder}/run/rest/socket"],
                 on_socket(folder / "run/rest/socket"), inside=False)


def table(options, folder, base):
    """All daemons of a cluster by name, in the order in which they start."""
    rows = [munged(folder), mariadbd(folder), slurmdbd(folder, base), slurmctld(folder, base)]
    if options.slurmd:
        rows += [slurmd(folder, base, node, index) for index, node in enumerate(settings.node_names(options))]
    rows += slurmrestd(folder, base, options.release == "22.05")
    return {row.name: row for row in rows}


def named(rows, name):
    """The daemons that a person means by a name: one of the table's, or `slurmrestd` and `slurmd` for all of that kind."""
    found = [row for row in rows.values() if row.name == name or row.name.startswith(f"{name}.")]
    if not found:
        known = sorted({row.name.split(".")[0] for row in rows.values()} | {row.name for row in rows.values() if len(rows) < 20})
        raise Failure(f"no daemon {name}: there are {', '.join(known)}")
    return found
