"""Conversations: sessions, short-term memory, extraction, promotion, context assembly."""
