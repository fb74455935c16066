"""Which Debian has which Slurm, and the roots of those Debians that this machine is not: made once, complete or not at all."""
import fcntl
import os
import re
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

from . import namespaces
from .namespaces import Failure, bind, mount

SUITES = {"22.05": "bookworm", "24.11": "trixie", "26.05": "sid"}  # sid moves: what it had is in the root's own record
REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGES = REPOSITORY / "packaging/debian-packages.txt"
GROUPS = ("slurm", "run")  # the daemons, and what workloads use
ENTRIES = {"acquire::http::proxy": "http_proxy", "acquire::https::proxy": "https_proxy"}
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
SMALL = "\n".join(["path-exclude=/usr/share/doc/*", "path-exclude=/usr/share/man/*", "path-exclude=/usr/share/locale/*", "force-unsafe-io", ""])


def cache():
    return Path(os.environ.get("FAIRLEAD_SLURM_CACHE") or "/var/cache/fairlead/slurm").absolute()


def host_suite():
    try:
        text = Path("/etc/os-release").read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    match = re.search(r'^VERSION_CODENAME="?([\w-]+)', text, re.M)
    return match.group(1) if match else None


def on_host(release):
    return SUITES[release] == host_suite()


def packages():
    wanted, group = [], None
    for line in PACKAGES.read_text(encoding="utf-8").splitlines():
        match = re.match(r"## ([\w-]+):", line)
        group = match.group(1) if match else group
        if group in GROUPS and line.strip() and not line.startswith("#"):
            wanted.append(line.split()[0])
    return wanted


# ---- this machine's apt: mirror, proxy, certificates ----

def stanzas():
    """(URIs, suites, components) of every active source."""
    folder = Path("/etc/apt/sources.list.d")
    for path in [Path("/etc/apt/sources.list"), *sorted(folder.glob("*.list"))]:
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
            match = re.match(r"deb\s+(?:\[[^]]*\]\s+)?(\S+)\s+(\S+)\s+(.+)", line)
            if match:
                yield [match.group(1)], [match.group(2)], match.group(3).split()
    for path in sorted(folder.glob("*.sources")):
        for stanza in re.split(r"\n\s*\n", path.read_text(encoding="utf-8")):
            lines = re.sub(r"\n[ \t]+", " ", re.sub(r"^#.*\n?", "", stanza, flags=re.M)).splitlines()
            fields = {key.strip().lower(): value.split() for key, _, value in (line.partition(":") for line in lines)}
            if "deb" in fields.get("types", []) and fields.get("enabled", ["yes"])[0] != "no":
                yield fields.get("uris", []), fields.get("suites", []), fields.get("components", [])


def mirror():
    """Where this machine's apt gets its own Debian from."""
    named = os.environ.get("FAIRLEAD_DEBIAN_MIRROR")
    if named:
        return named
    for uris, suites, components in stanzas():
        if host_suite() in suites and "main" in components:
            for uri in uris:
                if re.match(r"(https?|file|ftp)://", uri):
                    return uri
    raise Failure("no Debian mirror among apt's sources; name one in FAIRLEAD_DEBIAN_MIRROR")


