"""Django's test clients with one chain of middleware: each would make its own with its first
request, and WhiteNoise then looks at every static file there is, which takes longer than most
requests. A server makes the chain once, too.
"""

from __future__ import annotations

from django.test.client import ClientHandler

_load = ClientHandler.load_middleware
_chain: dict[str, object] = {}


def load_middleware(handler: ClientHandler, is_async: bool = False) -> None:
    """Gives the handler the chain that the first one made."""
    if not _chain:
        _load(handler, is_async)
        _chain.update((name, it) for name, it in vars(handler).items() if "_middleware" in name)
    vars(handler).update(_chain)


def share_middleware() -> None:
    """From here on in this process. No setting that a test changes is read by a chain's making."""
    ClientHandler.load_middleware = load_middleware  # type: ignore[method-assign]
