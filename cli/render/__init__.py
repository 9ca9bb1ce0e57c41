"""Pure functions from data to what is shown; only the edge prints."""
