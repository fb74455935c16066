"""What a cluster is made of, and the configuration files that say so. Text only: nothing here starts or mounts anything."""
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

NAME = "fairlead"  # ClusterName, and the prefix of its accounting tables
USERS = {"alice": 30001, "bob": 30002, "carol": 30003, "restd": 30098, "sqld": 30099}  # the last two run slurmrestd and MariaDB
GROUPS = {"research": (30101, ("alice", "bob")), "prod": (30102, ("carol",))}
DEVICES = ("gpu", "npu")  # eight of each, as files whose trailing digits are the index

# What sacctmgr is told, in this order. GRES can be limited only once slurmctld has named them.
ACCOUNTING = """\
modify qos normal set Priority=100
add qos low Priority=10
add qos high Priority=1000 Preempt=low,normal
add qos capped Priority=100 MaxTRESPerUser=gres/gpu=4 MaxJobsPerUser=2 Flags=DenyOnLimit
add account research Fairshare=60 Description=research Organization=fairlead
add account prod Fairshare=40 Description=production Organization=fairlead
add user alice Account=research Fairshare=50 QOS=low,normal,high,capped DefaultQOS=normal
add user bob Account=research Fairshare=50 QOS=low,normal,capped DefaultQOS=normal
add user carol Account=prod Fairshare=100 QOS=low,normal,high DefaultQOS=normal
modify user root set QOS=low,normal,high,capped DefaultQOS=normal
"""


@dataclass
class Options:
    release: str
    extra: str = ""  # lines for slurm.conf
    extra_gres: str = ""  # lines for gres.conf
    oom: str = "poll"  # poll: JobAcctGather kills what is over its memory; cgroup: the kernel does
    slurmd: bool = True
    nodes: int = 0  # so many alike (g1 to gN, eight H100 each) instead of n1 to n5
    timezone: str = ""  # TZ of the daemons and commands; this machine's when empty

    def as_dict(self):
        return asdict(self)

    @classmethod
    def from_dict(cls, values):
        known = {f.name for f in fields(cls)}
        return cls(**{key: value for key, value in values.items() if key in known})


@dataclass(frozen=True)
class Nodes:
    """Nodes that are alike but for their name and port."""
    names: tuple
    gres: str
    features: str
    weight: int
    devices: tuple = field(default=())  # right sides of gres.conf lines

    @property
    def expression(self):
        if len(self.names) == 1:
            return self.names[0]
        letter = self.names[0][0]
        return f"{letter}[{self.names[0][1:]}-{self.names[-1][1:]}]"


def h100(folder):
    return (f"Name=gpu Type=h100 File={folder}/dev/gpu[0-3] Cores=0-31", f"Name=gpu Type=h100 File={folder}/dev/gpu[4-7] Cores=32-63")


def all_nodes(options, folder):
    if options.nodes:
        return [Nodes(tuple(f"g{number}" for number in range(1, options.nodes + 1)), "gpu:h100:8", "h100,nvlink,ib", 10, h100(folder))]
    ascend = f"Type=ascend910b File={folder}/dev/npu[0-7]"
    return [
        Nodes(("n1", "n2"), "gpu:h100:8", "h100,nvlink,ib,rack1", 30, h100(folder)),
        Nodes(("n3",), "gpu:a100:8", "a100,nvlink,rack2", 20, (f"Name=gpu Type=a100 File={folder}/dev/gpu[0-7]",)),
        Nodes(("n4",), "gpu:ascend910b:8", "ascend,hccs,rack2", 20, (f"Name=gpu {ascend}",)),
        Nodes(("n5",), "npu:ascend910b:8", "ascend,hccs,rack2", 10, (f"Name=npu {ascend}",)),
    ]


def node_names(options):
    return [name for nodes in all_nodes(options, "") for name in nodes.names]


# ---- ports: one block, from its base ----

SLURMCTLD, SLURMDBD, SLURMRESTD, FIRST_SLURMD = 0, 1, 2, 10


def ports_wanted(options):
    return FIRST_SLURMD + len(node_names(options))


# ---- files ----

