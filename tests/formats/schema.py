"""The JSON schemas among the documents. Without jsonschema, whoever imports this is skipped: exit code 77."""
import json
import pathlib
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed")
    sys.exit(77)


def undescribed(schema, rule, value, place=""):
    """The fields of the value that the rule does not describe. A rule without properties needs a description, which says where they are."""
    if "$ref" in rule:
        rule = schema["$defs"][rule["$ref"].rsplit("/", 1)[1]]
    if isinstance(value, dict):
        described, others = rule.get("properties", {}), rule.get("additionalProperties")
        if not described and others is None and "description" in rule:
            return
        for key, each in value.items():
            if key in described or isinstance(others, dict):
                yield from undescribed(schema, described.get(key, others), each, f"{place}.{key}")
            else:
                yield f"{place}.{key}"
    elif isinstance(value, list):
        for each in value:
            yield from undescribed(schema, rule.get("items", {}), each, f"{place}[]")


def check_schema(name, document, **wrong):
    """The document follows docs/NAME.schema.json, which has all of its fields, and would not follow it with these other values."""
    schema = json.loads((pathlib.Path(__file__).parents[2] / f"docs/{name}.schema.json").read_text())
    jsonschema.validate(document, schema)
    unknown = sorted(set(undescribed(schema, schema, document)))
    assert not unknown, f"docs/{name}.schema.json does not describe {unknown}"
    assert not jsonschema.Draft7Validator(schema).is_valid(dict(document, **wrong))
