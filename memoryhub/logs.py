"""Structured logs: JSON lines that name the request, the tenant and the actor; never content."""

from __future__ import annotations

import logging.config
from typing import Any

import structlog
from structlog.typing import EventDict, WrappedLogger

from tenants.context import actor_or_none, current_origin


def name_who_acts(logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
    """Asked for as a line is written: most requests write none."""
    actor, request_id = actor_or_none(), current_origin().request_id
    if request_id:
        event.setdefault("request_id", request_id)
    if actor is not None:
        event.setdefault("tenant_id", str(actor.tenant_id))
        event.setdefault("actor", f"{actor.kind}:{actor.id}")
    return event


_SHARED: list[Any] = [
    name_who_acts,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]


def configure_logging(options: dict[str, Any]) -> None:
    """Django's LOGGING_CONFIG: standard library and structlog end in the same formatter."""
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {
                "json": {
                    "()": structlog.stdlib.ProcessorFormatter,
                    "foreign_pre_chain": _SHARED,
                    "processors": [
                        structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                        structlog.processors.format_exc_info,
                        structlog.processors.JSONRenderer(ensure_ascii=False),
                    ],
                }
            },
            "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
            "root": {"handlers": ["stderr"], "level": options.get("level", "INFO")},
            "loggers": {
                "django.request": {"level": "ERROR"},  # 4xx are answers, not faults
                "django.security": {"level": "ERROR"},
                "celery.app.trace": {"level": "WARNING"},  # a line a second
                "celery.worker.strategy": {"level": "WARNING"},
                "celery.beat": {"level": "WARNING"},
                "httpx": {"level": "WARNING"},
                "openai": {"level": "WARNING"},
            },
        }
    )
    structlog.configure(
        processors=[*_SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
