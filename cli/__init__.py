"""The ``loopx`` program: parses, calls the library, prints. There is no policy here."""
