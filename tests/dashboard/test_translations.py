"""Complete Chinese, and a compiled catalogue that says what its source says."""

from __future__ import annotations

import gettext
from io import BytesIO

from django.conf import settings
from django.core.management import call_command
from django.test import Client

from memoryhub.translating.catalogue import compile_mo, read_po
from memoryhub.translating.collecting import messages_of_template


def test_every_text_is_translated_and_the_compiled_catalogue_is_fresh() -> None:
    call_command("translate", "--check")


def test_placeholders_are_the_same_in_both_languages() -> None:
    path = settings.BASE_DIR / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.po"
    for entry in read_po(path).values():
        wanted = set(_placeholders(entry.message.text + entry.message.plural))
        for text in entry.translations:
            if entry.message.text:
                assert set(_placeholders(text)) <= wanted, entry.message.text


def _placeholders(text: str) -> list[str]:
    return [part.split(")")[0] for part in text.split("%(")[1:]]


def test_a_compiled_catalogue_is_read_by_the_standard_library() -> None:
    path = settings.BASE_DIR / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.po"
    catalogue = gettext.GNUTranslations(BytesIO(compile_mo(read_po(path))))
    assert catalogue.gettext("Overview") == "概览"
    assert catalogue.ngettext("%(n)d day", "%(n)d days", 3) == "%(n)d 天"


def test_texts_of_templates_are_collected() -> None:
    texts = [
        message.text
        for message in messages_of_template(
            "{% load i18n %}{% translate 'One (1)' %}"
            "{% blocktranslate %}Two {{ n }}{% endblocktranslate %}"
        )
    ]
    assert texts == ["One (1)", "Two %(n)s"]


def test_the_page_speaks_the_chosen_language(hub: str) -> None:
    client = Client()
    assert "Sign in" in client.get("/signin").content.decode()
    client.post("/preferences", {"language": "zh-hans", "theme": "dark", "next": "/signin"})
    page = client.get("/signin").content.decode()
    assert 'lang="zh-Hans" data-theme="dark"' in page
    assert "登录" in page


def test_preferences_lead_nowhere_else(hub: str) -> None:
    answer = Client().post("/preferences", {"theme": "dark", "next": "https://evil.example/"})
    assert answer.headers["Location"] == "/"
