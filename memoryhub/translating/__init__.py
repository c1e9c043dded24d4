"""Catalogues of texts without GNU gettext: collected, read, written and compiled in Python.

A fresh machine has neither xgettext nor msgfmt, and `make run` needs none: the compiled catalogue
is committed beside its source, and a test compares the two. `manage.py translate` collects what the
pages say, adds what is new to the .po and compiles it. The format is gettext's, so that translators
may use their own tools.
"""