def apt_settings():
    """How this machine's apt reaches its mirrors, as lines of apt.conf."""
    try:
        dump = subprocess.run(["apt-config", "dump"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise Failure(f"apt-config does not answer; this needs a Debian machine: {error}") from error
    wanted = r"Acquire::(https?|ftp|Check-Valid-Until|Check-Date|Retries|ForceIPv4)\b.* \"[^\"]"
    return [line for line in dump.splitlines() if re.match(wanted, line, re.I) and "Proxy-Auto-Detect" not in line]


def download_environment():
    """What debootstrap's own downloads need of the same settings."""
    environment = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
    for name in ("http_proxy", "https_proxy", "no_proxy"):
        if os.environ.get(name):
            environment[name] = os.environ[name]
    for line in apt_settings():
        match = re.match(r'(\S+) "(.*)";$', line)
        if match and match.group(1).lower() in ENTRIES:
            environment[ENTRIES[match.group(1).lower()]] = match.group(2)
    return environment


# ---- roots ----

@contextmanager
def lock(name):
    """One at a time on this machine."""
    cache().mkdir(parents=True, exist_ok=True)
    with open(cache() / f".{name}.lock", "w", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def logged(command, log, environment):
    """Runs a long command; what it says is in the log."""
    with open(log, "ab") as out:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=environment, check=False)
    if done.returncode != 0:
        raise Failure(f"{' '.join(command[:4])} ended with {done.returncode}")


def remove_remains(release):
    """What a killed build left. Its namespace ended with it, so nothing is mounted there."""
    for old in cache().glob(f".building-{release}-*"):
        shutil.rmtree(old, ignore_errors=True)


def ensure_root(release, fresh=False, say=print):
    """The folder with the release's Debian: `/` where this machine is that Debian, else a root, made now if there is none."""
    if on_host(release):
        return Path("/")
    root = cache() / release
    with lock(release):
        if fresh or not (root / "fairlead-release").exists():
            remove_remains(release)
            build_root(release, root, say)
    return root


def build_root(release, root, say):
    if not shutil.which("debootstrap"):
        raise Failure("debootstrap is missing: scripts/install-packages.sh slurm-roots")
    suite, log = SUITES[release], cache() / f"{release}.log"
    building = Path(tempfile.mkdtemp(prefix=f".building-{release}-", dir=cache()))
    building.chmod(0o755)
    log.write_text("", encoding="utf-8")
    say(f"making {root} from Debian {suite}")
    pid = namespaces.fork(lambda: build_apart(suite, building, log))
    _, status = os.waitpid(pid, 0)
    if status != 0:
        shutil.rmtree(building, ignore_errors=True)
        tail = "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-15:])
        raise Failure(f"no root for Slurm {release}; the end of {log}:\n{tail}")
    made = building / "disk" if (building / "disk").exists() else building
    version = (made / "fairlead-release").read_text(encoding="utf-8").split()[0]
    if root.exists():
        old = Path(tempfile.mkdtemp(prefix=f".building-{release}-", dir=cache()))
        root.rename(old / "old")
        made.rename(root)
        shutil.rmtree(old, ignore_errors=True)
    else:
        made.rename(root)
    shutil.rmtree(building, ignore_errors=True)
    say(f"made {root} with Slurm {version}")


def build_apart(suite, root, log):
    """Builds in namespaces of its own, so that mounts and stray daemons end with it. Runs in a forked child."""
    namespaces.system_call("unshare", namespaces.CLONE_NEWNS | namespaces.CLONE_NEWPID)
    namespaces.private_mounts()

    def work():
        try:
            build_inside(suite, root, log)
        except (Failure, OSError) as error:
            with open(log, "a", encoding="utf-8") as out:
                out.write(f"\n{error}\n")
            os._exit(1)
        os._exit(0)

    _, status = os.waitpid(namespaces.fork(work), 0)
    os._exit(0 if status == 0 else 1)


def build_inside(suite, building, log):
    environment, root = download_environment(), building
    mount("proc", "/proc", "proc")
    if memory_to_spare():  # dpkg waits for the disk at every file; one copy at the end does not
        root = building / "memory"
        root.mkdir()
        mount("tmpfs", root, "tmpfs")
        root.chmod(0o755)
    logged(["debootstrap", "--variant=minbase", suite, str(root), mirror()], log, environment)
    prepare_apt(root)
    for folder in ("proc", "sys", "dev"):
        bind(f"/{folder}", root / folder, recursive=True)
    inside = ["chroot", str(root)]
    logged([*inside, "apt-get", "update"], log, environment)
    logged([*inside, "apt-get", "install", "-y", "--no-install-recommends", *packages()], log, environment)
    logged([*inside, "apt-get", "clean"], log, environment)
    finish(root, inside)
    if root != building:
        logged(["cp", "-a", "--one-file-system", f"{root}/.", str(building / "disk")], log, environment)


def memory_to_spare():
    match = re.search(r"^MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text(encoding="ascii"), re.M)
    return match is not None and int(match.group(1)) > 4 << 20


def prepare_apt(root):
    """No daemon is started, no documentation unpacked; apt reaches the mirror as it does outside."""
    (root / "usr/sbin/policy-rc.d").write_text("#!/bin/sh\nexit 101\n", encoding="ascii")
    (root / "usr/sbin/policy-rc.d").chmod(0o755)
    (root / "etc/dpkg/dpkg.cfg.d/fairlead").write_text(SMALL, encoding="ascii")
    settings, own = apt_settings(), root / "etc/apt/fairlead-host"
    own.mkdir()
    named = [re.search(r'"(.*)"', line).group(1) for line in settings if "::cainfo " in line.lower()]
    certificates = [path for path in [CERTIFICATES, *named] if os.path.isfile(path)]
    if certificates:
        (own / "ca.crt").write_bytes(b"".join(Path(path).read_bytes() for path in certificates))
        settings = [line for line in settings if "::cainfo " not in line.lower()] + ['Acquire::https::CaInfo "/etc/apt/fairlead-host/ca.crt";']
    (own / "auth.conf").write_bytes(b"\n".join(path.read_bytes() for path in sorted(Path("/etc/apt").glob("auth.conf.d/*.conf"))))
    (own / "auth.conf").chmod(0o600)
    settings.append('Dir::Etc::netrc "/etc/apt/fairlead-host/auth.conf";')
    (root / "etc/apt/apt.conf.d/99fairlead").write_text("\n".join(settings) + "\n", encoding="utf-8")


def finish(root, inside):
    """Nothing of this machine's apt stays; mount points for the clusters do; the record comes last."""
    (root / "etc/apt/apt.conf.d/99fairlead").unlink()
    shutil.rmtree(root / "etc/apt/fairlead-host")
    for name in (root / "var/lib/apt/lists").iterdir():
        shutil.rmtree(name) if name.is_dir() else name.unlink()
    if not (root / "etc/hosts").exists():
        (root / "etc/hosts").write_text("127.0.0.1 localhost\n", encoding="ascii")
    shown = subprocess.run([*inside, "dpkg-query", "-W", "-f=${Version}", "slurmctld"], capture_output=True, text=True, check=True).stdout
    (root / "fairlead-release").write_text(f"{shown}\n", encoding="ascii")
