"""Seeds of the library from scikit-learn's random_state."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state


def seed_of(random_state: Any) -> int:
    """An integer is used as the seed, so that it means the same as `--seed`."""
    if isinstance(random_state, (int, np.integer)):
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
