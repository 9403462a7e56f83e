"""Where the extension module and the libraries of a wheel look for others, and their defences.

tests/binaries_test.cpp does the same for the command and the shared library.
"""

import pathlib
import re
import shutil
import subprocess

import pytest

import mulberry

PACKAGE = pathlib.Path(mulberry.__file__).parent
# auditwheel puts the libraries of a wheel here.
LIBRARIES = PACKAGE.parent / "mulberry_ml.libs"

pytestmark = pytest.mark.skipif(shutil.which("readelf") is None, reason="needs readelf")


def module():
    return next(PACKAGE.glob("_core*.so"))


def readelf(options, path):
    return subprocess.run(["readelf", *options, str(path)], check=True, capture_output=True,
                          text=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}).stdout


@pytest.mark.parametrize("path", [module(), *sorted(LIBRARIES.glob("*.so*"))],
                         ids=lambda path: path.name)
def test_searches_no_folder_of_the_caller(path):
    for entries in re.findall(r"\((?:RPATH|RUNPATH)\)[^\[]*\[([^\]]*)\]", readelf(["-dW"], path)):
        for folder in entries.split(":"):
            assert folder.startswith(("/", "$ORIGIN")), f"{path.name} searches {folder!r}"


def test_wheel_searches_only_itself():
    """A wheel brings its libraries; what pip built here has those of the system."""
    found = re.findall(r"\((?:RPATH|RUNPATH)\)[^\[]*\[([^\]]*)\]", readelf(["-dW"], module()))
    if LIBRARIES.exists():
        assert found == ["$ORIGIN/../mulberry_ml.libs"]
    for folder in ":".join(found).split(":") if found and not LIBRARIES.exists() else []:
        assert folder.startswith(("/usr/", "/lib")), f"searches {folder}, which is none of the system"


@pytest.mark.parametrize("path", [module(), *sorted(LIBRARIES.glob("*.so*"))],
                         ids=lambda path: path.name)
def test_is_linked_read_only(path):
    """The libraries of a wheel come from the system that built it, which binds some of them late."""
    dynamic, segments = readelf(["-dW"], path), readelf(["-lW"], path)
    if path == module():
        assert re.search(r"BIND_NOW|Flags:.*\bNOW\b", dynamic)
    assert "GNU_RELRO" in segments
    assert re.search(r"GNU_STACK.* RW +0x", segments)
    assert "TEXTREL" not in dynamic


def test_is_hardened():
    symbols = readelf(["--dyn-syms", "-W"], module())
    assert "__stack_chk_fail" in symbols
    assert re.search(r"__\w+_chk\b", symbols)  # _FORTIFY_SOURCE
    assert "__glibcxx_assert_fail" in symbols  # checked containers
