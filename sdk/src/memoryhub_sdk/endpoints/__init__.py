"""Every endpoint, written once: a function that returns what to ask and how to read the answer.

`methods.py` turns these into methods of the clients, so signatures and docstrings are theirs too.
"""
