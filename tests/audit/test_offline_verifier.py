"""The single-file verifier: the same words about a bundle, on a machine without MemoryHub."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction

from audit.models import Checkpoint
from audit.verifying import offline
from audit.verifying.bundling import write_bundle
from audit.verifying.running import Span
from sealing.signing import public_key
from tenants.actors import operator_actor
from tenants.context import acting_as
from tenants.models import Tenant
from tests.audit.tampering import tamper, verify, write_events
from tests.plugin import ROOT

ISOLATED = (
    "import sys, runpy; script, *sys.argv = sys.argv[1:]; sys.argv.insert(0, script); "
    "sys.path.append({libraries!r}); runpy.run_path(script, run_name='__main__')"
)


def test_the_copy_in_the_documentation_is_the_verifier() -> None:
    assert (ROOT / "docs/verify_memoryhub.py").read_bytes() == Path(offline.__file__).read_bytes()


@pytest.fixture
def alone(tmp_path: Path) -> Callable[..., tuple[int, dict[str, Any]]]:
    """Runs a bundle's own verifier with the standard library and `cryptography`, nothing else."""
    libraries = tmp_path / "libraries"
    libraries.mkdir()
    for name in ("cryptography", "cffi", "_cffi_backend"):
        spec = importlib.util.find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        origin = Path(spec.origin)
        source = origin.parent if origin.name == "__init__.py" else origin
        (libraries / source.name).symlink_to(source)

    def run(bundle: Path, *options: str) -> tuple[int, dict[str, Any]]:
        script = tmp_path / "verify_memoryhub.py"
        script.write_bytes(zipfile.ZipFile(bundle).read("verify_memoryhub.py"))
        code = ISOLATED.format(libraries=str(libraries))
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", code, str(script), str(bundle), "--json", *options],
            capture_output=True, text=True, cwd=tmp_path, env={}, check=False,
        )  # fmt: skip
        assert "MemoryHub" not in done.stderr, done.stderr
        return done.returncode, json.loads(done.stdout)

    return run


def export(tenant: Tenant, target: Path, span: Span | None = None) -> Path:
    with acting_as(operator_actor(tenant.id)):
        write_bundle(span or Span(), target)
    return target


@pytest.fixture
def sealed(tenant: Tenant, seal_now: Callable[[], int]) -> Tenant:
    for _ in range(3):
        write_events(tenant, 4)
        seal_now()
    return tenant


def test_it_says_the_same_without_memoryhub(
    sealed: Tenant, alone: Callable[..., tuple[int, dict[str, Any]]], tmp_path: Path
) -> None:
    key = tmp_path / "key.txt"
    key.write_text(public_key().text)
    code, answer = alone(export(sealed, tmp_path / "whole.zip"), "--key", str(key))
    here = verify(sealed)
    assert (code, answer["code"], answer["events"]) == (0, 0, here["events"])
    tamper(
        "UPDATE audit_event SET payload = replace(payload, 'nightly', 'nightlv') WHERE "
        "tenant_id = %(tenant)s AND counts @> '{\"n\": 2}'",
        tenant=sealed.id,
    )
    code, answer = alone(export(sealed, tmp_path / "bad.zip"), "--key", str(key))
    here = verify(sealed)
    assert code == 1
    assert answer == here


@pytest.mark.slow
def test_a_checkpoint_that_was_kept_shows_a_log_cut_short(
    sealed: Tenant, alone: Callable[..., tuple[int, dict[str, Any]]], tmp_path: Path
) -> None:
    kept = tmp_path / "kept.txt"
    with acting_as(operator_actor(sealed.id)), transaction.atomic():
        notes = list(Checkpoint.objects.order_by("size").values_list("size", "note"))
    bundle = export(sealed, tmp_path / "whole.zip")
    for _, note in notes:
        kept.write_text(note)
        assert alone(bundle, "--checkpoint", str(kept))[0] == 0
    values = {"tenant": sealed.id, "size": notes[0][0]}
    tamper(
        "DELETE FROM audit_checkpoint WHERE tenant_id = %(tenant)s AND size > %(size)s", **values
    )
    tamper("DELETE FROM audit_leaf WHERE tenant_id = %(tenant)s AND index >= %(size)s", **values)
    tamper(
        "DELETE FROM audit_event e WHERE tenant_id = %(tenant)s AND NOT EXISTS (SELECT FROM "
        "audit_leaf l WHERE l.tenant_id = e.tenant_id AND l.event_id = e.id)",
        tenant=sealed.id,
    )
    assert alone(export(sealed, tmp_path / "cut.zip"), "--checkpoint", str(kept))[0] == 4


def test_a_part_of_a_log_is_proved_to_be_a_part(sealed: Tenant, tmp_path: Path) -> None:
    with acting_as(operator_actor(sealed.id)), transaction.atomic():
        middle = Checkpoint.objects.order_by("size")[1].at
    bundle = export(sealed, tmp_path / "part.zip", Span(since=middle))
    answer = offline.check_bundle(bundle, key=public_key().text)
    assert answer["code"] == 0
    assert 0 < answer["events"] < verify(sealed)["events"]


FILES = ("events.jsonl", "checkpoints.jsonl", "manifest.json", "manifest.note")


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_a_bundle_changed_on_the_way_is_not_whole(
    sealed: Tenant, tmp_path: Path, name: str
) -> None:
    """Letters are changed all over the file; nothing passes, and nothing crashes."""
    bundle = export(sealed, tmp_path / "whole.zip")
    content = zipfile.ZipFile(bundle).read(name)
    for place in range(0, len(content) - 1, max(1, len(content) // 60)):
        changed = content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]
        target = tmp_path / "changed.zip"
        with zipfile.ZipFile(bundle) as old, zipfile.ZipFile(target, "w") as new:
            for one in old.namelist():
                new.writestr(one, changed if one == name else old.read(one))
        answer = offline.check_bundle(target, key=public_key().text)
        assert answer["code"] != 0, (place, content[place - 20 : place + 20])


def test_another_key_is_a_bad_signature(sealed: Tenant, tmp_path: Path) -> None:
    bundle = export(sealed, tmp_path / "whole.zip")
    other = "memoryhub+00000000+AQ" + "A" * 41 + "="
    assert offline.check_bundle(bundle, key=other)["code"] == 3
