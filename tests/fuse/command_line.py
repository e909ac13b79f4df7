"""What all tests on the faulty file system are told."""
import argparse
import os


def parser_of(description):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--program", "--fs", "--folder"):
        parser.add_argument(name, required=True, type=os.path.realpath)
    return parser
