"""Images for models: recognised by their bytes, checked, and made small enough to be sent.

Nothing is stored that a provider would refuse for good: a damaged file is an error here, and other
formats become PNG. Limits: 2000 pixels a side, 4.5 MB of base64.
"""

from __future__ import annotations

import base64
import io
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sapwood.errors import SapwoodError
from sapwood.session.schema import ImageBlock

if TYPE_CHECKING:
    from PIL import Image

MAX_SIDE = 2000
MAX_BASE64 = 4_500_000
MAX_FILE_BYTES = 64 * 1024 * 1024
_QUALITIES = (85, 70, 55, 40)
_SHARES = (1.0, 0.75, 0.5, 0.35, 0.25)
_SENT_AS_IS = {"image/png": "PNG", "image/jpeg": "JPEG", "image/gif": "GIF", "image/webp": "WEBP"}


class ImageError(SapwoodError):
    """The file is damaged, too large, or no image at all."""


@dataclass(frozen=True, slots=True)
class LoadedImage:
    """``note`` tells the model how the image differs from the file, None if it does not."""

    block: ImageBlock
    note: str | None


def sniff_image(data: bytes) -> str | None:
    """The MIME type that the first bytes of a file tell, None if it is no image that we know."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    if data[:2] == b"BM" and data[6:10] == b"\0\0\0\0":
        return "image/bmp"
    if data[:4] in (b"II*\0", b"MM\0*"):
        return "image/tiff"
    return None


def load_image(data: bytes, *, resize: bool = True) -> LoadedImage:
    """An image block made of a file's bytes.

    Raises:
        ImageError: it is not an image, is damaged, or is too large and may not be resized.
    """
    mime = sniff_image(data)
    if mime is None:
        raise ImageError("not an image in a known format (PNG, JPEG, GIF, WebP, BMP, TIFF)")
    image = _decode(data)
    fits = max(image.size) <= MAX_SIDE and _base64_length(len(data)) <= MAX_BASE64
    if fits and mime in _SENT_AS_IS:
        return LoadedImage(_block(data, mime), None)
    if not fits and not resize:
        width, height = image.size
        raise ImageError(
            f"the image is too large to be sent ({width}×{height} pixels, {len(data)} bytes), "
            "and setting images.autoResize is off"
        )
    return _shrunk(image)


def _decode(data: bytes) -> Image.Image:
    from PIL import Image, ImageOps

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            image = Image.open(io.BytesIO(data))
            image.load()
            return ImageOps.exif_transpose(image) or image
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise ImageError("the image has too many pixels") from error
    except Exception as error:  # Pillow's decoders raise whatever goes wrong in them
        raise ImageError("the image is damaged") from error


def _shrunk(image: Image.Image) -> LoadedImage:
    for share in _SHARES:
        smaller = image.copy()
        side = int(min(MAX_SIDE, max(image.size)) * share)
        smaller.thumbnail((side, side))
        for mime, data in _encodings(smaller):
            if _base64_length(len(data)) <= MAX_BASE64:
                return LoadedImage(_block(data, mime), _note(image.size, smaller.size))
    raise ImageError("the image could not be made small enough to be sent")


def _encodings(image: Image.Image) -> Iterator[tuple[str, bytes]]:
    """The same picture, most faithful first."""
    plain = image.convert("RGBA" if image.has_transparency_data else "RGB")
    yield "image/png", _encode(plain, "PNG")
    flat = image.convert("RGB")
    for quality in _QUALITIES:
        yield "image/jpeg", _encode(flat, "JPEG", quality=quality)


def _encode(image: Image.Image, form: str, **options: int) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, form, **options)
    return buffer.getvalue()


def _note(original: tuple[int, int], sent: tuple[int, int]) -> str | None:
    if original == sent:
        return None
    factor = original[0] / sent[0]
    return (
        f"The image is {original[0]}×{original[1]} pixels and is shown at {sent[0]}×{sent[1]}; "
        f"multiply coordinates by {factor:.2f} for the original."
    )


def _base64_length(size: int) -> int:
    return (size + 2) // 3 * 4


def _block(data: bytes, mime: str) -> ImageBlock:
    return {"type": "image", "data": base64.b64encode(data).decode("ascii"), "mimeType": mime}
