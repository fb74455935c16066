"""A block of free TCP ports for a cluster, claimed against other clusters that start at the same moment."""
import errno
import socket

from .namespaces import Failure

STEP = 100  # blocks begin at multiples
FIRST, LAST = 16000, 31999  # below the ports that the kernel gives to clients


def is_free(port):
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def claim_name(name):
    """An open socket with this name, which one process at a time can have; None when it is taken. Nothing stays when it is closed."""
    claimed = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        claimed.bind(f"\0fairlead-slurm-{name}")
    except OSError as error:
        claimed.close()
        if error.errno == errno.EADDRINUSE:
            return None
        raise
    return claimed.detach()


def try_base(base, wanted):
    held = []
    for block in range(base // STEP, (base + wanted - 1) // STEP + 1):
        held.append(claim_name(f"ports-{block}"))
    if None not in held and all(is_free(port) for port in range(base, base + wanted)):
        return held
    for descriptor in held:
        if descriptor is not None:
            socket.close(descriptor)
    return None


def claim(wanted, preferred, only):
    """(first port, files to keep open as long as the ports are wanted). `only` the preferred base will do, when asked so."""
    bases = [preferred] if preferred else []
    if not only:
        bases += range(FIRST - FIRST % STEP, LAST - wanted, STEP)
    for base in bases:
        held = try_base(base, wanted)
        if held is not None:
            return base, held
    raise Failure(f"ports {preferred} to {preferred + wanted - 1} are not free" if only else f"no {wanted} free ports between {FIRST} and {LAST}")
