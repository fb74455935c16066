PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE schema_version(version INTEGER NOT NULL, applied_ms INTEGER NOT NULL) STRICT;
INSERT INTO schema_version VALUES(1,1796070065508);
INSERT INTO schema_version VALUES(2,1796076000000);
CREATE TABLE specs(
  id INTEGER PRIMARY KEY, digest BLOB NOT NULL, json TEXT NOT NULL) STRICT;
INSERT INTO specs VALUES(1,X'6e487eb26c2b3da348b0d631f2f7ea69da2375aecd4413d9138cf6451f7d0fe6','{"class":"interactive","outputs":[{"kind":"model","model":"bert","name":"model","path":"out/model"}],"priority":7,"retry":{"limit":7,"on":[]},"roles":[{"command":["python3","train.py","--run=7","漢字 \"quoted\""],"count":4,"cpus":1.5,"devices":{"count":2,"memory":"1GiB","model":"h100","vendor":"nvidia"},"env":{"A":"1","B":"two words"},"memory":"8GiB","min":2,"name":"worker-7"}],"timeLimit":"1h"}');
CREATE TABLE workloads(
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, project TEXT NOT NULL, submitter TEXT NOT NULL, unix_user TEXT NOT NULL,
  spec INTEGER NOT NULL, labels TEXT NOT NULL, state TEXT NOT NULL, stop_purpose TEXT NOT NULL, failure TEXT NOT NULL,
  priority INTEGER NOT NULL, attempts INTEGER NOT NULL, revision INTEGER NOT NULL, current_attempt INTEGER NOT NULL,
  array_parent INTEGER NOT NULL, array_index INTEGER NOT NULL, elements_started INTEGER NOT NULL,
  submitted_ms INTEGER NOT NULL, queued_ms INTEGER NOT NULL, not_before_ms INTEGER NOT NULL, started_ms INTEGER NOT NULL,
  ended_ms INTEGER NOT NULL, avoid_nodes TEXT NOT NULL, failures TEXT NOT NULL, message TEXT NOT NULL, native TEXT NOT NULL DEFAULT '') STRICT;
INSERT INTO workloads VALUES(7,'name-7-é漢','project-0-é漢','submitter-7-é漢','user-7-é漢',1,'{"a-7-é漢":"value-7-é漢","b-7-é漢":"\"quoted\"\n\\"}','cancelled','preempt','cancelled',-10007,20007,1000007,2000007,3000007,30007,40007,1701000000007,1702000000007,1703000000007,1704000000007,1705000000007,'["node-7-é漢","other-7-é漢"]','none:1 exit:2 signal:3 out-of-memory:4 node-lost:5 engine-lost:6 preempted:7 time-limit:8 cancelled:9 start-failed:17','message-7-é漢','');
CREATE TABLE attempts(
  id INTEGER PRIMARY KEY, workload INTEGER NOT NULL, number INTEGER NOT NULL, cluster TEXT NOT NULL,
  native_id TEXT NOT NULL, state TEXT NOT NULL, failure TEXT NOT NULL, placement TEXT NOT NULL, ends TEXT NOT NULL,
  planned_ms INTEGER NOT NULL, started_ms INTEGER NOT NULL, stop_ms INTEGER NOT NULL, ended_ms INTEGER NOT NULL,
  stop_intents INTEGER NOT NULL, signal_intents INTEGER NOT NULL, native_state TEXT NOT NULL, native_reason TEXT NOT NULL,
  resumed_from TEXT NOT NULL, checkpoint TEXT NOT NULL, checkpoint_ms INTEGER NOT NULL, observed INTEGER NOT NULL) STRICT;
INSERT INTO attempts VALUES(7,7,7,'cluster-7-é漢','native-7-é漢','accepted','cancelled','[{"role":10007,"rank":20007,"node":"node-7-é漢","vendor":"nvidia","model":"model-7-é漢","cpus":50007,"memory":1099511627776,"devices":[[30007,250],[40007,1000]]},{"role":0,"rank":0,"node":""}]','[{"rank":60007,"exitCode":70007,"signal":9,"outOfMemory":true,"at":1706000000007},{"rank":1,"exitCode":2,"at":1707000000007}]',1701000000007,1702000000007,1703000000007,1704000000007,80007,90007,'state-7-é漢','reason-7-é漢','from-7-é漢','checkpoint-7-é漢',1705000000007,5000007);
CREATE TABLE intents(
  attempt INTEGER NOT NULL, kind TEXT NOT NULL, ordinal INTEGER NOT NULL, workload INTEGER NOT NULL, cluster TEXT NOT NULL,
  state TEXT NOT NULL, created_ms INTEGER NOT NULL, signal INTEGER NOT NULL, first_signal INTEGER NOT NULL,
  first_grace_ms INTEGER NOT NULL, grace_ms INTEGER NOT NULL, reason TEXT NOT NULL,
  PRIMARY KEY(attempt, kind, ordinal)) STRICT, WITHOUT ROWID;
