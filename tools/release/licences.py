#!/usr/bin/env python3
"""licences.py --isal FILE LICENCE: prints ioproof's license and those of everything linked into it, as one text."""
import argparse
import os

from components import installed


def text_of(package):
    path = f"/usr/share/doc/{package}/copyright"
    # Some packages' folders are links to those of others.
    with open(os.path.realpath(path), encoding="utf-8", errors="replace") as file:
        return file.read()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--isal", required=True)
    parser.add_argument("licence")
    arguments = parser.parse_args()
    with open(arguments.licence, encoding="utf-8") as file:
        print("ioproof\n=======\n")
        print(file.read())
    print("The program holds, linked into it, the following; each with its licence.")
    for package, licence, title, version in installed():
        heading = f"{title} {version} ({licence})"
        print(f"\n\n{heading}\n{'=' * len(heading)}\n")
        if package == "libisal-dev":
            with open(arguments.isal, encoding="utf-8") as file:
                print(file.read())
        else:
            print(text_of(package))


if __name__ == "__main__":
    main()
