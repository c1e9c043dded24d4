"""LangGraph's `BaseStore` on a MemoryHub. Needs the extra `memoryhub-sdk[langgraph]`."""

from memoryhub_sdk.langgraph.store import AsyncMemoryHubStore, MemoryHubStore

__all__ = ["AsyncMemoryHubStore", "MemoryHubStore"]
