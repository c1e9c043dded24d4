"""The report as a job: a section a step, then the log verified, then one signed ZIP.

    report.html, report.<other language>.html      for people
    facts.json                                     every number and the first rows of every table
    <table>.csv, <table>.jsonl                     whole populations
    manifest.json, manifest.note                   SHA-256 of each file, signed
    public_key.txt, verify_memoryhub.py            to check it without the hub

A killed worker loses a step. Nothing is held in memory but what the document shows.
"""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import transaction

from audit.files import path_of
from audit.jobs import Step, begin_job, job_kind
from audit.models import Job
from audit.recording import Facts, Target, canonical, record
from audit.verifying.bundling import VERIFIER
from audit.verifying.running import Span, verify_log
from evidence.manifests import hash_file, newest_checkpoint, sign_manifest
from evidence.report.documents import report_html
from evidence.report.gathering import gather_section
from evidence.report.populations import SECTIONS
from evidence.report.shapes import LANGS, Lang
from memoryhub.errors import Denied, Invalid
from sealing.signing import public_key
from tenants.authorising import require_whole_tenant
from tenants.context import current_tenant_id, now
from tenants.models import Tenant
from tenants.roles import Action
from tenants.snapshots import tenant_settings

KIND = "evidence.report"
FORMAT = "memoryhub-report/1"
STEPS = len(SECTIONS) + 2


def ask_for_report(*, since: datetime, until: datetime, lang: Lang) -> Job:
    """A job that makes the report of a period [since, until). People only; Invalid."""
    actor = require_whole_tenant(Action.EXPORT_EVENTS)
    if not actor.is_person:
        raise Denied("Only people may do this.", code="people_only")
    if since >= until:
        raise Invalid.at("to", "out_of_range", "The period ends after it begins.")
    if lang not in LANGS:
        raise Invalid.at("lang", "unknown_value", "The languages are: en, zh.")
    with transaction.atomic(savepoint=False):
        job = begin_job(
            KIND, action=Action.EXPORT_EVENTS, total=STEPS,
            params={"since": since.isoformat(), "until": until.isoformat(), "lang": lang},
        )  # fmt: skip
        job.file_type = "application/zip"
        job.file_name = f"report-{tenant_settings().slug}-{since:%Y%m%d}-{until:%Y%m%d}.zip"
        job.save(update_fields=["file_type", "file_name"])
    return job


def _verify(job: Job) -> dict[str, Any] | None:
    """Between the sections and the ZIP: the log of the period, outside any transaction."""
    if job.cursor.get("section") != len(SECTIONS):
        return None
    span = Span(
        datetime.fromisoformat(job.params["since"]), datetime.fromisoformat(job.params["until"])
    )
    return verify_log(span)


@job_kind(KIND, prepare=_verify)
def _report_step(job: Job, integrity: dict[str, Any] | None = None) -> Step:
    folder = _folder(job)
    number = job.cursor.get("section", 0)
    if number < len(SECTIONS):
        params = {
            "tenant": current_tenant_id(),
            "since": datetime.fromisoformat(job.params["since"]),
            "until": datetime.fromisoformat(job.params["until"]),
        }
        section = SECTIONS[number]
        _keep(folder / f"{section.key}.section", gather_section(section, params, folder))
    elif integrity is None:
        return Step(finished=False, done=number, cursor=job.cursor)
    else:
        return Step(finished=True, done=STEPS, result=_write(job, folder, integrity))
    return Step(finished=False, done=number + 1, cursor={"section": number + 1})


def _folder(job: Job) -> Path:
    folder = path_of(job.id).with_suffix(".parts")
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def _keep(path: Path, document: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")


def _write(job: Job, folder: Path, integrity: dict[str, Any]) -> dict[str, Any]:
    tenant, lang = Tenant.objects.get(id=current_tenant_id()), job.params["lang"]
    facts = {
        "format": FORMAT, "tenant": str(current_tenant_id()), "name": tenant.name,
        "since": job.params["since"], "until": job.params["until"],
        "made_at": now().isoformat(), "by": job.created_by_name, "lang": lang,
        "sections": {
            one.key: json.loads((folder / f"{one.key}.section").read_text(encoding="utf-8"))
            for one in SECTIONS
        },
        "integrity": integrity, "checkpoint": newest_checkpoint(),
    }  # fmt: skip
    _keep(folder / "facts.json", facts)
    for other in LANGS:
        name = "report.html" if other == lang else f"report.{other}.html"
        (folder / name).write_text(report_html(facts, other), encoding="utf-8")
    (folder / "public_key.txt").write_text(public_key().text + "\n", encoding="utf-8")
    shutil.copyfile(VERIFIER, folder / "verify_memoryhub.py")
    files = sorted(
        path for path in folder.iterdir() if path.suffix in (".html", ".json", ".csv", ".jsonl",
                                                             ".txt", ".py")
    )  # fmt: skip
    manifest = {
        "format": FORMAT, "tenant": facts["tenant"], "made_at": facts["made_at"],
        "since": facts["since"], "until": facts["until"], "checkpoint": facts["checkpoint"],
        "files": {path.name: hash_file(path)[0] for path in files},
    }  # fmt: skip
    note = sign_manifest(manifest, rows=len(files))
    _zip(path_of(job.id), files, {"manifest.json": canonical(manifest), "manifest.note": note})
    shutil.rmtree(folder, ignore_errors=True)
    digest, size = hash_file(path_of(job.id))
    record(
        "evidence.report", Target("log", str(current_tenant_id())),
        Facts(counts={"n": len(files)}, links={"from": facts["since"], "to": facts["until"],
                                               "job": str(job.id), "sha256": digest}),
    )  # fmt: skip
    return {"sha256": digest, "bytes": size, "files": len(files), "integrity": integrity["code"]}


def _zip(target: Path, files: list[Path], texts: Mapping[str, str]) -> None:
    """Written beside and moved, so that a killed step leaves no half of it."""
    beside = target.with_suffix(".new")
    with zipfile.ZipFile(beside, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in files:
            archive.write(path, path.name)
        for name, text in texts.items():
            archive.writestr(name, text)
    with beside.open("rb") as file:
        os.fsync(file.fileno())
    beside.replace(target)
