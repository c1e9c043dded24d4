"""All settings, from the environment. Without DATABASE_URL and REDIS_URL: the embedded servers."""

from __future__ import annotations

import warnings
from pathlib import Path

from environs import Env

from memoryhub import embedded
from sealing.ring import KeyRing

BASE_DIR = Path(__file__).resolve().parent.parent
env = Env()
env.read_env(str(BASE_DIR / ".env"), recurse=False)

# Where things lie -------------------------------------------------------------------------------

DATA_DIR = Path(env.str("MEMORYHUB_DATA", "") or BASE_DIR / ".data").resolve()
DATABASE_URL = env.str("DATABASE_URL", "")
DATABASE_OWNER_URL = env.str("DATABASE_OWNER_URL", DATABASE_URL)
REDIS_URL = env.str("REDIS_URL", "")
EMBEDDED_SERVERS = [
    name for name, url in (("postgres", DATABASE_URL), ("valkey", REDIS_URL)) if not url
]
if EMBEDDED_SERVERS:
    _endpoints = embedded.locate(DATA_DIR)
    REDIS_URL = REDIS_URL or _endpoints.redis_url
    if not DATABASE_URL:
        DATABASE_URL, DATABASE_OWNER_URL = _endpoints.database_url, _endpoints.owner_url

MEMORYHUB_KEYS = env.str("MEMORYHUB_KEYS", str(DATA_DIR / "keys"))
MEMORYHUB_ROOT_KEY = env.str("MEMORYHUB_ROOT_KEY", "")
MEMORYHUB_LEDGER = env.str("MEMORYHUB_LEDGER", "") or str(DATA_DIR / "ledger" / "erasures.jsonl")
MEMORYHUB_ROOT_KEY_PREVIOUS = env.str("MEMORYHUB_ROOT_KEY_PREVIOUS", "")
MEMORYHUB_ANCHORS = env.str("MEMORYHUB_ANCHORS", str(DATA_DIR / "anchors" / "audit.jsonl"))

# Databases: the application is never the owner ----------------------------------------------------

_pool = {
    "min_size": env.int("DATABASE_POOL_MIN", 1),
    "max_size": env.int("DATABASE_POOL_MAX", 24),
    "timeout": env.float("DATABASE_POOL_TIMEOUT", 5.0),
}
_app = embedded.django_database(DATABASE_URL)
_owner = embedded.django_database(DATABASE_OWNER_URL)
DATABASES = {
    # every request, job and command; NOSUPERUSER, NOBYPASSRLS, owns nothing
    "default": {
        **_app,
        "ENGINE": "tenants.backend",
        "OPTIONS": {
            **_app.get("OPTIONS", {}),
            "pool": _pool,
            "server_side_binding": True,  # equal texts, so they are prepared
            "prepare_threshold": env.int("DATABASE_PREPARE_AFTER", 4) or None,
        },
    },
    # migrations only
    "owner": {
        **_owner,
        "ENGINE": "tenants.backend",
        "OPTIONS": {**_owner.get("OPTIONS", {}), "hub_acts": False},
    },
}
DATABASE_ROUTERS: list[str] = []
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
MEMORY_PARTITIONS = env.int("MEMORY_PARTITIONS", 16)

# Django -------------------------------------------------------------------------------------------

DEBUG = env.bool("DEBUG", False)
SECRET_KEY = (
    env.str("SECRET_KEY", "")
    or KeyRing(
        Path(MEMORYHUB_KEYS), MEMORYHUB_ROOT_KEY or None, MEMORYHUB_ROOT_KEY_PREVIOUS or None
    )
    .derive("django-secret-key")
    .hex()
)
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", ["localhost", "127.0.0.1", "[::1]"])
CSRF_FAILURE_VIEW = "memoryhub.failing.csrf_failure"
CSRF_TRUSTED_ORIGINS: list[str] = env.list("CSRF_TRUSTED_ORIGINS", [])
BEHIND_TLS = env.bool("BEHIND_TLS", False)

INSTALLED_APPS = [
    "tenants",
    "audit",
    "privacy",
    "policies",
    "memories",
    "conversations",
    "erasure",
    "evidence",
    "memoryhub",
    "dashboard",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.postgres",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "django_htmx",
    "template_partials",
    "django_linear_migrations",
    "auditlog",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
]

MIDDLEWARE = [
    "tenants.access.requests.RequestFacts",
    "erasure.gating.Gating",  # nobody is answered before a restore was erased again
    "memoryhub.guarding.Guarding",
    "memoryhub.for_people.ForPeople",  # sessions, CSRF and the like
    "tenants.access.middleware.Acting",
    "allauth.account.middleware.AccountMiddleware",
]

