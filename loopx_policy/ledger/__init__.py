"""Every write of project state: planned as edits, previewed as a diff, committed whole or not at all."""
