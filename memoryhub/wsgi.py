"""The WSGI application that granian serves."""

import gc
import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryhub.settings")

application = get_wsgi_application()

from django.core.cache import close_caches  # noqa: E402 - Django has to be set up
from django.core.signals import request_finished, request_started  # noqa: E402
from django.db import close_old_connections, reset_queries  # noqa: E402
from django.urls import resolve  # noqa: E402

from conversations.warming import warm_in_background  # noqa: E402
from tenants.processes import keep_reporting  # noqa: E402

keep_reporting("web")

# What Django does around each request for others than us: a request of ours gives its connection
# back as it ends, so the next begins with none; no query is logged; Redis closes nothing.
request_started.disconnect(close_old_connections)
request_started.disconnect(reset_queries)
request_finished.disconnect(close_caches)

resolve("/healthz")  # loads all addresses, and so all views

# What is loaded by now stays: without this each full collection walks all of it, in the midst of a
# request (a quarter of a search went there). A request makes few circles of references.
gc.collect()
gc.freeze()
gc.set_threshold(20_000, 20, 20)

warm_in_background()
