"""The source distribution has the sources and nothing that was built."""

import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
MAKE = "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"


def test_source_distribution(tmp_path):
    subprocess.run([sys.executable, "-c", MAKE, str(tmp_path)], cwd=ROOT, check=True,
                   capture_output=True)
    (path,) = tmp_path.iterdir()
    assert path.stat().st_size < 3e6
    with tarfile.open(path) as archive:
        names = [name.partition("/")[2] for name in archive.getnames()]
    assert {"CMakeLists.txt", "README.md", "LICENSE", "python/generate.py",
            "python/mulberry/_estimator.py", "mulberry/learners/list.inc"} <= set(names)
    wrong = [n for n in names if n.startswith(("build", ".")) or n.endswith((".o", ".so", "_test.cpp"))]
    assert not wrong, wrong[:5]
