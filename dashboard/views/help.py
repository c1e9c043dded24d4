"""What the words mean, who wins over whom, and where to read on."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from dashboard.glossary import authority_in, words_in
from dashboard.pages import personal
from dashboard.shell import language_of


@personal()
def show_help(request: HttpRequest) -> HttpResponse:
    """The glossary and the order of authority, in the reader's language."""
    language = language_of(request)
    return render(
        request, "hub/help.html", {"words": words_in(language), "authority": authority_in(language)}
    )
