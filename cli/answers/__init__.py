"""What each command answers: calls the library and returns a ``Result``; nothing here prints."""
