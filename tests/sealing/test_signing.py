"""Signed notes: what this installation signed is recognised, and nothing else is."""

from __future__ import annotations

import pytest

from sealing.ring import KeyRing, ring
from sealing.rotating import rotate_root
from sealing.signing import PublicKey, SignatureRefused, open_note, public_key, sign_note

TEXT = "memoryhub/log/1\n42\nAAAA\n"


def test_a_note_opens_to_the_text_that_was_signed(keys: KeyRing) -> None:
    note = sign_note(TEXT)
    assert open_note(note) == TEXT
    assert note.startswith(TEXT + "\n— memoryhub ")


def test_any_changed_letter_is_refused(keys: KeyRing) -> None:
    note = sign_note(TEXT)
    for place in range(len(note) - 1):
        changed = note[:place] + chr(ord(note[place]) ^ 1) + note[place + 1 :]
        with pytest.raises(SignatureRefused):
            open_note(changed)


def test_another_installation_is_refused(keys: KeyRing, tmp_path) -> None:
    raw = bytes(32)
    with pytest.raises(SignatureRefused):
        open_note(sign_note(TEXT), PublicKey(raw))


def test_the_key_outlives_a_rotation_of_the_root(keys: KeyRing) -> None:
    note, before = sign_note(TEXT), public_key()
    for _ in rotate_root():
        pass
    ring().forget()
    assert public_key() == before
    assert KeyRing(keys.directory).derive("sign-notes") == keys.derive("sign-notes")
    assert open_note(note) == TEXT


@pytest.mark.parametrize("text", ["", "a", "a\n\nb\n", "\na\n"])
def test_what_could_be_read_in_two_ways_is_not_signed(keys: KeyRing, text: str) -> None:
    with pytest.raises(ValueError, match="a note is lines"):
        sign_note(text)
