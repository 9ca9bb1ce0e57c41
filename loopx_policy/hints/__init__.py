"""What people said of earlier work, as compact hints: they may put equals in another order, and nothing else."""
