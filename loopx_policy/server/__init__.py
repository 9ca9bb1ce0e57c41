"""The loopback server: status, dry-runs and appends of rewards, and the dashboard.

It carries requests to the ledger and answers back. What may be written is decided by the point ``decision_write``.
"""
