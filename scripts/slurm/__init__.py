"""Real Slurm clusters on one machine, for tests. `scripts/slurm_cluster.py` is their command."""
