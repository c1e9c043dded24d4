"""The certificate of an erasure: what went, what stayed and why, and when the last copy ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db import transaction

from erasure.backups import copies_until
from erasure.documents import Lang, certificate_html
from erasure.finding import find_request
from erasure.models import SubjectRequest
from erasure.signing import CERTIFICATE, sign_document
from memories.statements.lookup import find_by_ids
from memoryhub.errors import Conflict, Missing
from policies.requests.steps import RequestKind
from tenants.authorising import require
from tenants.clock import instant_as_wire
from tenants.context import now
from tenants.roles import Action
from tenants.snapshots import tenant_settings


def certify_erasure(
    request: SubjectRequest, left: Mapping[UUID, str], excluded: Mapping[UUID, str]
) -> dict[str, Any]:
    """The signed document, in the transaction that closes the request."""
    at, result = now(), request.result or {}
    rows = find_by_ids(list(left))
    ends = [row.purge_at for row in rows.values() if row.purge_at is not None]
    document = {
        "kind": "erasure certificate", "version": 1, "tenant": tenant_settings().slug,
        "request": str(request.id), "subject": request.pseudonym,
        "received_at": instant_as_wire(request.received_at),
        "identity_verified_by": (request.identity or {}).get("by"),
        "decided_by": (request.decision or {}).get("by"),
        "approved_by": (request.approval or {}).get("by"),
        "approved_at": (request.approval or {}).get("at"),
        "completed_at": instant_as_wire(at),
        "stores": result.get("stores", []), "probe": result.get("probe"),
        "kept": [
            {"ground": ground, "memories": count}
            for ground, count in sorted(Counter([*left.values(), *excluded.values()]).items())
        ],
        "kept_until": instant_as_wire(max(ends)) if ends else None,
        "backups": copies_until(at),
        "ledger_entry": str(request.ledger) if request.ledger else None,
        "log": "events name the person by the pseudonym above, which leads nowhere any more",
    }  # fmt: skip
    return sign_document(document, CERTIFICATE)


def read_certificate(identifier: UUID) -> dict[str, Any]:
    """The certificate of a closed erasure. Conflict `invalid_state` before; Missing without one."""
    require(Action.SEE_FIGURES)
    with transaction.atomic():
        request = find_request(identifier)
        if request.kind != RequestKind.ERASURE:
            raise Missing("Only an erasure ends with a certificate.")
        if request.certificate is None:
            if request.closed_at is not None:
                raise Missing("Nothing was erased, so there is no certificate.")
            raise Conflict("The erasure is not over.", state=request.state)
        return dict(request.certificate)


def show_certificate(identifier: UUID, lang: Lang) -> str:
    """The same for people, as a page of its own."""
    return certificate_html(read_certificate(identifier), lang)
