"""Exports of lists: a job that writes CSV or JSONL piece by piece, then signs a manifest.

A piece is one transaction that appends to the file and moves the job's cursor: a killed worker
loses a piece, a million rows take the memory of two thousand. The file holds exactly what the
filter shows to whoever asked, up to the instant of asking; the manifest (in the job's `result`)
says so, with the SHA-256 of the file and the log's newest checkpoint.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.db import transaction

from audit.files import append_at, path_of
from audit.jobs import Step, begin_job, job_kind
from audit.models import Job
from audit.recording import Facts, Target, record
from evidence.lists import LISTS, Asked, ExportedList, Row
from evidence.manifests import hash_file, newest_checkpoint, sign_manifest
from memoryhub.errors import Denied, Invalid
from sealing.signing import public_key
from tenants.authorising import require
from tenants.clock import instant_as_wire
from tenants.context import current_tenant_id, now

Format = Literal["csv", "jsonl"]
KIND = "evidence.export"
FORMAT = "memoryhub-export/1"
PIECE = 2000
MEDIA_TYPES = {"csv": "text/csv; charset=utf-8", "jsonl": "application/x-ndjson"}
FORMULAS = ("=", "+", "-", "@", "\t", "\r")
"""A spreadsheet takes a cell that begins so for a formula; names of keys are free text."""


def ask_for_export(name: str, given: Mapping[str, Any], *, format: Format) -> Job:
    """A job that exports a list under a filter. People only; Invalid for what there is not."""
    found = LISTS.get(name)
    if found is None:
        raise Invalid.at("list", "unknown_value", f"The lists are: {', '.join(sorted(LISTS))}.")
    actor = require(found.action)
    if not actor.is_person:
        raise Denied("Only people may do this.", code="people_only")
    found.check(given)
    with transaction.atomic(savepoint=False):
        job = begin_job(
            KIND, action=found.action, total=None,
            params={
                "list": name, "filter": dict(given), "format": format,
                "prefixes": list(actor.prefixes), "until": instant_as_wire(now()),
                "by": {"kind": actor.kind.value, "id": actor.id, "name": actor.name},
            },
        )  # fmt: skip
        job.file_type, job.file_name = MEDIA_TYPES[format], f"{name}-{now():%Y%m%d-%H%M%S}.{format}"
        job.save(update_fields=["file_type", "file_name"])
    return job


@job_kind(KIND)
def _export_piece(job: Job) -> Step:
    params, cursor = job.params, job.cursor
    found = LISTS[params["list"]]
    until = datetime.fromisoformat(params["until"])
    asked = Asked(found.check(params["filter"]), tuple(params["prefixes"]), until)
    rows, place = found.read(asked, cursor.get("after"), PIECE)
    written = _write(found, rows, params["format"], with_head=not cursor)
    offset = append_at(job.id, cursor.get("offset", 0), [written])
    done = job.done + len(rows)
    if place is not None:
        return Step(finished=False, done=done, cursor={"after": place, "offset": offset})
    return Step(finished=True, done=done, total=done, result=_sign(job, done))


def _write(found: ExportedList, rows: Iterable[Row], format: Format, *, with_head: bool) -> bytes:
    text = io.StringIO()
    if format == "jsonl":
        for row in rows:
            text.write(json.dumps({name: _plain(row[name]) for name in found.columns},
                                  ensure_ascii=False, separators=(",", ":"), default=str)
                       + "\n")  # fmt: skip
        return text.getvalue().encode()
    writer = csv.writer(text, lineterminator="\r\n")
    if with_head:
        writer.writerow(found.columns)
    writer.writerows([_cell(row[name]) for name in found.columns] for row in rows)
    return text.getvalue().encode()


def _plain(value: Any) -> Any:
    """As JSON holds it."""
    if isinstance(value, datetime):
        return instant_as_wire(value)
    return str(value) if isinstance(value, UUID) else value


def _cell(value: Any) -> str:
    """As one cell; lists and objects as JSON."""
    if value is None:
        return ""
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    text = str(_plain(value))
    return f"'{text}" if text.startswith(FORMULAS) and not isinstance(value, int | float) else text


def _sign(job: Job, rows: int) -> dict[str, Any]:
    """The manifest, signed, and the event that somebody took this out."""
    params = job.params
    digest, size = hash_file(path_of(job.id))
    manifest = {
        "format": FORMAT, "tenant": str(current_tenant_id()), "list": params["list"],
        "filter": params["filter"], "prefixes": params["prefixes"], "until": params["until"],
        "by": params["by"], "made_at": instant_as_wire(now()), "rows": rows,
        "columns": list(LISTS[params["list"]].columns),
        "files": {job.file_name: digest}, "bytes": size, "checkpoint": newest_checkpoint(),
        "cells": "in CSV an apostrophe stands before what a spreadsheet would take for a formula",
    }  # fmt: skip
    record(
        "evidence.export", Target("list", params["list"]),
        Facts(counts={"n": rows}, links={"job": str(job.id), "sha256": digest}),
    )  # fmt: skip
    return {
        "rows": rows, "sha256": digest, "manifest": manifest,
        "note": sign_manifest(manifest, rows=rows), "key": public_key().text,
    }  # fmt: skip
