"""`{% load retention %}`: a rule's sentence in marked parts."""

from __future__ import annotations

from collections.abc import Sequence

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from policies.rendering import Part

register = template.Library()

_FORMS = {"": "{}", "strong": "<b>{}</b>", "code": "<code>{}</code>"}


@register.simple_tag
def sentence(parts: Sequence[Part]) -> SafeString:
    """Each part escaped, and marked as the renderer says."""
    marked = "".join(format_html(_FORMS[part.mark], part.text) for part in parts)
    return mark_safe(marked)  # noqa: S308 - each part was escaped on its own
