"""What Prometheus reads at `/metrics`.

Owns names and labels. Must not know when things happen: whoever does a thing counts it.
"""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800)


class Metrics:
    """The counters of one server."""

    def __init__(self) -> None:
        registry = CollectorRegistry()
        self._registry = registry
        self.runs = Counter("udf_runs", "Finished runs", ["kind", "status"], registry=registry)
        self.duration = Histogram(
            "udf_run_duration_seconds",
            "From start to end of a run",
            ["kind"],
            buckets=_BUCKETS,
            registry=registry,
        )
        self.queue = Gauge("udf_queue_depth", "Runs that wait for a worker", registry=registry)
        self.device_seconds = Counter(
            "udf_device_seconds", "Time on the device", ["device"], registry=registry
        )
        self.denied = Counter(
            "udf_denied", "What a gate denied, or the scopes of a key", ["gate"], registry=registry
        )
        self.kills = Counter(
            "udf_sandbox_kills", "Workers stopped, by the limit that fired", ["reason"], registry=registry
        )
        self.quarantined = Counter(
            "udf_quarantined", "Kernels put into quarantine", ["reason"], registry=registry
        )
        self.restarts = Gauge("udf_device_restarts", "Restarts of the device process", registry=registry)
        self.device_bytes = Gauge(
            "udf_device_bytes", "Bytes that tensors hold on the device", registry=registry
        )

    def text(self) -> bytes:
        """Everything in Prometheus' text format."""
        return generate_latest(self._registry)