def node_lines(options, folder, base, host):
    port, lines = base + FIRST_SLURMD, []
    for nodes in all_nodes(options, folder):
        last = port + len(nodes.names) - 1
        ports = f"{port}" if last == port else f"[{port}-{last}]"
        lines.append(
            f"NodeName={nodes.expression} NodeHostname={host} NodeAddr=127.0.0.1 Port={ports} Sockets=2 CoresPerSocket=32 ThreadsPerCore=1"
            f" RealMemory=1000000 Gres={nodes.gres} Feature={nodes.features} Weight={nodes.weight} State=UNKNOWN")
        port = last + 1
    return lines


def partition_lines(options):
    if options.nodes:
        parts = [("gpu", "ALL", "7-0", "01:00:00", 10), ("short", "ALL", "00:10:00", "00:01:00", 20)]
    else:
        parts = [("gpu", "n[1-4]", "7-0", "01:00:00", 10), ("h100", "n[1-2]", "2-0", "01:00:00", 10),
                 ("npu", "n[4-5]", "2-0", "01:00:00", 10), ("short", "n[1-5]", "00:10:00", "00:01:00", 20)]
    return [f"PartitionName={name} Nodes={nodes} Default={'YES' if name == 'gpu' else 'NO'} MaxTime={limit} DefaultTime={usual} State=UP PriorityTier={tier}"
            for name, nodes, limit, usual, tier in parts]


def slurm_conf(options, folder, base, host):
    gathering = "JobAcctGatherType=jobacct_gather/linux\nJobAcctGatherFrequency=task=2\nProctrackType=proctrack/linuxproc"
    if options.nodes:  # every step scans all of /proc, too much for hundreds of them
        gathering = "JobAcctGatherType=jobacct_gather/none\nProctrackType=proctrack/pgid"
    # OverMemoryKill and the task plugin exclude each other.
    if options.oom == "cgroup":
        gathering += "\nTaskPlugin=task/cgroup"
    else:
        gathering += "\nTaskPlugin=task/none" + ("" if options.nodes else "\nJobAcctGatherParams=OverMemoryKill")
    text = f"""\
ClusterName={NAME}
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={base + SLURMCTLD}
SlurmUser=slurm
SlurmdUser=root
PluginDir={folder}/plugins

# Munge's socket is private, so every connection is told of it: AuthInfo for the daemons, AccountingStoragePass for slurmdbd's.
# A requeued job waits for its credential to expire: 10 s instead of 120.
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket,cred_expire=10
AuthAltTypes=auth/jwt
AuthAltParameters=jwt_key={folder}/etc/jwt.key
CredType=cred/munge
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny

StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/run/slurmctld.pid
SlurmdPidFile={folder}/run/slurmd.%n.pid
SlurmctldLogFile={folder}/log/slurmctld.log
SlurmdLogFile={folder}/log/slurmd.%n.log
SlurmctldDebug={'info' if options.nodes else 'verbose'}
SlurmdDebug={'info' if options.nodes else 'verbose'}
TmpFS={folder}/tmp

SwitchType=switch/none
MpiDefault=none
{gathering}
SlurmdParameters=config_overrides
ReturnToService=2
SlurmctldTimeout=30
SlurmdTimeout={3600 if options.nodes else 15}
InactiveLimit=0
KillWait=3
MinJobAge=600
MessageTimeout=20
UnkillableStepTimeout=120
MaxJobCount=200000
MaxArraySize=20001
JobRequeue=1

SchedulerType=sched/backfill
SchedulerParameters=bf_interval=5,sched_min_interval=0,bf_continue,bf_max_job_test=1000,bf_window=1440,requeue_delay=10
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
DefMemPerCPU=1000
TopologyPlugin=topology/{'tree' if not options.nodes else 'none' if options.release == '22.05' else 'default'}
GresTypes=gpu,npu

PriorityType=priority/multifactor
PriorityDecayHalfLife=7-0
PriorityCalcPeriod=1
PriorityWeightAge=1000
PriorityWeightFairshare=10000
PriorityWeightQOS=100000
PriorityWeightPartition=1000
PriorityWeightTRES=GRES/gpu=100
PreemptType=preempt/qos
PreemptMode=REQUEUE
PreemptExemptTime=0

AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort={base + SLURMDBD}
AccountingStoragePass={folder}/munge/socket
AccountingStorageEnforce=associations,limits,qos
AccountingStorageTRES=gres/gpu,gres/gpu:h100,gres/gpu:a100,gres/gpu:ascend910b,gres/npu,gres/npu:ascend910b
AccountingStoreFlags=job_comment,job_env,job_script
JobCompType=jobcomp/none

"""
    return text + "\n".join([*node_lines(options, folder, base, host), *partition_lines(options), options.extra]) + "\n"


