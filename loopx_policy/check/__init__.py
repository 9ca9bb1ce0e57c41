"""``loopx check``: what is wrong with a project and with public texts, as findings with file and line."""
