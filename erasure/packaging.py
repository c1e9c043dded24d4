"""Access and restriction, carried out: a signed package of what is stored, or an end of its use.

The package is a ZIP in a job's file: for each language a ZIP with `data.json`, a page that anybody
can read, `manifest.json` (names, sizes, SHA-256, signed). It restricts nothing. It holds a person's
data in clear as stored, so taking it is an event, and an erasure removes it like any other store.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from hashlib import sha256
from typing import Any
from uuid import UUID

from django.db import transaction

from audit.files import append_at, path_of
from audit.jobs import Step, job_kind
from audit.models import Job
from conversations.sessions import find_sessions_of
from erasure.documents import LANGS, Lang, package_html
from erasure.finding import (
    close_request,
    excluded_from,
    find_request,
    lock_request,
    memories_of,
    note_step,
    subject_of,
)
from erasure.models import SubjectRequest
from erasure.scoping import put_fresh_into_scope
from erasure.signing import PACKAGE, as_text, sign_document
from memories.filter_sql import to_json
from memories.models import MemoryVersion
from memories.namespaces import decode
from memories.presenting import present_retention
from memories.requesting import mark_requested
from memories.rows import StoredMemory
from memories.statements.lookup import find_by_ids
from memories.strict_json import read_exactly
from memoryhub.errors import Conflict, Denied, Missing
from policies.requests.steps import RequestKind, RequestState
from privacy.subjects import restrict_subject
from tenants.authorising import require
from tenants.clock import instant_as_wire
from tenants.context import now
from tenants.roles import Action
from tenants.snapshots import tenant_settings

ACCESS, RESTRICT = "request.access", "request.restrict"
MEDIA_TYPE = "application/zip"


@job_kind(ACCESS)
def _build_package(job: Job) -> Step:
    request = lock_request(UUID(job.params["request"]))
    if request.state != RequestState.RUNNING or request.job != job.id:
        return Step(finished=True, done=job.done)
    content = _gather(request)
    append_at(job.id, 0, [_outer(content)])
    job.file_type, job.file_name = MEDIA_TYPE, f"access-{request.pseudonym}.zip"
    count = len(content["memories"])
    request.result = {"stores": [_line("memories", count)], "probe": None}
    close_request(request, "provided")
    return Step(finished=True, done=1, total=1, result={"memories": count})


def _line(store: str, found: int) -> dict[str, Any]:
    return {"store": store, "found": found, "removed": 0, "kept": found, "ground": None}


def _gather(request: SubjectRequest) -> dict[str, Any]:
    """All that is stored of the person, as stored, without what the decision left out."""
    known, at = subject_of(request), now()
    put_fresh_into_scope(request, known.subject)
    ids = sorted(set(memories_of(request)) - set(excluded_from(request)))
    rows = sorted(find_by_ids(ids).values(), key=lambda row: (row.namespace, row.key))
    return {
        "kind": "access package", "version": 1, "tenant": tenant_settings().slug,
        "request": str(request.id), "subject": known.subject, "at": instant_as_wire(at),
        "memories": [_present(row, at) for row in rows],
        "sessions": [
            {"channel": one.channel, "created_at": instant_as_wire(one.created_at),
             "expires_at": instant_as_wire(one.expires_at)}
            for one in find_sessions_of(known.subject)
        ],
    }  # fmt: skip


def _present(row: StoredMemory, at: Any) -> dict[str, Any]:
    """One memory in full, as JSON; the value as its own text, so that numbers stay exact."""
    retention = present_retention(row, at)
    versions = MemoryVersion.objects.all().with_text().of_memory(row.id)
    return {
        "id": str(row.id), "namespace": list(decode(row.namespace)), "key": row.key,
        "kind": row.kind, "tier": row.tier, "value": row.value, "source": row.source,
        "subjects": row.subjects, "tags": row.tags, "classes": row.classes,
        "created_at": instant_as_wire(row.created_at),
        "updated_at": instant_as_wire(row.updated_at),
        "derived_from": [str(one) for one in row.derived_from],
        "retention": {
            "state": retention["state"],
            "visible_until": _wire(row.visible_until), "purge_at": _wire(row.purge_at),
        },
        "versions": [
            {"version": one.version, "value": one.text,
             "written_at": instant_as_wire(one.written_at)}
            for one in versions
        ],
    }  # fmt: skip


def _wire(instant: Any) -> str | None:
    return None if instant is None else instant_as_wire(instant)


def _outer(content: Mapping[str, Any]) -> bytes:
    """One ZIP of the packages in each language."""
    return _zip({f"{lang}.zip": _inner(content, lang) for lang in LANGS})


def _data_text(document: Mapping[str, Any]) -> str:
    """As people read it; compact where a number has digits that only the exact spelling keeps."""
    try:
        return as_text(document)
    except TypeError:
        return to_json(document) + "\n"


def _inner(content: Mapping[str, Any], lang: Lang) -> bytes:
    decoded = {
        **content,
        "memories": [{**one, "value": read_exactly(one["value"])} for one in content["memories"]],
    }
    files = {
        "data.json": _data_text(decoded).encode(),
        "package.html": package_html(content, lang).encode(),
    }
    facts = {
        "kind": "access package", "version": 1, "request": content["request"],
        "at": content["at"], "lang": lang,
        "files": [
            {"name": name, "bytes": len(data), "sha256": sha256(data).hexdigest()}
            for name, data in sorted(files.items())
        ],
    }  # fmt: skip
    return _zip({**files, "manifest.json": as_text(sign_document(facts, PACKAGE)).encode()})


def _zip(files: Mapping[str, bytes]) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return whole.getvalue()


def take_package(identifier: UUID, lang: Lang) -> bytes:
    """The package of an access request as a ZIP, in one language; officers only.

    Raises Conflict `invalid_state` before it is built, Missing when there is none (any more).
    """
    actor = require(Action.STEP_REQUEST)
    if not actor.is_person:
        raise Denied("Only people may do this.", code="people_only")
    with transaction.atomic():
        request = find_request(identifier)
        if request.kind != RequestKind.ACCESS:
            raise Missing("Only an access request has a package.")
        if request.outcome != "provided":
            raise Conflict("The package is not built.", state=request.state)
        path = path_of(request.job) if request.job else None
        if path is None or not path.exists():
            raise Missing("The package is not here any more.")
        with zipfile.ZipFile(path) as archive:
            found = archive.read(f"{lang}.zip")
        note_step("request.package", request, lang=lang)
    return found


@job_kind(RESTRICT)
def _restrict(job: Job) -> Step:
    """All of the person's memories leave use until the restriction is lifted."""
    request = lock_request(UUID(job.params["request"]))
    if request.state != RequestState.RUNNING or request.job != job.id:
        return Step(finished=True, done=job.done)
    subject = subject_of(request).subject
    restrict_subject(subject, "restricted_at", now())
    put_fresh_into_scope(request, subject)
    ids = sorted(set(memories_of(request)) - set(excluded_from(request)))
    mark_requested(ids, "restricted_at", now())
    request.result = {"stores": [{**_line("memories", len(ids)), "ground": "restriction"}],
                      "probe": None}  # fmt: skip
    close_request(request, "restricted")
    return Step(finished=True, done=len(ids), total=len(ids), result={"memories": len(ids)})