ROOT_URLCONF = "memoryhub.urls"
WSGI_APPLICATION = "memoryhub.wsgi.application"
APPEND_SLASH = False

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "dashboard.shell.shell",
            ]
        },
    }
]

AUTH_USER_MODEL = "tenants.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
]

# Signing in (django-allauth): by invitation, with e-mail and password, then a code where enrolled

LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "overview"
ACCOUNT_ADAPTER = "tenants.access.signing_in.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]  # of allauth's checks; nobody can sign up
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_EMAIL_NOTIFICATIONS = False
ACCOUNT_LOGOUT_ON_PASSWORD_CHANGE = True
ACCOUNT_LOGOUT_REDIRECT_URL = "account_login"
ACCOUNT_SESSION_REMEMBER = None  # the box on the page decides
ACCOUNT_RATE_LIMITS = {"login": "30/m/ip", "login_failed": "20/m/ip,5/5m/key"}
ACCOUNT_REAUTHENTICATION_TIMEOUT = 300
MFA_ADAPTER = "tenants.access.second_factor.FactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "MemoryHub"
MFA_TOTP_TOLERANCE = 1

SESSION_ENGINE = "django.contrib.sessions.backends.cache"
SESSION_COOKIE_AGE = 12 * 3600
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = BEHIND_TLS
SESSION_COOKIE_HTTPONLY = True
SECURE_SSL_REDIRECT = env.bool("SECURE_SSL_REDIRECT", False)
SECURE_HSTS_SECONDS = 31_536_000 if BEHIND_TLS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = BEHIND_TLS
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
if BEHIND_TLS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "/static/"
STATIC_ROOT = BASE_DIR / "staticfiles"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True  # without collectstatic files come from their apps
warnings.filterwarnings("ignore", message="No directory at", module="whitenoise|memoryhub")

CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        "OPTIONS": {"socket_timeout": 1.0, "socket_connect_timeout": 0.3},
    }
}

# Limits of the API (API.md) -----------------------------------------------------------------------

MAX_BODY_BYTES = env.int("MAX_BODY_BYTES", 8 * 1024 * 1024)
MAX_BATCH_BYTES = env.int("MAX_BATCH_BYTES", 32 * 1024 * 1024)
MAX_BATCH_OPS = env.int("MAX_BATCH_OPS", 20_000)
MAX_VALUE_BYTES = env.int("MAX_VALUE_BYTES", 1024 * 1024)
MAX_RESPONSE_BYTES = env.int("MAX_RESPONSE_BYTES", 64 * 1024 * 1024)
DATA_UPLOAD_MAX_MEMORY_SIZE = None  # the JSON edge has its own limits, with our error shape
METRICS_NETWORKS: list[str] = env.list("METRICS_NETWORKS", ["127.0.0.0/8", "::1/128"])
TRUSTED_PROXIES: list[str] = env.list("TRUSTED_PROXIES", [])

# API ----------------------------------------------------------------------------------------------

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    # for the schema: bodies are read by api.parsing and written by api.rendering
    "DEFAULT_PARSER_CLASSES": ["api.parsing.StrictJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "api.problems.answer_problem",
    "UNAUTHENTICATED_USER": None,
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "MemoryHub",
    "DESCRIPTION": "Long-term memory for AI agents, governed. See docs/api.md.",
    "VERSION": "0.1.0",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "COMPONENT_SPLIT_REQUEST": True,
    "APPEND_COMPONENTS": {
        "securitySchemes": {
            "bearer": {"type": "http", "scheme": "bearer"},
            "apiKey": {"type": "apiKey", "in": "header", "name": "X-Api-Key"},
        }
    },
    "SECURITY": [{"bearer": []}, {"apiKey": []}],
    "ENUM_NAME_OVERRIDES": {
        "EventOutcome": ["success", "denied", "failed"],
        "PutOutcome": ["created", "updated", "unchanged", "merged"],
        "JobState": ["queued", "running", "done", "failed", "cancelled"],
        "RuleSetState": ["draft", "simulated", "approved", "active", "superseded"],
        "SweepState": ["running", "done", "failed"],
        "MemoryTier": ["long", "short"],
        "SubjectRequestKind": ["access", "erasure", "restriction"],
        "MemoryState": [
            "ACTIVE",
            "ARCHIVED",
            "TRASH",
            "RETAINED",
            "RESTRICTED",
            "IN_REVIEW",
            "QUARANTINED",
            "HELD",
            "PURGED",
        ],
    },
}

