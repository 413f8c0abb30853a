"""The file of a report, which a notebook shows below the cell."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from coterie._html import tag

if TYPE_CHECKING:
    _Path = Path
else:
    _Path = type(Path())  # before Python 3.12, Path itself has no subclasses

MOST_BYTES = 3_000_000  # of a report inside a notebook
_HEIGHT = 720
# Scripts draw the page, which asks for nothing from the network and cannot see the
# notebook: it has an origin of its own.
_ALLOWED = "allow-scripts allow-downloads allow-modals allow-popups"


class ReportFile(_Path):
    """A path that shows the page behind it in a notebook.

    Reports above 3 MB are only named, as a notebook would keep a copy of the page.
    """

    def _repr_html_(self) -> str | None:
        try:
            n_bytes = self.stat().st_size
            text = self.read_text(encoding="utf-8") if n_bytes <= MOST_BYTES else None
        except (OSError, UnicodeDecodeError):  # moved, or the path of a folder
            return None
        link = tag("a", str(self), href=self.as_posix(), target="_blank")
        if text is None:
            return tag(
                "p",
                f"The report has {n_bytes / 1e6:.1f} MB, and reports above "
                f"{MOST_BYTES / 1e6:.0f} MB are not shown here. Open the file: ",
                link,
            )
        frame = tag(
            "iframe",
            srcdoc=text,
            sandbox=_ALLOWED,
            title="Report",
            width="100%",
            height=_HEIGHT,
            style="border:1px solid rgba(128,128,128,.4);border-radius:8px",
        )
        return tag("div", frame, tag("p", "The same as a file: ", link))
