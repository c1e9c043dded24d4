"""The store's hot statements, written as SQL: parameterised, the tenant always named as a value.

Django's ORM would take five statements where these take one; see docs/adr/0007-written-sql.md.
Text of a statement comes from the constants of this room only, never from a request.
"""
