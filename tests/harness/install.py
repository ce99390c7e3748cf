"""Brings the programs of package.json, and a Node that they run on, into a folder: once for each version of that file."""

import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

NODE = "22.23.5"
OLDEST_NODE = (22, 19)
"""What Pi needs. Under an older Node, npm takes old versions of the programs without a word."""
WANTED = Path(__file__).with_name("package.json")
MADE = ".made"


def main(folder: Path) -> None:
    """Installs into ``folder`` what is not there yet, and says which versions are there now."""
    if not _is_made(folder):
        npm = shutil.which("npm")
        if npm is None:
            sys.exit("make test-harness needs npm, which comes with Node: https://nodejs.org, or apt-get install nodejs npm")
        folder.mkdir(parents=True, exist_ok=True)
        environment = _with_node(folder, npm)
        shutil.copy(WANTED, folder / "package.json")
        _npm(npm, folder, environment, "install")
        (folder / MADE).write_text(WANTED.read_text())
    for name, version in json.loads(WANTED.read_text())["dependencies"].items():
        found = json.loads((folder / "node_modules" / name / "package.json").read_text())["version"]
        assert found == version, f"{name} is there in version {found}, not in {version}"
        print(f"{name} {version}")


def _is_made(folder: Path) -> bool:
    made = folder / MADE
    return made.exists() and made.read_text() == WANTED.read_text()


def _with_node(folder: Path, npm: str) -> dict[str, str]:
    """The environment of this process, with a Node first in its path that is new enough."""
    path = os.environ.get("PATH", os.defpath)
    own = folder / "node"
    if not _is_new_enough(shutil.which("node")):
        system = {"Linux": "linux", "Darwin": "darwin"}.get(platform.system())
        arch = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}.get(platform.machine().lower())
        if system is None or arch is None:
            sys.exit(f"make test-harness needs Node {'.'.join(map(str, OLDEST_NODE))} or later on this machine")
        own.mkdir(exist_ok=True)
        package = f"node-{system}-{arch}"
        (own / "package.json").write_text(json.dumps({"private": True, "dependencies": {package: NODE}}))
        _npm(npm, own, dict(os.environ), "install")
        (own / "bin").unlink(missing_ok=True)
        (own / "bin").symlink_to(Path("node_modules", package, "bin"))
    return {**os.environ, "PATH": f"{own / 'bin'}{os.pathsep}{path}"}


def _is_new_enough(node: str | None) -> bool:
    if node is None:
        return False
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    return tuple(int(n) for n in said.lstrip("v").split(".")[:2]) >= OLDEST_NODE if said.startswith("v") else False


def _npm(npm: str, folder: Path, environment: dict[str, str], verb: str) -> None:
    """Without the scripts of packages: the programs need none, and are nobody's to run things here."""
    options = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"]
    try:
        subprocess.run([npm, verb, *options], cwd=folder, env=environment, check=True, timeout=900)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        sys.exit("npm could not fetch the programs: its own lines above say why. It asks the registry that `npm config` names.")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
