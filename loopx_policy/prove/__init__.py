"""What the catalog guarantees in every state, proved over its translation into SMT; see docs/proof.md."""
