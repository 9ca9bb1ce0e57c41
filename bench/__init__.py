"""The benchmark: ``python -m bench`` measures the program and prints a table (see bench/README.md)."""
