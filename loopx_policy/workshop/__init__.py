"""The maintainer's tools: what the fixtures show of the rules, and what they would not notice."""
