"""Recognising a model: is what answers under a profile's name still the model that it was?

A server can load another model under the same name and dimension; nothing in its answers says so,
and its vectors would be compared with the old ones as if they were alike. So the vector of one
fixed text is kept with each profile at its first use, and the model is asked for it again: before
its vectors are used, at most every TRUST_SECONDS in a process, after every failure, and by beat. A
model that gives another is refused (EmbeddingChanged): writes wait as pending, searches answer by
text, a finding and the settings page say why. When the model is back, all is caught up; a model
that is to stay gets a profile of its own (`EMBEDDING_MODEL` under another name, then `reembed`).

Providers round differently from machine to machine, so alike means a cosine of ALIKE.
"""

from __future__ import annotations

import json
import threading
import time
from datetime import datetime

import numpy as np
from django.db.models.functions import Now

from memories.embedding.gating import gate_of
from memories.embedding.profiles import Profile, profiles_in_use
from memories.embedding.providers import (
    EmbeddingRefused,
    EmbeddingUnavailable,
    Matrix,
    Provider,
    provider_for,
)
from memories.models import EmbeddingProfile
from tenants.context import release_connection

PROBE = "The hub remembers: 2026-11-30, order 4711, 默认用顺丰发货。"
ALIKE = 0.999
TRUST_SECONDS = 10.0
"""How long a process trusts a model that it has recognised; vectors of a model that was exchanged
within this time under a running server are the most that can slip in."""


class EmbeddingChanged(EmbeddingUnavailable):
    """Another model answers than the one the profile's vectors came from."""


_trusted: dict[int, float] = {}
_lock = threading.Lock()


def recognise(profile: Profile, provider: Provider) -> None:
    """Raise EmbeddingChanged when another model answers. Outside any transaction."""
    if profile.provider == "local" or _trusted.get(profile.number, 0.0) > time.monotonic():
        return  # the local model is part of the installation, pinned with its package
    found = provider.passages([PROBE])
    is_same = _compare(profile, found)
    release_connection()
    if not is_same:
        raise EmbeddingChanged("another model answers under the profile's name")
    with _lock:
        _trusted[profile.number] = time.monotonic() + TRUST_SECONDS


def doubt(profile: Profile) -> None:
    """Recognise the model anew at its next use: what failed may come back as another."""
    with _lock:
        _trusted.pop(profile.number, None)


def recognise_all() -> None:
    """Every model that some tenant uses; what does not answer is left to the next time."""
    for profile in profiles_in_use():
        doubt(profile)
        try:
            with gate_of(profile).passing():
                recognise(profile, provider_for(profile))
        except (EmbeddingUnavailable, EmbeddingRefused):
            continue


def changed_since(profile: Profile) -> datetime | None:
    """Since when another model answers; None while all is well."""
    row = EmbeddingProfile.objects.filter(number=profile.number).first()
    return None if row is None else row.changed_at


def forget_recognised() -> None:
    """Recognise every model anew (tests)."""
    with _lock:
        _trusted.clear()


def _compare(profile: Profile, found: Matrix) -> bool:
    """Whether it is the model of before, noted in the profile; the first to answer is that."""
    rows = EmbeddingProfile.objects.filter(number=profile.number)
    if found.shape != (1, profile.dimensions) or not np.isfinite(found).all():
        is_same = False
    else:
        seen = json.dumps([round(float(number), 5) for number in found[0]])
        rows.filter(fingerprint="").update(fingerprint=seen)
        kept = rows.values_list("fingerprint", flat=True).first()
        is_same = kept is None or _cosine(json.loads(kept), found[0]) >= ALIKE
    if is_same:
        rows.exclude(changed_at=None).update(changed_at=None)
    else:
        rows.filter(changed_at=None).update(changed_at=Now())
    return is_same


def _cosine(one: list[float], other: Matrix) -> float:
    first, second = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    lengths = float(np.linalg.norm(first) * np.linalg.norm(second))
    return float(first @ second) / lengths if lengths else 0.0
