"""Writes the bill of materials of a build as CycloneDX JSON: the crates that are linked into each function, with the checksums of
Cargo.lock, and the npm packages that are bundled into the clients, with the hashes of their lock. The result is validated against the
schema of CycloneDX. Usage: sbom.py OUTPUT"""

import base64
import json
import subprocess
import sys
import tomllib
from pathlib import Path

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL

# Of the deployment: template.yaml.
TARGET = "aarch64-unknown-linux-gnu"
# Makes the bundles, and is in none.
TOOLS = {"esbuild"}

license_of = LicenseFactory().make_from_string


def component(kind, purl_type, name, version, license, hashes):
    namespace, _, bare = name.rpartition("/")
    return Component(
        type=kind,
        group=namespace or None,
        name=bare,
        version=version,
        licenses=[license_of(license)] if license else [],
        purl=PackageURL(purl_type, namespace or None, bare, version),
        bom_ref=f"{purl_type}:{name}@{version}",
        hashes=hashes,
    )


def cargo_tree(package):
    """Depth, name, version and licence of the crates that are linked into a package, with the features that it builds them with."""
    options = ["--locked", "--target", TARGET, "--edges", "normal", "--prefix", "depth", "--format", "|{p}|{l}"]
    tree = subprocess.run(["cargo", "tree", "--package", package, *options], check=True, capture_output=True, text=True)
    for line in tree.stdout.splitlines():
        depth, package, license = line.split("|")
        name, version = package.split()[:2]
        yield int(depth), name, version.removeprefix("v"), license


def crates(bom, root):
    lock = tomllib.loads(Path("Cargo.lock").read_text())["package"]
    checksums = {(crate["name"], crate["version"]): crate.get("checksum") for crate in lock}
    known = {}
    for folder in sorted(Path("functions").iterdir()):
        function, linked = None, []
        for depth, name, version, license in cargo_tree(folder.name):
            # cargo marks what it has shown before, after the licence.
            license = license.removesuffix(" (*)").replace("/", " OR ")
            if (name, version) not in known:
                checksum = checksums[name, version]
                hashes = [HashType(alg=HashAlgorithm.SHA_256, content=checksum)] if checksum else []
                kind = ComponentType.APPLICATION if depth == 0 else ComponentType.LIBRARY
                known[name, version] = component(kind, "cargo", name, version, license, hashes)
                bom.components.add(known[name, version])
            if depth == 0:
                function = known[name, version]
            else:
                linked.append(known[name, version])
        bom.register_dependency(function, linked)
        bom.register_dependency(root, [function])


def packages(bom, root):
    lock = json.loads(Path(".ci/vendor/package-lock.json").read_text())["packages"]
    clients = component(ComponentType.APPLICATION, "generic", "clients", root.version, "Apache-2.0", [])
    bom.components.add(clients)
    bom.register_dependency(root, [clients])
    for path, package in lock.items():
        name = path.rpartition("node_modules/")[2]
        if not name or name in TOOLS or name.startswith(("@esbuild/", "@types/")):
            continue
        algorithm, digest = package["integrity"].split("-", 1)
        content = base64.b64decode(digest).hex()
        hashes = [HashType(alg=HashAlgorithm(algorithm.upper().replace("SHA", "SHA-")), content=content)]
        library = component(ComponentType.LIBRARY, "npm", name, package["version"], package["license"], hashes)
        bom.components.add(library)
        bom.register_dependency(clients, [library])


def main(output):
    bom = Bom()
    version = tomllib.loads(Path("Cargo.toml").read_text())["workspace"]["package"]["version"]
    bom.metadata.component = component(ComponentType.APPLICATION, "generic", "merchant-portal-api", version, "Apache-2.0", [])
    crates(bom, bom.metadata.component)
    packages(bom, bom.metadata.component)
    text = JsonV1Dot6(bom).output_as_string(indent=1)
    error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    if error:
        sys.exit(f"not valid CycloneDX: {error}")
    Path(output).write_text(text)
    print(f"{len(bom.components)} components")


main(*sys.argv[1:])