# Audit --------------------------------------------------------------------------------------------

AUDITLOG_LOGENTRY_MODEL = "audit.Event"
AUDITLOG_DISABLE_REMOTE_ADDR = True

# Personal data ------------------------------------------------------------------------------------

PII_DETECTORS: list[str] = env.list("PII_DETECTORS", [])  # dotted names; privacy.detecting.Detector
REVEALS_PER_HOUR = env.int("REVEALS_PER_HOUR", 20)
FINDS_PER_HOUR = env.int("FINDS_PER_HOUR", 120)
PII_SCAN_SECONDS = env.float("PII_SCAN_SECONDS", 5.0)
PII_SCAN_CHUNK = env.int("PII_SCAN_CHUNK", 200)

# Embedding ----------------------------------------------------------------------------------------

EMBEDDING_PROVIDER = env.str("EMBEDDING_PROVIDER", "local")  # local | openai | none
EMBEDDING_MODEL = env.str("EMBEDDING_MODEL", "")
EMBEDDING_BASE_URL = env.str("EMBEDDING_BASE_URL", "")
EMBEDDING_API_KEY = env.str("EMBEDDING_API_KEY", "")
EMBEDDING_DIMENSIONS = env.int("EMBEDDING_DIMENSIONS", 0)
EMBEDDING_DISTANCE = env.str("EMBEDDING_DISTANCE", "cosine")  # cosine | ip | l2
EMBEDDING_QUERY_PREFIX = env.str("EMBEDDING_QUERY_PREFIX", "")
EMBEDDING_PASSAGE_PREFIX = env.str("EMBEDDING_PASSAGE_PREFIX", "")
EMBEDDING_TIMEOUT = env.float("EMBEDDING_TIMEOUT", 10.0)

# Extraction of facts: by an LLM where a model is named, else by rules -----------------------------

LLM_MODEL = env.str("LLM_MODEL", "")
LLM_BASE_URL = env.str("LLM_BASE_URL", "")
LLM_API_KEY = env.str("LLM_API_KEY", "")
LLM_TIMEOUT = env.float("LLM_TIMEOUT", 20.0)
CONVERSATIONS_SCAN_SECONDS = env.float("CONVERSATIONS_SCAN_SECONDS", 2.0)

# Conversations ------------------------------------------------------------------------------------

SHORT_TERM_MINUTES = env.float("SHORT_TERM_MINUTES", 60.0)  # from the last access

# Jobs ---------------------------------------------------------------------------------------------

CELERY_BROKER_URL = embedded.celery_url(REDIS_URL)
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_PUBLISH_RETRY = False  # messages are hints; beat's scans are the truth
CELERY_BROKER_TRANSPORT_OPTIONS = {"socket_timeout": 0.3, "socket_connect_timeout": 0.3}
CELERY_TASK_DEFAULT_QUEUE = "hub"
CELERY_TIMEZONE = "UTC"
WORKER_NICENESS = env.int("WORKER_NICENESS", 5)  # requests come before background work
EMBED_SCAN_SECONDS = env.float("EMBED_SCAN_SECONDS", 2.0)
SEAL_SCAN_SECONDS = env.float("SEAL_SCAN_SECONDS", 1.0)
SEAL_BATCH = env.int("SEAL_BATCH", 2000)
SEAL_LAG_SECONDS = env.float("SEAL_LAG_SECONDS", 30.0)  # later than this is an alarm
ANCHOR_SECONDS = env.float("ANCHOR_SECONDS", 60.0)
SWEEP_SCAN_SECONDS = env.float("SWEEP_SCAN_SECONDS", 1.0)
SWEEP_CHUNK = env.int("SWEEP_CHUNK", 2000)
SWEEP_DEFAULT_MINUTES = env.float("SWEEP_DEFAULT_MINUTES", 1.0)

# Logs: structured, one line each, never content ---------------------------------------------------

LOG_LEVEL = env.str("LOG_LEVEL", "INFO")
LOGGING_CONFIG = "memoryhub.logs.configure_logging"
LOGGING = {"level": LOG_LEVEL}
SILENCED_SYSTEM_CHECKS = [
    # SecurityMiddleware and CsrfViewMiddleware are there, in memoryhub.for_people, which the checks
    # do not see through; X-Frame-Options is set by memoryhub.guarding with the rest of the policy.
    "security.W001",
    "security.W002",
    "security.W003",
]
