"""How the documentation is built: ``make docs``."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))
os.environ.setdefault("MPLBACKEND", "Agg")

from coterie import __version__  # noqa: E402

project = "coterie"
author = "The coterie developers"
copyright = author
version = release = __version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.extlinks",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "api_pages",
    "mathml",
    "repository_pages",
    "warm_up",
]
exclude_patterns = ["_build", "_ext", "**/README.md"]
highlight_language = "none"
smartquotes = False  # types and defaults are code

myst_enable_extensions = ["attrs_block", "attrs_inline", "colon_fence", "dollarmath"]
myst_heading_anchors = 3

autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
extlinks = {"doi": ("https://doi.org/%s", "doi:%s")}
nitpick_ignore_regex = [("py:.*", r"(sklearn|scipy|numpy|pandas|anndata|scanpy)\..*")]

sphinx_gallery_conf = {
    "examples_dirs": ["../examples"],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"\.py$",
    "within_subsection_order": "gallery_order.Order",
    "backreferences_dir": "gallery/backreferences",
    "doc_module": ("coterie",),
    "reference_url": {"coterie": None},
    "download_all_examples": False,
    "show_signature": False,
    "show_memory": False,
    "min_reported_time": 15,
    "matplotlib_animations": False,
    "abort_on_example_error": True,
    "image_scrapers": ("matplotlib",),
    "thumbnail_size": (480, 320),
}

html_theme = "pydata_sphinx_theme"
html_title = "coterie"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_logo = "_static/logo.svg"
html_favicon = "_static/logo.svg"
html_math_renderer = "mathml"
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "coterie"},
    "header_links_before_dropdown": 6,
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
# pages that would show an empty navigation
html_sidebars = {page: [] for page in ("index", "start", "which", "ideas")}
