"""What an erasure found, removed and kept, store by store: kept in the request while it runs.

Counts are differences: what was found before, less what is left after. So a step that is run again
after a kill counts nothing twice, and it does not matter who destroyed a row (the erasure, or a
sweep after the release of a hold).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from erasure.models import SubjectRequest
from erasure.probing import Probed
from erasure.stores import STORES
from memories.requesting import store_of
from memories.rows import StoredMemory
from memories.statements.lookup import find_by_ids
from memories.statements.requested import BELONGINGS, count_belongings, tokens_left
from privacy.querysets import tokens_of

ROW_STORES = ("memories", "short_term", "candidates", *BELONGINGS)
OTHERS_NEED = "needed_by_other_memories"


class Tally:
    """The running count of one erasure; saved with the request."""

    def __init__(self, request: SubjectRequest) -> None:
        kept: dict[str, Any] = (request.result or {}).get("tally", {})
        self.found: Counter[str] = Counter(kept.get("found", {}))
        self.tokens: set[str] = set(kept.get("tokens", ()))
        self.others: dict[str, int] = dict(kept.get("others", {}))
        self._request = request

    def save(self) -> None:
        """Into the request's result, from where the next step takes it."""
        kept = {
            "found": dict(self.found), "tokens": sorted(self.tokens), "others": self.others,
        }  # fmt: skip
        self._request.result = {**(self._request.result or {}), "tally": kept}
        self._request.save(update_fields=["result"])

    def add_rows(self, rows: Sequence[StoredMemory]) -> None:
        """Rows that were found and are about to go, with all that belongs to them."""
        ids = [row.id for row in rows]
        self.found += Counter(store_of(row) for row in rows) + Counter(count_belongings(ids))
        self.tokens.update(tokens_of(ids))

    def add_other(self, store: str, removed: int) -> None:
        """What another store lost."""
        self.others[store] = self.others.get(store, 0) + removed

    def result(self, left: Mapping[UUID, str], out: Mapping[UUID, str], probed: Probed) -> Any:
        """As the API shows it. `left`: targets that are kept, `out`: excluded; each by ground."""
        here, excluded = _count(left), _count(out)
        lines = []
        for store in ROW_STORES:
            kept = here[store] + excluded[store]
            removed = max(self.found[store] - here[store], 0)
            grounds = {*(left.values() if here[store] else ()),
                       *(out.values() if excluded[store] else ())}  # fmt: skip
            if store == "sealed_originals":
                kept, removed, grounds = self._originals(kept, grounds)
            lines.append(line_of(store, removed, kept, grounds))
        order = {store.name: place for place, store in enumerate(STORES)}
        others = sorted(self.others.items(), key=lambda one: order.get(one[0], -1))
        lines += [line_of(name, count, 0, ()) for name, count in others]
        return {"stores": lines, "probe": {"queries": probed.queries, "hits": probed.hits}}

    def _originals(self, kept: int, grounds: set[str]) -> tuple[int, int, set[str]]:
        """An original goes when nobody's memory needs it any more."""
        still = tokens_left(sorted(self.tokens))
        removed = len(self.tokens) - still
        needed = {OTHERS_NEED} if still and not kept else set()
        return max(still, kept), removed, grounds | needed


def _count(kept: Mapping[UUID, str]) -> Counter[str]:
    rows = list(find_by_ids(list(kept)).values())
    return Counter(store_of(row) for row in rows) + Counter(
        count_belongings([row.id for row in rows])
    )


def line_of(store: str, removed: int, kept: int, grounds: Iterable[str]) -> dict[str, Any]:
    """One line of the result."""
    ground = ", ".join(sorted(set(grounds))) if kept else ""
    return {
        "store": store, "found": removed + kept, "removed": removed, "kept": kept,
        "ground": ground or None,
    }  # fmt: skip
