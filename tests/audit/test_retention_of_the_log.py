"""The log's own retention: a month goes only exported and verified, and the rest still verifies."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from audit.retaining import LEAST_MONTHS, list_due
from audit.verifying.offline import check_bundle
from memoryhub import embedded
from memoryhub.errors import Invalid
from tenants.models import Tenant
from tests.plugin import ROOT

DROP = """
import json, sys
from pathlib import Path
import django; django.setup()
from django.db import transaction
from audit.partitions import partition_names
from audit.retaining import drop_month, _month_of
from audit.sealing.rounds import seal
from audit.verifying.running import Span, verify_log
from tenants.actors import operator_actor
from tenants.context import acting_as, now
from tenants.models import Tenant
with acting_as(operator_actor()):
    with transaction.atomic():
        name = f"audit_event_{now():%Y_%m}"
    for _ in range(3):  # the first opens an epoch, which is an event too
        seal()
    done = drop_month(_month_of(name), Path(sys.argv[1]))
    with transaction.atomic():
        gone = name not in partition_names()
seal()
tenant = Tenant.objects.get(slug="acme")
with acting_as(operator_actor(tenant.id)):
    answer = verify_log(Span())
print(json.dumps({"done": done, "gone": gone, "code": answer["code"]}))
"""


def test_months_younger_than_the_retention_stay(acting: Tenant) -> None:
    assert list_due(72) == []
    with pytest.raises(Invalid):
        list_due(LEAST_MONTHS - 1)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_month_is_exported_verified_and_dropped(tmp_path: Path) -> None:
    data, bundles = tmp_path / "data", tmp_path / "bundles"
    bundles.mkdir()
    environ = {
        **os.environ, "MEMORYHUB_DATA": str(data), "DJANGO_SETTINGS_MODULE": "memoryhub.settings",
        "LOG_LEVEL": "ERROR", "ANCHOR_SECONDS": "0",
    }  # fmt: skip
    with embedded.running(data):

        def run(*words: str) -> str:
            command = [sys.executable, *words]
            done = subprocess.run(
                command, cwd=ROOT, env=environ, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stderr
            return done.stdout

        run("manage.py", "create_tenant", "acme", "--name", "Acme")
        for number in range(3):
            run("manage.py", "issue_key", "acme", "--name", f"k{number}")
        found = json.loads(run("-c", DROP, str(bundles)))
        assert found["gone"]
        assert found["code"] == 0
        assert found["done"]["events"] >= 3
        (acme,) = bundles.glob("acme-*.zip")
        assert check_bundle(acme)["code"] == 0
        assert (
            json.loads(run("manage.py", "audit_verify", "--tenant", "acme", "--json"))["code"] == 0
        )
        # a month that somebody else takes away under a note of their own is no retention
        with psycopg.connect(embedded.locate(data).owner_url) as owner:
            owner.execute("UPDATE audit_droppedmonth SET note = replace(note, '— ', '— x')")
        command = [sys.executable, "manage.py", "audit_verify", "--tenant", "acme", "--json"]
        forged = subprocess.run(
            command, cwd=ROOT, env=environ, capture_output=True, text=True, check=False
        )
        assert forged.returncode == 2
