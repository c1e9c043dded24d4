"""Messages: into the session, and what matters of them into short-term memory."""
