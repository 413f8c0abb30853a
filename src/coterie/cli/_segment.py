"""`coterie segment`: from a photo to its segments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from coterie.cli import _console, _files
from coterie.cli._options import command, settings_of


@command
def segment(
    photo: Path,
    output: Path,
    segments: int = 8,
    settings: list[str] = [],  # noqa: B006 - typer copies it
    seed: int = 0,
    jobs: int = -1,
    outlines: Path | None = None,
    as_json: bool = False,
    quiet: bool = False,
) -> None:
    """Partition a photo into segments of similar colour and place.

    Example: [bold]coterie segment photo.jpg -o segments.png[/bold]

    Parameters
    ----------
    photo : PHOTO
        A picture: PNG, JPEG, TIFF or another format that Pillow reads.
    output : -o, --output FILE.png
        Where to write the segments, each in its mean colour; pixel values are segment
        numbers. The photo with outlines is written to FILE.outlines.png.
    segments : -k, --segments K
        Segments to find.
    outlines : FILE.png
        Another file for the photo with outlines.
    """
    outlines = outlines or output.with_suffix(".outlines.png")
    for path in (output, outlines):
        _files.check_output(path, photo, only=".png")
    files = _files.Outputs(output, as_json, quiet)
    with _console.work(files) as work:
        work.start("Reading")
        image = _read(photo)
        import numpy as np

        from coterie._display import count
        from coterie.applications import outlined, segment_image

        more = settings_of(settings, segment_image, "segment")
        work.start("Growing networks")
        found = segment_image(
            image,
            segments,
            random_state=seed,
            n_jobs=jobs,
            progress=work.step,
            **more,
        )
        _write(output, found.labels.astype(np.uint8), found.colors)
        _write(outlines, outlined(image, found.labels))
    shares = np.bincount(found.labels.ravel()) / found.labels.size
    height, width = found.labels.shape
    document = {
        "input": photo,
        "size": [width, height],
        "n_segments": found.n_segments,
        "shares": shares.round(4),
        "colors": found.colors,
        "output": output,
        "outlines": outlines,
    }

    def show(console: Any) -> None:
        rows, columns = found.work_shape
        console.print(
            f"{count(found.n_segments, 'segment')} of {photo} ({width} x {height} "
            f"pixels, clustered at {columns} x {rows}) in {work.seconds:.1f} s"
        )
        for number, (share, color) in enumerate(zip(shares, found.colors, strict=True)):
            name = "#" + color.tobytes().hex()
            console.print(f"{number:>4}  {100 * share:5.1f}%  [{name}]█████[/] {name}")
        console.print(f"written to {output} and {outlines}")

    work.tell("segment", files, document, show)


def _read(path: Path) -> Any:
    import numpy as np

    from coterie._validation import require

    pillow = require("PIL.Image")
    if not path.is_file():
        raise _files.no_file(path)
    try:
        with pillow.open(path) as picture:
            return np.asarray(picture.convert("RGB"))
    except pillow.UnidentifiedImageError:
        raise ValueError(
            f"{path} is not a picture that Pillow can read. For a table of samples, "
            "type `coterie cluster`."
        ) from None


def _write(path: Path, pixels: Any, palette: Any = None) -> None:
    from coterie._validation import require

    picture = require("PIL.Image").fromarray(pixels)
    if palette is not None:
        picture.putpalette(palette.tobytes())
    _files.write_atomically(path, lambda file: picture.save(file, format="PNG"))
