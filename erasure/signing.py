"""What erasure signs: certificates and packages (`audit.documents` says how)."""

from __future__ import annotations

from audit.documents import as_text, is_genuine, sign_document

__all__ = ["CERTIFICATE", "PACKAGE", "as_text", "is_genuine", "sign_document"]

CERTIFICATE = "memoryhub/erasure-certificate"
PACKAGE = "memoryhub/access-package"
