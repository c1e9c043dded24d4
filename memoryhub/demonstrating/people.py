"""The people of the demo, as those who act: some things need two of them."""

from __future__ import annotations

from tenants.access.authenticating import choose_membership, person_actor
from tenants.actors import Actor
from tenants.models import Tenant, User
from tenants.roles import Role

PEOPLE = (
    ("ines.moreau@demo.example", "Ines Moreau", Role.OFFICER),
    ("wei.zhang@demo.example", "Zhang Wei 张伟", Role.OFFICER),
    ("jonas.weber@demo.example", "Jonas Weber", Role.ADMIN),
    ("amara.diallo@demo.example", "Amara Diallo", Role.AUDITOR),
)
INES, WEI, JONAS, AMARA = (email for email, _, _ in PEOPLE)


def person(tenant: Tenant, email: str) -> Actor:
    """One of them, as an actor of the tenant."""
    user = User.objects.get(email=email)
    return person_actor(user, choose_membership(user, tenant_id=tenant.id))