def gres_conf(options, folder):
    lines = [f"NodeName={nodes.expression} {device}" for nodes in all_nodes(options, folder) for device in nodes.devices]
    return "\n".join(["AutoDetect=off", *lines, options.extra_gres]) + "\n"


def topology_conf():
    return "SwitchName=leaf1 Nodes=n[1-2]\nSwitchName=leaf2 Nodes=n[3-5]\nSwitchName=spine Switches=leaf[1-2]\n"


def cgroup_conf(options):
    if options.oom != "cgroup":
        return "CgroupPlugin=disabled\n" if options.release != "22.05" else "CgroupPlugin=autodetect\n"
    unified = Path("/sys/fs/cgroup/cgroup.controllers").exists()
    kind = "CgroupPlugin=cgroup/v2\nIgnoreSystemd=yes" if unified else "CgroupPlugin=cgroup/v1\nCgroupMountpoint=/sys/fs/cgroup"
    return f"{kind}\nConstrainCores=no\nConstrainRAMSpace=yes\nConstrainSwapSpace=no\n"


def slurmdbd_conf(folder, base):
    return f"""\
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
AuthAltTypes=auth/jwt
AuthAltParameters=jwt_key={folder}/etc/jwt.key
PluginDir={folder}/plugins
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort={base + SLURMDBD}
CommunicationParameters=NoInAddrAny
SlurmUser=slurm
PidFile={folder}/run/slurmdbd.pid
LogFile={folder}/log/slurmdbd.log
DebugLevel=verbose
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser=slurm
StorageLoc=slurm
CommitDelay=1
"""


# MariaDB runs this whenever it starts. Accounts come from a prepared database; they begin now, not when that was made.
def database_sql(fresh):
    sql = ["CREATE DATABASE IF NOT EXISTS slurm", "CREATE USER IF NOT EXISTS slurm@localhost IDENTIFIED VIA unix_socket",
           "GRANT ALL ON slurm.* TO slurm@localhost", "CREATE USER IF NOT EXISTS root@localhost IDENTIFIED VIA unix_socket",
           "GRANT ALL ON *.* TO root@localhost WITH GRANT OPTION"]
    if fresh:
        tables = ["acct_table", "cluster_table", "qos_table", "user_table", f"{NAME}_assoc_table"]
        sql += [f"UPDATE slurm.{table} SET creation_time=UNIX_TIMESTAMP(), mod_time=UNIX_TIMESTAMP()" for table in tables]
        sql += ["UPDATE slurm.txn_table SET timestamp=UNIX_TIMESTAMP()", f"DELETE FROM slurm.{NAME}_event_table",
                "UPDATE slurm.cluster_table SET control_host='', control_port=0, last_port=0"]
        sql += [f"UPDATE slurm.{NAME}_last_ran_table SET {kind}_rollup=UNIX_TIMESTAMP()" for kind in ("hourly", "daily", "monthly")]
    return "".join(line + ";\n" for line in sql)


# ---- users ----

def passwd(lines, folder):
    """The machine's lines with ours: slurm where it has none, and the test users."""
    names = {line.partition(":")[0] for line in lines}
    more = [] if "slurm" in names else ["slurm:x:64030:64030::/nonexistent:/usr/sbin/nologin"]
    ours = [f"{name}:x:{uid}:{uid}:{name}:{folder}/home/{name}:/bin/bash" for name, uid in USERS.items()]
    return "\n".join([*(line for line in lines if line.partition(":")[0] not in USERS), *more, *ours]) + "\n"


def group(lines):
    names = {line.partition(":")[0] for line in lines}
    more = [] if "slurm" in names else ["slurm:x:64030:"]
    ours = [f"{name}:x:{uid}:" for name, uid in USERS.items()] + [f"{name}:x:{gid}:{','.join(members)}" for name, (gid, members) in GROUPS.items()]
    kept = [line for line in lines if line.partition(":")[0] not in USERS and line.partition(":")[0] not in GROUPS]
    return "\n".join([*kept, *more, *ours]) + "\n"


def hosts(options, host):
    names = node_names(options)
    return "".join(f"127.0.0.1 {' '.join(names[at:at + 20])}\n" for at in range(0, len(names), 20)) + f"127.0.0.1 localhost {host}\n"
