"""Random whole projects, in the real on-disk format, for every test that states a law.

``projects.sample_projects`` draws many quickly and reproducibly; ``projects.projects`` is the
Hypothesis strategy over the same space, which shrinks.
"""
