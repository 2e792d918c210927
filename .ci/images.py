"""Uploads the images in archives to a local system, and compares their pixels before and after: images.py API DIRECTORY."""

import hashlib
import io
import json
import sys
import tarfile
import urllib.error
import urllib.request
import warnings
from collections import Counter
from pathlib import Path

from PIL import Image, ImageFile, ImageSequence

EXTENSIONS = (".jpg", ".jpeg", ".jfif", ".mpo", ".png", ".apng", ".gif", ".webp")
MAX_BYTES = 4 * 1024 * 1024
MIN_IMAGES = 1000
# A merchant uploads 200 a day, a member half of them.
UPLOADS_OF_A_MERCHANT = 90
ORIENTATION = 0x0112

warnings.simplefilter("ignore")
# Pillow refuses more than twice as many.
Image.MAX_IMAGE_PIXELS = 50_000_000
# As browsers do: they show what they have of an image that was cut.
ImageFile.LOAD_TRUNCATED_IMAGES = True


def images(directory):
    """Each image once, with the name of its first copy."""
    found = {}
    for archive in sorted([*directory.glob("*.tar.gz"), *directory.glob("*.tgz")]):
        with tarfile.open(archive) as files:
            for member in files:
                if member.isfile() and member.name.lower().endswith(EXTENSIONS) and 0 < member.size <= MAX_BYTES:
                    content = files.extractfile(member).read()
                    found.setdefault(hashlib.sha256(content).digest(), (member.name, content))
    return list(found.values())


def shown(content):
    """What a viewer shows of a file: its size and, of each frame, the pixels and how long they stay. None if it cannot be decoded."""
    try:
        with Image.open(io.BytesIO(content)) as image:
            profile = image.info.get("icc_profile")
            # Other pictures in a JPEG file are thumbnails and views of cameras.
            frames = [image] if image.format in ("JPEG", "MPO") else ImageSequence.Iterator(image)
            pixels = [(hashlib.sha256(frame.convert("RGBA").tobytes()).digest(), frame.info.get("duration")) for frame in frames]
            return image.size, pixels, profile, orientation(image)
    except Exception:
        return None


def orientation(image):
    """As browsers read it: from EXIF alone, and upright unless it is one of the other seven."""
    exif = Image.Exif()
    try:
        exif.load(image.info.get("exif", b""))
    except Exception:
        return 1
    value = exif.get(ORIENTATION)
    return value if value in range(2, 9) else 1


class Portal:
    def __init__(self, api, merchants):
        self.api = api
        ids = range(merchants)
        self.call("/__local/fixtures", {
            "merchants": [{"id": f"m-{n}", "slug": f"merchant-{n}", "name": f"Merchant {n}", "status": "ACTIVE"} for n in ids],
            "users": [
                {"id": f"u-{n}", "email": f"u{n}@x.example", "merchantId": f"m-{n}", "merchantTeamRole": "ADMIN"} for n in ids
            ],
        })
        self.tokens = [json.loads(self.call("/__local/sessions", {"userId": f"u-{n}"}))["token"] for n in ids]

    def call(self, path, body):
        request = urllib.request.Request(self.api + path, json.dumps(body).encode(), {"content-type": "application/json"})
        return urllib.request.urlopen(request).read()

    def upload(self, number, content):
        """The bytes that are served, or the status and the message of a refusal."""
        head = b'--=_b\r\nContent-Disposition: form-data; name="file"; filename="image"\r\n\r\n'
        headers = {
            "authorization": f"Bearer {self.tokens[number // UPLOADS_OF_A_MERCHANT]}",
            "content-type": "multipart/form-data; boundary==_b",
        }
        body = head + content + b"\r\n--=_b--\r\n"
        request = urllib.request.Request(f"{self.api}/api/bff/offers/media", body, headers)
        try:
            address = json.load(urllib.request.urlopen(request))["data"]["previewUrl"]
        except urllib.error.HTTPError as error:
            return None, error.code, json.load(error)["error"]["message"]
        return urllib.request.urlopen(address).read(), 200, None


def main():
    api, directory = sys.argv[1], Path(sys.argv[2])
    found = images(directory)
    portal = Portal(api, len(found) // UPLOADS_OF_A_MERCHANT + 1)
    outcomes, wrong = Counter(), []
    for number, (name, content) in enumerate(found):
        served, status, message = portal.upload(number, content)
        # What is refused can be too large to be decoded here.
        before = served and shown(content)
        if served is None:
            # Another format under the name of an image is 415.
            outcomes[f"{status} {message}"] += 1
            if status != 415 and (status != 400 or not message.startswith("file: ")):
                wrong.append(f"{name}: {status} {message}")
        elif before is None:
            outcomes["stored, and Pillow decodes neither" if shown(served) is None else "stored, and decoded by Pillow now alone"] += 1
        elif shown(served) == before:
            outcomes["stored with the same pixels"] += 1
        else:
            outcomes["stored with other pixels"] += 1
            wrong.append(f"{name}: other pixels")
    for outcome, count in outcomes.most_common():
        print(f"{count:6} {outcome}")
    print(f"{len(found):6} images")
    print("\n".join(wrong))
    if wrong or len(found) < MIN_IMAGES:
        sys.exit(1)


main()
