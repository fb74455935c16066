"""The accounting database that a new cluster begins with: made once a release with the real tools, then copied.

Each call of sacctmgr takes half a second in 22.05, and MariaDB's own tables a second or more; a copy takes a tenth.
"""
import hashlib
import shutil
import subprocess

from . import settings
from .cluster import Cluster, check_place
from .namespaces import Failure
from .releases import cache, lock


def versions(root):
    shown = subprocess.run(["dpkg-query", f"--admindir={root}/var/lib/dpkg", "-W", "-f=${Package} ${Version}\n", "slurmctld", "mariadb-server-core"],
                           capture_output=True, text=True, check=False)
    if shown.returncode != 0:
        raise Failure(f"Slurm is not installed in {root}: {shown.stderr.strip()}; scripts/install-packages.sh slurm")
    return shown.stdout


def ensure_database(release, root, say=print):
    """A folder with a stopped MariaDB's files, made now if there is none for these versions and these accounts."""
    key = hashlib.sha256((versions(root) + settings.ACCOUNTING + settings.NAME).encode()).hexdigest()[:12]
    ready = cache() / f"accounts-{release}-{key}"
    with lock(f"accounts-{release}"):
        if not ready.exists():
            say(f"preparing the accounts of Slurm {release}")
            make_database(release, root, ready)
    return ready


def make_database(release, root, ready):
    folder = cache() / f".accounts-{release}"
    left = Cluster.load(folder)
    if left:  # a killed try
        left.take_down(gently=False)
    shutil.rmtree(folder, ignore_errors=True)
    check_place(folder)
    folder.mkdir()
    cluster = Cluster.make(folder, settings.Options(release, slurmd=False), root)
    try:
        cluster.prepare(None, None)
        fill(cluster)
        cluster.take_down(gently=False)
    except BaseException:
        cluster.take_down(gently=False)
        shutil.rmtree(folder)
        raise
    for old in cache().glob(f"accounts-{release}-*"):
        shutil.rmtree(old)
    (folder / "ready").rename(ready)
    shutil.rmtree(folder)


def fill(cluster):
    """Makes the database in memory, since it is written through to disk at every step, and leaves a copy in `ready`."""
    view, database = cluster.view("cluster"), cluster.folder / "db"
    owner = view.user("sqld")
    view.run("root", "mount", "-t", "tmpfs", "-o", f"mode=755,uid={owner.uid},gid={owner.gid}", "fairlead", str(database))
    view.run("sqld", "mariadb-install-db", "--no-defaults", f"--datadir={database}", "--skip-test-db", "--skip-name-resolve",
             "--auth-root-authentication-method=socket", "--loose-innodb-log-file-size=32M", seconds=120)
    cluster.start(["munged", "mariadbd"])
    cluster.start(["slurmdbd"])
    view.run("root", "sacctmgr", "-i", "add", "cluster", settings.NAME, seconds=60)
    cluster.start(["slurmctld"])
    told = view.run("root", "sacctmgr", "-i", text=settings.ACCOUNTING, seconds=120)
    shown = view.run("root", "sacctmgr", "-nP", "show", "assoc", "format=account,user,qos").split()
    if "research|alice|capped,high,low,normal" not in shown or "prod|carol|high,low,normal" not in shown:
        raise Failure(f"sacctmgr did not make the accounts of {cluster.options.release}:\n{told[-3000:]}")
    cluster.end_gently()
    view.run("root", "cp", "-a", "--sparse=always", str(database), f"{cluster.folder}/ready")
