"""`coterie segment`: from photos to their segments."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from coterie.cli import _console, _files
from coterie.cli._options import command, settings_of

SUFFIXES = {".bmp", ".gif", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"}
_MOST_PIXELS = 1_000_000_000


@command
def segment(
    photo: Path,
    output: Path,
    segments: int | None = None,
    settings: list[str] = [],  # noqa: B006 - typer copies it
    seed: int = 0,
    jobs: int = -1,
    outlines: Path | None = None,
    confidence: Path | None = None,
    as_json: bool = False,
    quiet: bool = False,
) -> None:
    """Partition a photo, or all photos of a folder, as people would outline them.

    Example: [bold]coterie segment photo.jpg -o segments.png[/bold]

    Parameters
    ----------
    photo : PHOTO
        A picture (PNG, JPEG, TIFF or another format that Pillow reads), or a folder of
        pictures.
    output : -o, --output FILE.png
        Where to write the segments, each in its mean colour; pixel values are segment
        numbers. The photo with outlines is written to FILE.outlines.png, how sure each
        pixel is to FILE.confidence.png (white is sure). For a folder, another folder.
    segments : -k, --segments K
        Segments to find. [default: chosen for each photo]
    outlines : FILE.png
        Another file for the photo with outlines.
    confidence : FILE.png
        Another file for the confidence.
    """
    jobs_to_do = _jobs(photo, output, outlines, confidence)
    files = _files.Outputs(output, as_json, quiet)
    is_folder = photo.is_dir()
    told, left_out = [], []
    with _console.work(files) as work:
        from coterie.applications import segment_image

        more = settings_of(settings, segment_image, "segment")
        work.start("Finding segments")
        for number, job in enumerate(jobs_to_do):
            try:
                image = _read(job.photo)
            except ValueError as error:
                left_out.append(str(error))
                if len(left_out) == len(jobs_to_do):
                    raise
                continue
            found = segment_image(
                image, segments, random_state=seed, n_jobs=jobs, **more
            )
            told.append(_written(job, image, found))
            work.step(number + 1, len(jobs_to_do))
    document = {"input": photo, "output": output, "photos": told, "left_out": left_out}

    def show(console: Any) -> None:
        from coterie._display import count

        for one in told:
            width, height = one["size"]
            console.print(
                f"{count(one['n_segments'], 'segment')} of {one['input']} "
                f"({width} x {height} pixels)"
            )
            if not is_folder:
                for number, (share, rgb) in enumerate(
                    zip(one["shares"], one["colors"], strict=True)
                ):
                    name = "#" + rgb.tobytes().hex()
                    console.print(
                        f"{number:>4}  {100 * share:5.1f}%  [{name}]█████[/] {name}"
                    )
        for error in left_out:
            console.print(f"left out: {error}")
        names = [str(path) for path in jobs_to_do[0].written(told[0])]
        where = str(output) if is_folder else ", ".join(names)
        console.print(f"written to {where} in {work.seconds:.1f} s")

    work.tell("segment", files, document if is_folder else told[0], show)


@dataclass(frozen=True)
class _Job:
    """A photo, and where its results go."""

    photo: Path
    output: Path
    outlines: Path
    confidence: Path

    def check(self) -> None:
        for path in (self.output, self.outlines, self.confidence):
            _files.check_output(path, self.photo, only=".png")

    def written(self, told: dict[str, Any]) -> list[Path]:
        return [
            told[name] for name in ("output", "outlines", "confidence") if told[name]
        ]


def _jobs(
    photo: Path, output: Path, outlines: Path | None, confidence: Path | None
) -> list[_Job]:
    """Return what to do, after checking that all of it can be written."""
    if photo.is_dir():
        if outlines or confidence:
            raise ValueError(
                "--outlines and --confidence name the files of one photo; for a "
                f"folder such as {photo}, they are written beside the segments."
            )
        photos = sorted(p for p in photo.iterdir() if p.suffix.lower() in SUFFIXES)
        if not photos:
            raise ValueError(f"The folder {photo} holds no pictures.")
        if output.suffix or output.resolve() == photo.resolve():
            raise ValueError(
                f"{photo} is a folder, so -o expects another folder, got {output}."
            )
        twins = [b for a, b in pairwise(photos) if a.stem == b.stem]
        if twins:
            raise ValueError(
                f"Two pictures in {photo} are called {twins[0].stem}, so their results "
                "would have the same name. Rename one of them."
            )
        output.mkdir(parents=True, exist_ok=True)
        targets = {one: output / f"{one.stem}.png" for one in photos}
    else:
        targets = {photo: output}
    jobs = [
        _Job(
            one,
            target,
            outlines or target.with_suffix(".outlines.png"),
            confidence or target.with_suffix(".confidence.png"),
        )
        for one, target in targets.items()
    ]
    for job in jobs:
        job.check()
    return jobs


def _written(job: _Job, image: Any, found: Any) -> dict[str, Any]:
    """Write the results for a photo; return what is told about them."""
    import numpy as np

    from coterie.applications import outlined

    _write(job.output, *_label_map(found))
    _write(job.outlines, outlined(image, found.labels))
    sure = found.confidence
    if sure is not None:
        _write(job.confidence, (np.nan_to_num(sure) * 255).round().astype(np.uint8))
    height, width = found.labels.shape
    return {
        "input": job.photo,
        "size": [width, height],
        "n_segments": found.n_segments,
        "shares": found.shares.round(4),
        "colors": found.colors,
        "output": job.output,
        "outlines": job.outlines,
        "confidence": None if sure is None else job.confidence,
    }


def _label_map(found: Any) -> tuple[Any, Any]:
    """Return pixels and palette; from 255 segments on, 16 bits without a palette.

    Transparent pixels have the last value, 255 or 65,535.
    """
    import numpy as np

    if found.n_segments > 255:
        return found.labels.astype(np.uint16), None
    palette = np.zeros((256, 3), dtype=np.uint8)  # a shorter one would lose the 255
    palette[: found.n_segments] = found.colors
    return found.labels.astype(np.uint8), palette


def _read(path: Path) -> Any:
    import numpy as np

    from coterie._validation import require

    pillow = require("PIL.Image")
    if not path.is_file():
        raise _files.no_file(path)
    usual = pillow.MAX_IMAGE_PIXELS
    pillow.MAX_IMAGE_PIXELS = (
        _MOST_PIXELS // 2
    )  # it warns from here, refuses from twice
    try:
        with pillow.open(path) as picture:
            n_pictures = getattr(picture, "n_frames", 1)
            if n_pictures > 1:
                warnings.warn(
                    f"{path} holds {n_pictures} pictures; only the first was read.",
                    stacklevel=2,
                )
            upright = require("PIL.ImageOps").exif_transpose(picture)
            has_alpha = upright.mode[-1] in "Aa" or "transparency" in upright.info
            is_grey = len(upright.getbands()) == 1 and upright.mode != "P"
            if is_grey and not has_alpha:
                return np.asarray(upright)  # Pillow would cut 16 bits to white
            return np.asarray(upright.convert("RGBA" if has_alpha else "RGB"))
    except pillow.UnidentifiedImageError:
        raise ValueError(
            f"{path} is not a picture that Pillow can read. For a stack of channels or "
            "a volume, use segment_image in Python; for a table of samples, type "
            "`coterie cluster`."
        ) from None
    except pillow.DecompressionBombError:
        raise ValueError(
            f"{path} has more than {_MOST_PIXELS:,} pixels. Reduce it first."
        ) from None
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error}.") from None
    finally:
        pillow.MAX_IMAGE_PIXELS = usual


def _write(path: Path, pixels: Any, palette: Any = None) -> None:
    from coterie._validation import require

    picture = require("PIL.Image").fromarray(pixels)
    if palette is not None:
        picture.putpalette(palette.tobytes())
    _files.write_atomically(path, lambda file: picture.save(file, format="PNG"))
