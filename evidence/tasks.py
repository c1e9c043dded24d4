"""Kinds of jobs that a worker must know."""

from __future__ import annotations

from evidence import exporting  # noqa: F401 - its kind of job
from evidence.report import writing  # noqa: F401 - its kind of job
