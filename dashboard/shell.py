"""What every page shows around its content: tenant, role, time, rule set, navigation, looks."""

from typing import Any

from django.http import HttpRequest


def shell(request: HttpRequest) -> dict[str, Any]:
    return {}
