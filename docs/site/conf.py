"""The site: how Sphinx reads the pages that stage.py has put together."""

import posixpath
import re
import sys
import warnings
from pathlib import Path

import mulberry

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs/site"))

project = "Mulberry"
author = "The authors of Mulberry"
copyright = author
release = version = mulberry.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode",
              "sphinx_copybutton", "sphinx_gallery.gen_gallery"]
exclude_patterns = ["gallery/*.ipynb", "gallery/*.py", "**/*.py.md5"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
default_role = "code"
templates_path: list[str] = []
html_theme = "furo"
html_title = f"Mulberry {release}"
html_static_path = ["style"]
html_css_files = ["site.css"]
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#6b2d73", "color-brand-content": "#6b2d73"},
    "dark_css_variables": {"color-brand-primary": "#d39bdb", "color-brand-content": "#d39bdb"},
}
html_copy_source = False
html_show_sphinx = False
# The summaries of search results are fetched, which browsers refuse to a site that is opened from a folder.
html_show_search_summary = False

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
# Blocks of commands with their output have no language of which Pygments would approve.
suppress_warnings = ["misc.highlighting_failure", "config.cache"]

autodoc_default_options = {"members": True, "inherited-members": True, "show-inheritance": False}
autodoc_member_order = "bysource"
autodoc_typehints = "none"
napoleon_google_docstring = False
napoleon_use_rtype = False

sphinx_gallery_conf = {
    "examples_dirs": str(ROOT / "examples/gallery"),
    "gallery_dirs": "gallery",
    "within_subsection_order": "gallery_order.key",
    "download_all_examples": False,
    "show_signature": False,
    "show_memory": False,
    "plot_gallery": True,
    "abort_on_example_error": True,
    "copyfile_regex": r".*\.rst",
    "image_scrapers": ("matplotlib",),
    "min_reported_time": 10**6,
}
warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive")


def is_field(app, what, name, obj, skip, options):
    """Fields of named tuples are described by their class; pages of their own would share a name."""
    return True if type(obj).__name__ == "_tuplegetter" else None


def links_of_files(app, docname, source):
    """Links to headers and folders of the repository lead to the pages about them."""
    folder = posixpath.dirname(docname)

    def site(match):
        text, target = match.groups()
        place = posixpath.normpath(posixpath.join(folder, target))
        page = None
        if place == "include/mulberry":
            page = "cpp/index.md"
        elif place.startswith("include/mulberry/"):
            page = "cpp/" + posixpath.basename(place) + ".md"
        elif place == "docs/adr":
            page = "adr.md"
        elif place == "examples/cpp":
            page = "docs/cpp.md"
        elif place.startswith("examples/commands/"):
            page = "commands.md"
        if page is None:
            return match.group(0)
        return f"[{text}]({posixpath.relpath(page, folder or '.')})"

    source[0] = re.sub(r"\[([^\]\n]*)\]\(([^)#:\s]+)\)", site, source[0])


def setup(app):
    app.connect("source-read", links_of_files)
    app.connect("autodoc-skip-member", is_field)
