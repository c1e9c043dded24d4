"""Why a server could not be started, in words for the person at the keyboard."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

from memoryhub.errors import HubError

_SENTENCES = {
    errno.ENOSPC: "The disk that holds {path} is full. Free some space and start again; nothing "
    "that was acknowledged is lost.",
    errno.EDQUOT: "The disk quota for {path} is used up. Free some space and start again.",
    errno.EROFS: "{path} is on a read-only file system. Choose another folder: make run DATA=...",
    errno.EACCES: "{path} may not be written by this user. If another user (root, perhaps) started "
    "MemoryHub here before, start it as that user, or choose another folder: make run DATA=...",
    errno.EPERM: "{path} belongs to another user. Start MemoryHub as that user, or choose another "
    "folder: make run DATA=...",
    errno.ENOTDIR: "{path} is not a folder. Choose another one: make run DATA=...",
    errno.EEXIST: "{path} is not a folder. Choose another one: make run DATA=...",
    errno.ENAMETOOLONG: "{path} is too long a name. Choose another folder: make run DATA=...",
}


class StartFailure(HubError):
    """An embedded server could not be started; `detail` says what to do about it."""

    status: ClassVar[int] = 503
    code = "embedded_server"
    title = "An embedded server could not be started"


@contextmanager
def explaining(folder: Path) -> Iterator[None]:
    """Turns what the operating system refuses under `folder` into a `StartFailure`."""
    try:
        yield
    except OSError as error:
        path = error.filename or folder
        sentence = _SENTENCES.get(error.errno or 0)
        if sentence is None:
            raise StartFailure(f"{path}: {error.strerror or error}") from error
        raise StartFailure(sentence.format(path=path)) from error
