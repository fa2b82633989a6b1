"""Measures the product beside a floor or a peer, in the same run; see docs/internals/benchmarks.md."""
