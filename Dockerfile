# The image of web, worker, beat and migrate. The servers of docker-compose.yml come with images
# of their own; the embedded ones stay unused here.

FROM python:3.12-slim AS build
WORKDIR /build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 UV_COMPILE_BYTECODE=1 UV_LINK_MODE=copy
COPY requirements-install.txt requirements.txt ./
RUN python -m pip install --quiet --require-hashes -r requirements-install.txt \
 && uv venv --quiet --python /usr/local/bin/python /opt/venv \
 && uv pip install --quiet --require-hashes --python /opt/venv/bin/python -r requirements.txt

FROM python:3.12-slim
RUN python -m pip uninstall --quiet --yes --root-user-action ignore pip \
 && groupadd --gid 10001 hub \
 && useradd --uid 10001 --gid hub --no-create-home --home-dir /nonexistent \
      --shell /usr/sbin/nologin hub \
 && install --directory --owner hub --group hub --mode 700 \
      /data /data/keys /data/ledger /data/anchors
COPY --from=build /opt/venv /opt/venv
COPY . /app
WORKDIR /app
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    MEMORYHUB_DATA=/data \
    GRANIAN_HOST=0.0.0.0 \
    GRANIAN_PORT=8000 \
    GRANIAN_INTERFACE=wsgi \
    GRANIAN_WORKERS=2 \
    GRANIAN_BLOCKING_THREADS=16 \
    GRANIAN_BACKLOG=1024 \
    GRANIAN_RESPAWN_FAILED_WORKERS=true \
    GRANIAN_WORKERS_KILL_TIMEOUT=8
USER hub
# A volume takes owner and mode of the folder here; keys, ledger and anchors get one each.
VOLUME ["/data", "/data/keys", "/data/ledger", "/data/anchors"]
EXPOSE 8000
# 127.0.0.1 is among the default ALLOWED_HOSTS; a list of one's own must keep it.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["python", "docker/healthy.py", "web"]
CMD ["granian", "--no-ws", "memoryhub.wsgi:application"]