INSERT INTO intents VALUES(7,'signal',7,4000007,'cluster-7-é漢','open',1701000000007,10007,20007,30007,40007,'reason-7-é漢');
CREATE TABLE events(
  sequence INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, kind TEXT NOT NULL, project TEXT NOT NULL,
  workload INTEGER NOT NULL, attempt INTEGER NOT NULL, detail TEXT NOT NULL) STRICT;
INSERT INTO events VALUES(7,1701000000007,'kind-7-é漢','project-1-é漢',1000007,2000007,'detail-7-é漢');
CREATE TABLE audits(
  sequence INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, principal TEXT NOT NULL, action TEXT NOT NULL,
  object TEXT NOT NULL, project TEXT NOT NULL, allowed INTEGER NOT NULL, rule TEXT NOT NULL, detail TEXT NOT NULL,
  hash BLOB NOT NULL) STRICT;
INSERT INTO audits VALUES(7,1701000000007,'principal-7-é漢','action-7-é漢','object-7-é漢','project-7-é漢',0,'rule-7-é漢','detail-7-é漢',X'7ef4e84544236752fbb56b8f31a23a10e42814f5f55ca037cdcc11c64c9a3b29');
CREATE TABLE postings(
  sequence INTEGER PRIMARY KEY, workload INTEGER NOT NULL, attempt INTEGER NOT NULL, project TEXT NOT NULL,
  user TEXT NOT NULL, class TEXT NOT NULL, cluster TEXT NOT NULL, node TEXT NOT NULL, vendor TEXT NOT NULL,
  device_model TEXT NOT NULL, milli_devices INTEGER NOT NULL, from_ms INTEGER NOT NULL, to_ms INTEGER NOT NULL,
  category TEXT NOT NULL) STRICT;
INSERT INTO postings VALUES(7,1000002,2000007,'project-1-é漢','user-7-é漢','inference','cluster-7-é漢','node-7-é漢','vendor-7-é漢','model-7-é漢',-10007,1700000007000,1700000008500,'lost');
CREATE TABLE model_versions(
  project TEXT NOT NULL, model TEXT NOT NULL, version INTEGER NOT NULL, uri TEXT NOT NULL, digest BLOB NOT NULL,
  size_bytes INTEGER NOT NULL, workload INTEGER NOT NULL, attempt INTEGER NOT NULL, created_by TEXT NOT NULL,
  created_ms INTEGER NOT NULL, metrics TEXT NOT NULL, PRIMARY KEY(project, model, version)) STRICT, WITHOUT ROWID;
INSERT INTO model_versions VALUES('project-1-é漢','model-1-é漢',7,'file:///model-7-é漢',X'7ef4e84544236752fbb56b8f31a23a10e42814f5f55ca037cdcc11c64c9a3b29',2199023255552,1000007,2000007,'creator-7-é漢',1701000000007,'{"loss":"1.00007","perplexity-7-é漢":"1e-3"}');
CREATE TABLE idempotency(
  id INTEGER PRIMARY KEY, key BLOB NOT NULL, body BLOB NOT NULL, first INTEGER NOT NULL, count INTEGER NOT NULL,
  at_ms INTEGER NOT NULL) STRICT;
INSERT INTO idempotency VALUES(1,X'7ef4e84544236752fbb56b8f31a23a10e42814f5f55ca037cdcc11c64c9a3b29',X'02a3fa7538c9693789217ffcc6c12a5ff9673caffb9a7b974d1cb479cf4c13d0',1000007,10007,1701000000007);
CREATE TABLE audit_checkpoints(
  id INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, at_ms INTEGER NOT NULL, hash BLOB NOT NULL, key_id TEXT NOT NULL,
  signature BLOB NOT NULL) STRICT;
INSERT INTO audit_checkpoints VALUES(1,7,1701000000007,X'7ef4e84544236752fbb56b8f31a23a10e42814f5f55ca037cdcc11c64c9a3b29','key-7-é漢',X'07070707070707070707070707070707070707070707070707070707070707070707070707070707070707070707070707070707070707070707070707070707');
CREATE TABLE audit_head(
  one INTEGER PRIMARY KEY CHECK(one = 1), sequence INTEGER NOT NULL, at_ms INTEGER NOT NULL, hash BLOB NOT NULL,
  key_id TEXT NOT NULL, signature BLOB NOT NULL) STRICT;
INSERT INTO audit_head VALUES(1,57,1701000000057,X'be570e5adb1e24cbd34d0b16f29fc1ac7507919914e39bd4ed8cbbc9c0e8ce83','key-57-é漢',X'39393939393939393939393939393939393939393939393939393939393939393939393939393939393939393939393939393939393939393939393939393939');
CREATE INDEX attempts_by_workload ON attempts(workload, number);
CREATE INDEX intents_open ON intents(attempt) WHERE state = 'open';
CREATE INDEX postings_by_end ON postings(to_ms);
CREATE INDEX postings_by_workload ON postings(workload);

PRAGMA application_id = 1179403313;
COMMIT;
