#!/usr/bin/env python3
"""spdx.py --version V --program FILE: prints what the program contains, as SPDX 2.3 in JSON."""
import argparse
import datetime
import hashlib
import json
import os

from components import installed


def package(identifier, name, version, licence, **more):
    return {"SPDXID": f"SPDXRef-{identifier}", "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False, "licenseConcluded": licence, "licenseDeclared": licence, "copyrightText": "NOASSERTION", **more}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--version", required=True)
    parser.add_argument("--program", required=True)
    arguments = parser.parse_args()
    with open(arguments.program, "rb") as program:
        digest = hashlib.sha256(program.read()).hexdigest()
    created = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    packages = [package("ioproof", "ioproof", arguments.version, "MIT", checksums=[{"algorithm": "SHA256", "checksumValue": digest}])]
    relations = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-ioproof"}]
    for name, licence, title, version in installed():
        identifier = name.replace("+", "p")
        packages.append(package(identifier, title, version, licence, externalRefs=[
            {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": f"pkg:deb/debian/{name}@{version}"}]))
        relations.append({"spdxElementId": "SPDXRef-ioproof", "relationshipType": "STATIC_LINK",
                          "relatedSpdxElement": f"SPDXRef-{identifier}"})
    print(json.dumps({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"ioproof-{arguments.version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/ioproof-{arguments.version}-{digest}",
        "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Organization: The ioproof developers"]},
        "packages": packages, "relationships": relations}, indent=1))


if __name__ == "__main__":
    main()
