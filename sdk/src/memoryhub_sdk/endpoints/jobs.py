"""Work that goes on in the background."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from memoryhub_sdk.calling import Call, Flow, Retries, Sleep, request
from memoryhub_sdk.endpoints.reading import quoted, reading
from memoryhub_sdk.errors import JobFailed, TimedOut
from memoryhub_sdk.models import (
    Job,
)


def get_job(job_id: str) -> Call[Job]:
    """How far it is."""
    return Call(request("GET", f"/jobs/{quoted(job_id)}"), reading(Job))


def cancel_job(job_id: str) -> Call[Job]:
    """Ask it to stop."""
    return Call(request("POST", f"/jobs/{quoted(job_id)}/cancel", body={}), reading(Job))


def read_job_file(job_id: str) -> Call[bytes]:
    """The file that it made."""
    return Call(request("GET", f"/jobs/{quoted(job_id)}/file"), lambda reply: reply.body)


@dataclass(frozen=True, slots=True)
class Waiting:
    """Asks for a job until it is over."""

    job_id: str
    timeout: float | None
    poll_every: float
    on_progress: Callable[[Job], object] | None

    def flow(self, retries: Retries) -> Flow[Job]:
        """Ask, tell, sleep; `JobFailed` when it did not end well, `TimedOut` when too late."""
        deadline = None if self.timeout is None else time.monotonic() + self.timeout
        told = None
        while True:
            job = yield from get_job(self.job_id).flow(retries)
            if self.on_progress and job != told:
                self.on_progress(job)
                told = job
            if job.is_over:
                if job.state == "done":
                    return job
                sentence = f"The job {job.id} is {job.state}: {job.error}"
                raise JobFailed(sentence, code="job_failed", facts={"job": job})
            if deadline is not None and time.monotonic() + self.poll_every > deadline:
                raise TimedOut(f"The job {job.id} is still {job.state}", code="timed_out")
            yield Sleep(self.poll_every)


def wait_for_job(
    job_id: str,
    *,
    timeout: float | None = None,
    poll_every: float = 1.0,
    on_progress: Callable[[Job], object] | None = None,
) -> Waiting:
    """Wait until a job is done and return it; `on_progress` hears of every change.

    `JobFailed` when it failed or was cancelled, `TimedOut` after `timeout` seconds (the job goes
    on all the same).
    """
    return Waiting(job_id, timeout, poll_every, on_progress)
