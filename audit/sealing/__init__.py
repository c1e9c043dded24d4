"""Sealing: the order and the proof that events get after they were written.

**The invariant.** What was sealed once can never again be changed, dropped, moved or added to
without an outsider seeing it: each tenant's events are leaves of an RFC 6962 tree, whose root is
signed after each round, and once a minute a tree over all roots is signed and written to a file
outside the database.

**Order.** Writers share no counter. A transaction id is given at its first write, so a row of a
lower one may commit after a row of a higher one; a sequence has the same fault. What is safe: rows
whose transaction is below every one that still runs (`xid < pg_snapshot_xmin`). No row can come
before them any more, so their order (xid, id) is final. Rows that another server stamped (a
restored dump) are final as they are.

**What can fail.** A long transaction stalls the horizon: sealing waits, the alarm names it
(`lagging`). The server's identity changes, its transaction ids go back, or the anchor file knows
more than the log: the database was restored, and what came after the dump is lost. The log then
goes on in a new *epoch*, in new trees, and says what is missing (`epochs`); nothing is ever sealed
again over the gap. A sealer dies in a round: the round is one transaction, the next one repeats it.
"""
