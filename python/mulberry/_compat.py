"""The differences between the releases of scikit-learn that we support."""

from __future__ import annotations

from typing import Any

try:
    from sklearn.utils.validation import validate_data
except ImportError:  # before 1.6

    def validate_data(estimator: Any, X: Any, *, reset: bool, ensure_all_finite: Any = True,
                      **options: Any) -> Any:
        options["force_all_finite"] = ensure_all_finite
        return estimator._validate_data(X, reset=reset, **options)


__all__ = ["validate_data"]
