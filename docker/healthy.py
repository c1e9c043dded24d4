"""Health checks of the containers: `python docker/healthy.py web|worker|beat`; exit code 0 or 1.

Worker and beat answer a ping over the broker, so that one whose connection is dead counts as dead.
"""

import http.client
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from functools import partial


def web() -> bool:
    """The process answers HTTP."""
    port = int(os.environ.get("GRANIAN_PORT", "8000"))
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=4)
    connection.request("GET", "/healthz")
    return connection.getresponse().status == http.client.OK


def celery(name: str) -> bool:
    """This container's node answers a ping."""
    node = f"{name}@{socket.gethostname()}"
    command = ["celery", "-A", "memoryhub.celery", "inspect", "ping", "-d", node, "-t", "10"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0  # noqa: S603


CHECKS: dict[str, Callable[[], bool]] = {
    "web": web,
    "worker": partial(celery, "celery"),
    "beat": partial(celery, "celerybeat"),
}

if __name__ == "__main__":
    try:
        healthy = CHECKS[sys.argv[1]]()
    except OSError as error:
        sys.exit(str(error))
    sys.exit(not healthy)
