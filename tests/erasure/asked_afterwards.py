"""Run by a test in a process of its own: asks the hub over its whole stack, prints what it said."""

from __future__ import annotations

import json
import os
import sys

import django
from django.test import Client


def main() -> None:
    """Arguments: a key, then paths; prints status and code of each answer."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryhub.settings")
    django.setup()
    client, said = Client(SERVER_NAME="localhost"), {}
    for path in sys.argv[2:]:
        answer = client.get(path, HTTP_AUTHORIZATION=f"Bearer {sys.argv[1]}")
        body = answer.json()
        said[path] = {"status": answer.status_code, "code": body.get("code"),
                      "missing": body.get("missing"), "value": body.get("value")}  # fmt: skip
    print(json.dumps(said))  # noqa: T201 - that is what it is for


if __name__ == "__main__":
    main()
