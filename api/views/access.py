"""Keys and members (API.md, "Governance"): for admins."""

from __future__ import annotations

from typing import Any, ClassVar
from uuid import UUID

from django.urls import reverse
from rest_framework.request import Request

from api.base import HubView, parsed
from api.instants import read_instant
from api.openapi import access as shapes
from api.openapi.access import KeyRequest, MemberChange, MemberRequest
from api.paging import PAGE_FIELDS, page_asked, page_of
from api.prefixes import read_prefixes, show_prefixes
from api.rendering import Response
from api.repeating import read_again, repeatable
from tenants.access.inviting import invite_person
from tenants.access.members import (
    Member,
    change_member,
    find_members,
    member_of,
    open_member,
    remove_member,
)
from tenants.access.provisioning import (
    find_keys,
    issue_tenant_key,
    open_key,
    revoke_tenant_key,
)
from tenants.authorising import require
from tenants.models import ApiKey
from tenants.roles import Action


class KeysView(HubView):
    """The tenant's keys."""

    query_fields: ClassVar = PAGE_FIELDS

    @shapes.list_keys
    def get(self, request: Request) -> Response:
        return Response(page_of(find_keys(), page_asked(request), present=present_key))

    @shapes.issue_key
    @repeatable(read_again, at="/api/v1/keys/{id}")
    def post(self, request: Request) -> Response:
        require(Action.ADMINISTER)
        asked = parsed(KeyRequest, request)
        issued = issue_tenant_key(
            name=asked.name, scopes=asked.scopes or (), networks=asked.networks,
            prefixes=read_prefixes(asked.prefixes),
            expires_at=read_instant(asked.expires_at, path="expires_at"),
        )  # fmt: skip
        shown = {**present_key(issued.row), "key": str(issued.text)}
        return Response(shown, status=201, headers={"Location": f"/api/v1/keys/{issued.row.id}"})


class KeyView(HubView):
    """One key."""

    @shapes.get_key
    def get(self, request: Request, key_id: str) -> Response:
        return Response(present_key(open_key(key_id)))

    @shapes.revoke_key
    def delete(self, request: Request, key_id: str) -> Response:
        revoke_tenant_key(key_id)
        return Response(status=204)


class MembersView(HubView):
    """The tenant's people."""

    query_fields: ClassVar = PAGE_FIELDS

    @shapes.list_members
    def get(self, request: Request) -> Response:
        page = page_of(
            find_members(), page_asked(request), present=lambda row: present_member(member_of(row))
        )
        return Response(page)

    @shapes.invite_member
    @repeatable(read_again, at="/api/v1/members/{id}")
    def post(self, request: Request) -> Response:
        require(Action.ADMINISTER)
        asked = parsed(MemberRequest, request)
        membership, token = invite_person(
            asked.email, role=asked.role, name=asked.name,
            prefixes=tuple(read_prefixes(asked.prefixes)),
        )  # fmt: skip
        shown = present_member(open_member(membership.id))
        shown["invitation"] = reverse("invitation", args=[token])
        where = f"/api/v1/members/{membership.id}"
        return Response(shown, status=201, headers={"Location": where})


class MemberView(HubView):
    """One person."""

    @shapes.get_member
    def get(self, request: Request, member_id: UUID) -> Response:
        return Response(present_member(open_member(member_id)))

    @shapes.change_member
    def patch(self, request: Request, member_id: UUID) -> Response:
        require(Action.ADMINISTER)
        asked = parsed(MemberChange, request)
        prefixes = None if asked.prefixes is None else read_prefixes(asked.prefixes)
        return Response(
            present_member(change_member(member_id, role=asked.role, prefixes=prefixes))
        )

    @shapes.remove_member
    def delete(self, request: Request, member_id: UUID) -> Response:
        remove_member(member_id)
        return Response(status=204)


def present_key(row: ApiKey) -> dict[str, Any]:
    """A key without its secret."""
    return {
        "id": row.id, "name": row.name, "scopes": row.scopes,
        "prefixes": show_prefixes(row.prefixes), "networks": row.networks,
        "created_at": row.created_at, "created_by": row.created_by,
        "expires_at": row.expires_at, "revoked_at": row.revoked_at,
        "last_used_at": row.last_used_at,
    }  # fmt: skip


def present_member(member: Member) -> dict[str, Any]:
    """A person in the tenant."""
    row = member.row
    return {
        "id": row.id, "email": row.user.email, "name": row.user.name, "role": row.role,
        "prefixes": show_prefixes(row.prefixes), "second_factor": member.second_factor,
        "last_login_at": row.user.last_login, "invited": member.is_invited,
    }  # fmt: skip
