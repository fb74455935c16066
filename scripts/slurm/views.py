"""The two views of a cluster: where its daemons and jobs run, and the login node, where its users and clients are.

Both see the same files at the same paths, as on a site with a shared file system. For a release that this machine's Debian
does not have, the daemons' view has that release's root underneath; the login node is always this machine.
"""
import os
from pathlib import Path

from . import settings
from .namespaces import MS_BIND, MS_RDONLY, MS_REMOUNT, MS_UNBINDABLE, bind, mount, private_mounts

SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
OWN = {"bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "libx32", "lost+found", "proc", "run", "sbin", "sys", "usr", "var"}
COMMANDS = ("sacct", "sacctmgr", "salloc", "sattach", "sbatch", "sbcast", "scancel", "scontrol", "scrontab", "sdiag", "sinfo", "sprio", "squeue",
            "sreport", "srun", "sshare", "sstat", "strigger")


def lines_of(path):
    return path.read_text(encoding="utf-8", errors="surrogateescape").splitlines()


def write_identities(options, folder, root, host):
    """Users, groups and host names for both views: this machine's, or the root's, with ours."""
    for name, base in (("cluster", root), ("login", Path("/"))):
        place = folder / "view" / name
        place.mkdir(parents=True, exist_ok=True)
        texts = {"passwd": settings.passwd(lines_of(base / "etc/passwd"), folder), "group": settings.group(lines_of(base / "etc/group")),
                 "hosts": settings.hosts(options, host)}
        for file, text in texts.items():
            (place / file).write_text(text, encoding="utf-8", errors="surrogateescape")
    if not Path("/etc/hosts").exists():  # a bare root; there must be something to lie over
        Path("/etc/hosts").write_text("127.0.0.1 localhost\n", encoding="ascii")


def lay_over(folder, view):
    for file in ("passwd", "group", "hosts"):
        bind(folder / "view" / view / file, f"/etc/{file}")


def login_setup(folder):
    private_mounts()
    lay_over(folder, "login")


def cluster_setup(folder, root):
    private_mounts()
    if root != Path("/"):
        take_root(folder, root)
    mount("proc", "/proc", "proc")
    lay_over(folder, "cluster")


def take_root(folder, root):
    """Makes the release's root this process's, with the machine's own folders at their places."""
    place = folder / "view/root"
    place.mkdir(exist_ok=True)
    bind(root, place)
    mount(None, place, flags=MS_UNBINDABLE)  # else sharing a folder that holds this one would go round
    shared = [Path("/", name) for name in sorted(os.listdir("/")) if name not in OWN and Path("/", name).is_dir() and not Path("/", name).is_symlink()]
    shared.append(Path("/var/tmp"))
    for needed in (folder, root):
        if not any(path in needed.parents or path == needed for path in shared):
            shared.append(needed)
    for path in shared:
        (place / str(path)[1:]).mkdir(parents=True, exist_ok=True)
    mount(None, place, flags=MS_REMOUNT | MS_BIND | MS_RDONLY)  # the root serves other clusters too
    for path in (Path("/dev"), Path("/sys"), *shared):
        bind(path, place / str(path)[1:], recursive=True)
    mount("tmpfs", place / "run", "tmpfs")
    os.chroot(place)
    os.chdir("/")


# ---- the release's commands, for the login node ----

def resolved(root, path):
    """The file that a path inside the root means, links followed inside it."""
    path = Path(path)
    for _ in range(10):
        outside = root / str(path)[1:]
        if not outside.is_symlink():
            return outside
        path = path.parent / os.readlink(outside)
    return outside


def library_folder(root):
    """Such as /usr/lib/x86_64-linux-gnu of the root."""
    return next(iter(sorted((root / "usr/lib").glob("*/slurm-wlm")))).parent


def loader(root):
    for pattern in ("lib64/ld-linux*.so*", "lib/ld-linux*.so*", "usr/lib64/ld-linux*.so*"):
        for path in sorted(root.glob(pattern)):
            return root / "usr" / path.relative_to(root) if (root / "usr" / path.relative_to(root)).exists() else path
    return None


def write_commands(folder, root):
    """bin/: the client commands, set to this cluster. Another release's run with its own loader and libraries, on any user's rights."""
    place = folder / "bin"
    place.mkdir(exist_ok=True)
    for name in COMMANDS:
        program = resolved(root, f"/usr/bin/{name}")
        if not program.exists():
            continue
        start = f'exec {program} "$@"'
        if root != Path("/"):
            libraries = library_folder(root)
            start = f'exec {loader(root)} --argv0 {name} --library-path {libraries}/slurm-wlm:{libraries} {program} "$@"'
        (place / name).write_text(f"#!/bin/sh\nexport SLURM_CONF={folder}/etc/slurm.conf\n{start}\n", encoding="utf-8")
        (place / name).chmod(0o755)
