"""``python -m mulberry convert IN OUT``: between Parquet, Arrow and the formats of the command line.

``mulberry convert`` does the same for the formats that it knows; Parquet and Arrow files need this
package and pyarrow (``pip install mulberry-ml[arrow]``).
"""

from __future__ import annotations

import argparse
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
        found = datasets.load(data, sparse_labels=True, labels_optional=True, **options)
        if found.Y is None:
            raise ValueError("expected an option that says which columns are labels, found none: "
                             "name them with one of --label-columns, --label-prefix, --label-count, "
                             "--label-pattern, --label-list, --label-sets or --label-xml")
        datasets.save_dataset(output, found)
    except (OSError, ValueError, ImportError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
