"""The rule files: one YAML file a pattern, in five family folders, and the ground states. Data only."""
