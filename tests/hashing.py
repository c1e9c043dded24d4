"""Argon2 with little work: tests make hundreds of people, and no secret is theirs."""

from django.contrib.auth.hashers import Argon2PasswordHasher


class QuickArgon2PasswordHasher(Argon2PasswordHasher):
    """The same algorithm and encoding, at a cost nobody should use."""

    time_cost = 1
    memory_cost = 1024
    parallelism = 1
