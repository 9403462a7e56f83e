"""Follows every link, picture and script of the site that leads to a file of it, down to the place in the page.

    python docs/site/check_links.py FOLDER
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The places of a page that can be linked to, and its links."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.places: set[str] = set()
        self.links: list[tuple[int, str]] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value is None:
                continue
            if name == "id" or (tag == "a" and name == "name"):
                self.places.add(value)
            if name in ("href", "src"):
                self.links.append((self.getpos()[0], value))


def main() -> int:
    folder = Path(sys.argv[1]).resolve()
    pages = {path: Page(path) for path in sorted(folder.rglob("*.html"))}
    followed, broken = 0, []
    if not pages:
        print(f"docs: expected pages in {folder}, found none")
        return 1
    for path, page in pages.items():
        for line, link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or link == "#":
                continue
            followed += 1
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            place = unquote(parts.fragment)
            found = target.exists() and (not place or target not in pages or place in pages[target].places)
            if not found:
                broken.append(f"{path.relative_to(folder)}:{line}: {link}")
    if followed == 0:
        broken.append(f"{folder}: expected links between {len(pages)} pages, found none")
    print("\n".join(broken) or f"docs: {followed} links in {len(pages)} pages lead somewhere")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
