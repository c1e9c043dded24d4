"""A sweep of 20,000 in a process of its own, killed with SIGKILL ten times on its way.

After each kill: no memory is gone without a tombstone, no tombstone names an event that is not
there, no event tells of more or less than was destroyed. The next run goes on and finishes.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest

from tenants.models import Tenant
from tests.ageing import act_as_owner
from tests.plugin import DATA, ROOT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

ROWS, KILLS, CHUNK = 20_000, 10, 250

_FILL = """
INSERT INTO memories_memory (tenant_id, id, namespace, key, value, kind, tier, subjects, classes,
  tags, derived_from, source_caps, decay, importance, weight, content_hash, version, created_at,
  updated_at, access_count, ruled, flags, ruleset, embedding, embedding_attempts, length,
  ttl, ttl_expires_at, visible_until, purge_at)
SELECT %(tenant)s, uuidv7(), 'a/u' || n %% 10 || '/', 'k' || n, '{}', 'fact', 'long', '{}', '{}',
  '{}', '{}', '{}', 1, 0.5, 1, '\\x00', 1, now() - interval '9 minutes',
  now() - interval '9 minutes', 0, false, '{}', 0, 'none', 0, 0,
  interval '1 minute', now() - interval '8 minutes', now() - interval '8 minutes',
  now() - interval '7 minutes'
FROM generate_series(1, %(rows)s) AS n
"""
_SUBJECTS = """
INSERT INTO memories_memorysubject (tenant_id, id, memory_id, subject)
SELECT m.tenant_id, uuidv7(), m.id, 's' FROM memories_memory m WHERE m.tenant_id = %(tenant)s
"""
_STANDS = """
SELECT (SELECT count(*) FROM memories_memory WHERE tenant_id = %(tenant)s),
  (SELECT count(*) FROM memories_tombstone WHERE tenant_id = %(tenant)s),
  (SELECT count(*) FROM memories_tombstone s WHERE s.tenant_id = %(tenant)s AND NOT EXISTS (
    SELECT FROM audit_event e WHERE e.tenant_id = %(tenant)s AND e.id = s.event_id
    AND e.action = 'sweep.purge')),
  (SELECT count(*) FROM (SELECT e.id FROM audit_event e LEFT JOIN memories_tombstone s
    ON s.tenant_id = e.tenant_id AND s.event_id = e.id
    WHERE e.tenant_id = %(tenant)s AND e.action = 'sweep.purge'
    GROUP BY e.id, e.counts HAVING (e.counts ->> 'n')::int <> count(s.id)) AS wrong),
  (SELECT count(*) FROM memories_memorysubject WHERE tenant_id = %(tenant)s)
"""


class Killing:
    """A tenant full of what is due, and sweeps of it in other processes."""

    def __init__(self, owner_url: str, database_url: str, tenant: Tenant) -> None:
        self._owner_url, self._tenant = owner_url, tenant
        self._environ = {
            **os.environ, "DATABASE_URL": database_url, "DATABASE_OWNER_URL": owner_url,
            "MEMORYHUB_DATA": str(DATA), "SWEEP_CHUNK": str(CHUNK), "LOG_LEVEL": "WARNING",
        }  # fmt: skip

    def fill(self) -> None:
        with psycopg.connect(self._owner_url) as connection:
            act_as_owner(connection, self._tenant)
            connection.execute(_FILL, {"tenant": self._tenant.id, "rows": ROWS})
            connection.execute(_SUBJECTS, {"tenant": self._tenant.id})

    def stands(self) -> tuple[int, ...]:
        """(rows, tombstones, without an event, events that tell another number, subjects)."""
        with psycopg.connect(self._owner_url) as connection:
            act_as_owner(connection, self._tenant)
            found = connection.execute(_STANDS, {"tenant": self._tenant.id}).fetchone()
        assert found is not None
        return found

    def stones(self) -> int:
        with psycopg.connect(self._owner_url) as connection:
            act_as_owner(connection, self._tenant)
            sql = "SELECT count(*) FROM memories_tombstone WHERE tenant_id = %s"
            found = connection.execute(sql, [self._tenant.id]).fetchone()
        assert found is not None
        return int(found[0])

    def begin(self) -> subprocess.Popen[bytes]:
        command = [
            sys.executable, str(Path(ROOT) / "manage.py"), "sweep", "--tenant", self._tenant.slug,
            "--json",
        ]  # fmt: skip
        return subprocess.Popen(command, cwd=ROOT, env=self._environ, stdout=subprocess.PIPE)


def test_a_sweep_killed_ten_times_loses_nothing_and_does_nothing_twice(
    owner_url: str, database_url: str, tenant: Tenant
) -> None:
    work = Killing(owner_url, database_url, tenant)
    work.fill()
    done = 0
    for _ in range(KILLS):
        process = work.begin()
        until = time.monotonic() + 120
        while work.stones() <= done and process.poll() is None and time.monotonic() < until:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
        rows, stones, eventless, wrong, subjects = work.stands()
        assert rows + stones == ROWS
        assert (eventless, wrong, subjects) == (0, 0, rows)
        assert stones > done
        done = stones
    assert done < ROWS  # each was killed on its way
    process = work.begin()
    output, _ = process.communicate(timeout=300)
    assert process.returncode == 0
    assert json.loads(output)["counts"]["purged"] == ROWS - done
    assert work.stands() == (0, ROWS, 0, 0, 0)


def test_two_processes_that_sweep_at_once_do_the_work_once(
    owner_url: str, database_url: str, tenant: Tenant
) -> None:
    work = Killing(owner_url, database_url, tenant)
    work.fill()
    both = [work.begin(), work.begin()]
    counts = [json.loads(one.communicate(timeout=300)[0])["counts"] for one in both]
    assert sum(one["purged"] for one in counts) == ROWS
    assert work.stands() == (0, ROWS, 0, 0, 0)
