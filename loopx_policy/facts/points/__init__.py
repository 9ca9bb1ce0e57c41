"""One projection for each decision point beside the turn: input document to flat facts."""
