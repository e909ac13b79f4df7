"""The JSON schemas among the documents. Without jsonschema, whoever imports this is skipped: exit code 77."""
import json
import pathlib
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed")
    sys.exit(77)


def check_schema(name, document, **wrong):
    """The document follows docs/NAME.schema.json, and would not with these other values."""
    schema = json.loads((pathlib.Path(__file__).parents[2] / f"docs/{name}.schema.json").read_text())
    jsonschema.validate(document, schema)
    assert not jsonschema.Draft7Validator(schema).is_valid(dict(document, **wrong))
