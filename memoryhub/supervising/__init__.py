"""`manage.py up`: one process that starts everything, keeps it running and ends it cleanly."""

from memoryhub.supervising.supervisor import Options, Supervisor

__all__ = ["Options", "Supervisor"]
