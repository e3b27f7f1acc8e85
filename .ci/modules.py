"""What .ci/api, .ci/benchmarks and .ci/examples share: the package's directory, and how the compiler finds the modules of a build."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def module_options(built):
    """What finds the modules of a build, and the C modules that they import."""
    headers = subprocess.run(
        ["pkg-config", "--variable=includedir", "sqlcipher"], check=True, capture_output=True, text=True)
    options = ["-I", str(built), "-Xcc", f"-I{headers.stdout.strip()}/sqlcipher", "-Xcc", "-DSQLITE_HAS_CODEC"]
    for folder in ("CSQLCipher/System", "CLibCrypto/include", "CPKCS11/include", "CPlatform/include"):
        options += ["-Xcc", f"-fmodule-map-file={ROOT}/Sources/{folder}/module.modulemap"]
    # The C modules of packages have a map of their own, or one that the build has written.
    for headers in sorted((Path(built).parents[1] / "checkouts").glob("*/Sources/**/include")):
        maps = [headers / "module.modulemap", Path(built).parent / f"{headers.parent.name}.build/module.modulemap"]
        for each in [each for each in maps if each.exists()][:1]:
            options += ["-Xcc", f"-fmodule-map-file={each}", "-Xcc", f"-I{headers}"]
    return options
