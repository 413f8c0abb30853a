"""`coterie segment`: from a photo to its segments."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from coterie.cli import _console, _files
from coterie.cli._options import command
from coterie.cli._settings import check_settings, parse_settings


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
        Where to write the segments, each in its mean colour; the value of a pixel in
        the file is the number of its segment. The photo with outlines goes beside it,
        to FILE.outlines.png.
    segments : -k, --segments K
        Segments to find.
    outlines : FILE.png
        Another place for the photo with outlines.
    """
    start = time.perf_counter()
    outlines = output.with_suffix(".outlines.png") if outlines is None else outlines
    for path in (output, outlines):
        _files.check_output(path, photo, only=".png")
    with _console.stages(not (quiet or as_json)) as stages:
        stages.start("Reading")
        image = _read(photo)
        import numpy as np

        from coterie._display import count
        from coterie.applications import outlined, segment_image

        more = parse_settings(settings)
        check_settings(more, segment_image, "segment")
        stages.start("Growing networks")
        found = segment_image(
            image,
            segments,
            random_state=seed,
            n_jobs=jobs,
            progress=stages.step,
            **more,
        )
        _write(output, found.labels.astype(np.uint8), found.colors)
        _write(outlines, outlined(image, found.labels))
    seconds = time.perf_counter() - start
    shares = np.bincount(found.labels.ravel()) / found.labels.size
    height, width = found.labels.shape
    if as_json:
        _console.write_json(
            "segment",
            input=str(photo),
            size=[width, height],
            n_segments=found.n_segments,
            shares=shares.round(4),
            colors=found.colors,
            output=str(output),
            outlines=str(outlines),
            seconds=round(seconds, 3),
        )
    elif not quiet:
        console = _console.out()
        rows, columns = found.work_shape
        counted = count(found.n_segments, "segment")
        console.print(
            f"{counted} of {photo} ({width} x {height} pixels, clustered at {columns} "
            f"x {rows}) in {seconds:.1f} s"
        )
        for number, (share, color) in enumerate(zip(shares, found.colors, strict=True)):
            name = "#" + "".join(f"{value:02x}" for value in color.tolist())
            console.print(f"{number:>4}  {100 * share:5.1f}%  [{name}]█████[/] {name}")
        console.print(f"written to {output} and {outlines}")


def _read(path: Path) -> Any:
    import numpy as np

    from coterie._validation import require

    pillow = require("PIL.Image")
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path}.")
    try:
        with pillow.open(path) as picture:
            return np.asarray(picture.convert("RGB"))
    except pillow.UnidentifiedImageError:
        raise ValueError(f"{path} is not a picture that can be read.") from None


def _write(path: Path, pixels: Any, palette: Any = None) -> None:
    from coterie._validation import require

    picture = require("PIL.Image").fromarray(pixels)
    if palette is not None:
        picture.putpalette(palette.tobytes())
    _files.write_atomically(path, lambda file: picture.save(file, format="PNG"))
