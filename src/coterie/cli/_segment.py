"""`coterie segment`: from a photo to its segments."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from coterie.cli import _console, _options


@_console.guarded
def segment(
    photo: Annotated[
        Path,
        typer.Argument(
            metavar="PHOTO",
            readable=False,
            help="A picture: PNG, JPEG, TIFF or another format that Pillow reads.",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE.png",
            readable=False,
            help="Where to write the segments, each in its mean colour; the value of a "
            "pixel in the file is the number of its segment. The photo with outlines "
            "goes beside it, to FILE.outlines.png.",
        ),
    ],
    segments: Annotated[
        int, typer.Option("-k", "--segments", min=1, max=256, help="Segments to find.")
    ] = 8,
    pixels: Annotated[
        int,
        typer.Option(min=100, help="About how many pixels are clustered."),
    ] = 4000,
    spatial: Annotated[
        float,
        typer.Option(min=0.0, help="Weight of places against colours."),
    ] = 0.5,
    smooth: Annotated[
        float,
        typer.Option(min=0.0, help="How calm outlines are; 0 = as pixels fall."),
    ] = 0.5,
    seed: _options.Seed = 0,
    jobs: Annotated[
        int, typer.Option(help="Networks made side by side; -1 = all cores.")
    ] = -1,
    outlines: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            metavar="FILE.png",
            readable=False,
            help="Another place for the photo with outlines.",
        ),
    ] = None,
    as_json: _options.Json = False,
    quiet: _options.Quiet = False,
) -> None:
    """Partition a photo into segments of like colour and place.

    Example: [bold]coterie segment photo.jpg -o segments.png[/bold]
    """
    start = time.perf_counter()
    outlines = output.with_suffix(".outlines.png") if outlines is None else outlines
    for path in (output, outlines):
        _check_output(path, photo)
    with _console.stages(not (quiet or as_json)) as stages:
        stages.start("Reading")
        image = _read(photo)
        from coterie.applications import outlined, segment_image

        stages.start("Growing networks")
        found = segment_image(
            image,
            segments,
            n_pixels=pixels,
            spatial=spatial,
            smooth=smooth,
            random_state=seed,
            n_jobs=jobs,
            progress=stages.step,
        )
        _write_labels(output, found)
        _write(outlines, outlined(image, found.labels))
    _tell(photo, output, outlines, found, time.perf_counter() - start, as_json, quiet)


def _check_output(path: Path, photo: Path) -> None:
    if path.suffix.lower() != ".png":
        raise ValueError(f"{path} must end in .png.")
    if not path.parent.is_dir():
        raise FileNotFoundError(
            f"{path} cannot be written: the folder {path.parent} does not exist."
        )
    if path.resolve() == photo.resolve():
        raise ValueError(
            f"{path} is read and would be overwritten. Choose another name."
        )


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


def _write_labels(path: Path, found: Any) -> None:
    import numpy as np

    from coterie._atomic import write_atomically
    from coterie._validation import require

    picture = require("PIL.Image").fromarray(found.labels.astype(np.uint8))
    picture.putpalette(found.colors.tobytes())
    write_atomically(path, lambda file: picture.save(file, format="PNG"))


def _write(path: Path, pixels: Any) -> None:
    from coterie._atomic import write_atomically
    from coterie._validation import require

    picture = require("PIL.Image").fromarray(pixels)
    write_atomically(path, lambda file: picture.save(file, format="PNG"))


def _tell(
    photo: Path,
    output: Path,
    outlines: Path,
    found: Any,
    seconds: float,
    as_json: bool,
    quiet: bool,
) -> None:
    import numpy as np

    shares = np.bincount(found.labels.ravel()) / found.labels.size
    height, width = found.labels.shape
    if as_json:
        _console.write_json(
            {
                "command": "segment",
                "input": str(photo),
                "size": [width, height],
                "n_segments": found.n_segments,
                "shares": shares.round(4),
                "colors": found.colors,
                "output": str(output),
                "outlines": str(outlines),
                "seconds": round(seconds, 3),
            }
        )
        return
    if quiet:
        return
    console = _console.out()
    rows, columns = found.work_shape
    console.print(
        f"{found.n_segments} segments of {photo} ({width} x {height} pixels, clustered "
        f"at {columns} x {rows}) in {seconds:.1f} s"
    )
    for number, (share, color) in enumerate(zip(shares, found.colors, strict=True)):
        name = "#" + "".join(f"{value:02x}" for value in color.tolist())
        console.print(f"{number:>4}  {100 * share:5.1f}%  [{name}]█████[/] {name}")
    console.print(f"written to {output} and {outlines}")
