"""LoopX Policy: may an agent work now, on what, whom does it tell, and may it spend?

``loopx_policy.decide.decide`` is the door; ``loopx_policy.project`` reads the state it decides on. Importing
this package imports nothing else: start-up time is a cost.
"""

__version__ = "0.1.0"
