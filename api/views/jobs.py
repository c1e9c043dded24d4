"""Work in the background: how far it is, stop it, the file it made."""

from __future__ import annotations

from uuid import UUID

from django.http import FileResponse
from rest_framework.request import Request

from api.base import HubView
from api.openapi import jobs as shapes
from api.rendering import Response
from audit.jobs import cancel_job, find_job, present_job, require_file
from audit.models import Job


class JobView(HubView):
    """One job."""

    @shapes.get_job
    def get(self, request: Request, job_id: UUID) -> Response:
        return Response(present_job(find_job(job_id)))


class JobCancelView(HubView):
    """Ask a job to stop."""

    @shapes.cancel_job
    def post(self, request: Request, job_id: UUID) -> Response:
        return Response(present_job(cancel_job(job_id)))


class JobFileView(HubView):
    """The file that a job made."""

    @shapes.get_job_file
    def get(self, request: Request, job_id: UUID) -> FileResponse:
        found = require_file(job_id)
        return FileResponse(
            found.path.open("rb"),
            as_attachment=True,
            filename=found.name,
            content_type=found.media_type,
        )


def accepted(job: Job) -> Response:
    """202 with the job and where it is."""
    return Response(present_job(job), status=202, headers={"Location": f"/api/v1/jobs/{job.id}"})
