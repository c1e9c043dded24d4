"""An access request: a signed package in two languages, and nothing is restricted."""

from __future__ import annotations

import io
import json
import zipfile
from hashlib import sha256

import pytest

from erasure.signing import PACKAGE, is_genuine
from tests.callers import Caller
from tests.erasure.asking import Asking


def files_of(asking: Asking, request: str, lang: str) -> dict[str, bytes]:
    answer = asking.officer.call("GET", f"/subject-requests/{request}/package?lang={lang}")
    assert answer.status_code == 200, answer.content
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.slow
def test_the_package_holds_what_is_stored_and_restricts_nothing(
    agent: Caller, asking: Asking
) -> None:
    agent.put(["crm"], "k", {"text": "likes <b>tea</b>", "n": 1.10}, subjects=["anna"])
    agent.put(["crm"], "k", {"text": "likes coffee", "n": 2}, subjects=["anna"])
    agent.put(["crm"], "bob", {"text": "Bob likes milk"}, subjects=["bob"])
    request = asking.ready("anna", "access")
    early = asking.officer.call("GET", f"/subject-requests/{request}/package")
    assert (early.status_code, early.json()["state"]) == (409, "decision")
    done = asking.carry_out(request)
    assert (done["state"], done["outcome"]) == ("closed", "provided")
    assert agent.get(["crm"], "k").status_code == 200
    files = files_of(asking, request, "zh")
    document = json.loads(files["data.json"])
    assert [one["value"] for one in document["memories"]] == [{"text": "likes coffee", "n": 2}]
    assert "likes <b>tea</b>" in document["memories"][0]["versions"][0]["value"]
    page = files["package.html"].decode()
    assert "您的个人信息" in page
    assert "&lt;b&gt;tea" in page
    assert "Bob" not in page
    manifest = json.loads(files["manifest.json"])
    assert is_genuine(manifest, PACKAGE)
    for one in manifest["files"]:
        assert sha256(files[one["name"]]).hexdigest() == one["sha256"]
    assert "Your personal data" in files_of(asking, request, "en")["package.html"].decode()


def test_numbers_in_the_package_have_all_their_digits(agent: Caller, asking: Asking) -> None:
    raw = (
        b'{"namespace": ["crm"], "key": "k", "subjects": ["anna"], '
        b'"value": {"n": 12345678901234567890.123}}'
    )
    assert agent.call("PUT", "/store/items", raw=raw).status_code == 200
    request = asking.ready("anna", "access")
    asking.carry_out(request)
    assert '"n":12345678901234567890.123}' in files_of(asking, request, "en")["data.json"].decode()


@pytest.mark.slow
def test_an_erasure_takes_the_package_too(agent: Caller, asking: Asking) -> None:
    agent.put(["crm"], "k", {"text": "likes tea"}, subjects=["anna"])
    access = asking.ready("anna", "access")
    asking.carry_out(access)
    done = asking.erase("anna")
    assert asking.store(done, "job_files")["removed"] == 1
    assert asking.officer.call("GET", f"/subject-requests/{access}/package").status_code == 404


def test_only_an_access_request_has_a_package_and_only_an_erasure_a_certificate(
    agent: Caller, asking: Asking
) -> None:
    erasure, access = asking.open("anna"), asking.open("anna", "access")
    for path in (f"{erasure}/package", f"{access}/certificate"):
        assert asking.officer.call("GET", f"/subject-requests/{path}").status_code == 404
    assert agent.call("GET", f"/subject-requests/{access}/package").status_code == 403
