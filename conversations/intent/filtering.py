"""The filter at work: the rules at once, and vectors only for what the rules leave open.

The prototypes are embedded once for each profile and process; the message's own vector is the one
that its short-term memory is found by, so a kept message is embedded once in all. With the provider
down the rules and the amount of content decide.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from functools import lru_cache
from typing import Any

import numpy as np
import orjson

from conversations.intent.judging import Likeness, Verdict, has_open_task, judge, judge_by_rules
from conversations.intent.likening import Matrix, liken, nearest_of
from conversations.intent.prototypes import PROTOTYPES
from memories.embedding.calling import embed_passages
from memories.embedding.chunking import CHUNK_CHARACTERS
from memories.embedding.profiles import Profile, profile_of
from memories.embedding.providers import EmbeddingRefused, EmbeddingUnavailable, provider_for
from tenants.snapshots import TenantSettings, tenant_settings

EVERYTHING = Verdict(True, None, "filter off")


def filter_message(text: str, state: Mapping[str, Any]) -> Verdict:
    """Whether a user's message, personal data protected, goes to short-term memory.

    Outside any transaction: it may embed.
    """
    tenant = tenant_settings()
    wishes = tenant.intent
    if not wishes.get("enabled", True):
        return EVERYTHING
    open_task = has_open_task(state)
    own = _own_verdict(text, tenant)
    if own is not None:
        return own
    ruled = judge_by_rules(text, open_task=open_task)
    if ruled is not None:
        return ruled
    return judge(text, _likeness_of(text, profile_of(tenant)), open_task=open_task)


def _own_verdict(text: str, tenant: TenantSettings) -> Verdict | None:
    """What the tenant's own prototypes say, where one is nearly the same as the message."""
    keep, skip = tenant.intent.get("keep", ()), tenant.intent.get("skip", ())
    profile = profile_of(tenant)
    if not (keep or skip):
        return None
    if text.strip() in keep or text.strip() in skip:
        return _decided(text.strip() in keep)
    vector = _vector_of(text, profile)
    if vector is None:
        return None
    try:
        near = {kept: nearest_of(vector, _own_rows(profile, phrases))
                for kept, phrases in ((True, keep), (False, skip))}  # fmt: skip
    except (EmbeddingUnavailable, EmbeddingRefused):
        return None
    kept = near[True] >= near[False]
    if near[kept] < profile.dedup_threshold:
        return None
    return _decided(kept)


def _decided(kept: bool) -> Verdict:
    return Verdict(kept, None if kept else "chatter", "the tenant's own")


def _likeness_of(text: str, profile: Profile) -> Likeness | None:
    vector = _vector_of(text, profile)
    if vector is None:
        return None
    try:
        return liken(vector, prototype_rows(profile))
    except (EmbeddingUnavailable, EmbeddingRefused):
        return None


def _vector_of(text: str, profile: Profile) -> Matrix | None:
    """Of the text's beginning, as its first chunk is embedded; None without a provider."""
    start = text.strip()[:CHUNK_CHARACTERS].strip()
    if not profile.embeds or profile.distance != "cosine" or not start:
        return None
    try:
        return _as_rows(embed_passages(profile, [start]))[0]
    except (EmbeddingUnavailable, EmbeddingRefused):
        return None


def _own_rows(profile: Profile, phrases: Sequence[str]) -> Sequence[Matrix]:
    return _as_rows(embed_passages(profile, list(phrases))) if phrases else []


def _as_rows(vectors: Sequence[str]) -> Sequence[Matrix]:
    return [np.asarray(orjson.loads(vector), dtype=np.float32) for vector in vectors]


def prototype_rows(profile: Profile) -> Mapping[Likeness, Matrix]:
    """The prototypes' vectors, of unit length: no tenant's, and so not asked for in its name.

    Two seconds of a core with the local model, so who comes meanwhile waits for the first.
    """
    with _reading if profile.provider == "local" else nullcontext():
        return _prototype_rows(profile)


_reading = threading.Lock()


@lru_cache(maxsize=8)
def _prototype_rows(profile: Profile) -> Mapping[Likeness, Matrix]:
    provider = provider_for(profile)
    made = {}
    for name, texts in PROTOTYPES.items():
        rows = provider.passages(texts)
        made[name] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return made
