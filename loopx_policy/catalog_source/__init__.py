"""From YAML to the compiled catalog, and everything that can be wrong on the way.

The cold path: it imports yaml and jsonschema, and runs only when no compiled catalog matches the files,
or when a person asks (``catalog lint``, ``catalog show``).
"""
