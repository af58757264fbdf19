"""An S3 server whose bucket `shelf` has many small objects from the begin; runs in the environment that has moto."""

import sys

from moto.s3.models import s3_backends  # pyright: ignore[reportMissingImports]
from moto.server import DomainDispatcherApplication, create_backend_app  # pyright: ignore[reportMissingImports]
from werkzeug.serving import run_simple

if __name__ == "__main__":
    num_keys = int(sys.argv[1])
    backend = s3_backends["123456789012"]["aws"]
    backend.create_bucket("shelf", "us-east-1")
    for number in range(num_keys):
        backend.put_object("shelf", f"papers/{number // 100:04}/{number:06}.pdf", b"x")
    run_simple("127.0.0.1", 0, DomainDispatcherApplication(create_backend_app), threaded=True)
