"""The WSGI application that granian serves."""

import gc
import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryhub.settings")

application = get_wsgi_application()

from conversations.warming import warm_in_background  # noqa: E402 - Django has to be set up
from tenants.processes import keep_reporting  # noqa: E402

keep_reporting("web")

# What is loaded by now stays: without this each full collection walks all of it, in the midst of a
# request (a quarter of a search went there). A request makes few circles of references.
gc.collect()
gc.freeze()
gc.set_threshold(20_000, 20, 20)

warm_in_background()
