"""The vocabulary that the rules speak: families, facts, modes, strata, decision points, schemas. Data only."""
