"""Which checks a change needs, why, and what their failure would mean; data in ``catalog/canary/``."""
