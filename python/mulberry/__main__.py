"""``python -m mulberry convert IN OUT``: between Parquet, Arrow and the formats of the command line.

``mulberry convert`` does the same for the formats that it knows; Parquet and Arrow files need this
package and pyarrow (``pip install mulberry-ml[arrow]``).
"""

from __future__ import annotations

import argparse
import re
import sys
from typing import Any

from . import datasets


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m mulberry", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    convert = verbs.add_parser("convert", help="write data in another format",
                               description="Formats follow the names: .parquet, .feather, .arrow, "
                               ".npz, .csv, .tsv, .arff, .jsonl, .svm")
    convert.add_argument("data", metavar="IN")
    convert.add_argument("output", metavar="OUT")
    convert.add_argument("--label-count", type=int)
    for name in ("label-xml", "label-prefix", "label-pattern", "label-list", "label-separator", "id",
                 "weight-column", "format"):
        convert.add_argument("--" + name)
    for name in ("label-columns", "label-sets", "ignore", "text", "na"):
        convert.add_argument("--" + name, type=lambda text: text.split(","), metavar="A,B")
    convert.add_argument("--keep-missing", action="store_true",
                         help="missing features become NaN instead of an error")
    return parser


def main(arguments: list[str] | None = None) -> int:
    given: dict[str, Any] = vars(_parser().parse_args(arguments))
    given.pop("verb")
    data, output = given.pop("data"), given.pop("output")
    options = {name: value for name, value in given.items() if value not in (None, False)}
    try:
        datasets.convert(data, output, **options)
    except (OSError, ValueError, ImportError) as error:
        # Options as they are typed here.
        text = re.sub(r"\blabel_\w+", lambda found: "--" + found[0].replace("_", "-"), str(error))
        print(f"error: {text}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
