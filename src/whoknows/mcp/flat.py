"""Flat schemas: what a form takes or tells, as JSON Schema that every model and client understands: no references, no nulls."""

from typing import Any, cast

from pydantic import BaseModel

Schema = dict[str, Any]


def input_schema(form: type[BaseModel]) -> Schema:
    """What must be said comes first, so that a model reads it first."""
    schema = _flat(form.model_json_schema(mode="validation"))
    wanted = schema.get("required", ())
    properties = schema["properties"]
    return schema | {"properties": {name: properties[name] for name in sorted(properties, key=lambda n: n not in wanted)}}


def output_schema(told: type[BaseModel]) -> Schema:
    return _flat(told.model_json_schema(mode="serialization"))


def _flat(schema: Schema) -> Schema:
    definitions: dict[str, Schema] = schema.pop("$defs", {})
    flat = cast(Schema, _resolved(schema, definitions))
    flat.pop("description", None)  # the tool's own description says it
    flat.pop("examples", None)
    return flat


def _resolved(part: Any, definitions: dict[str, Schema]) -> Any:
    """``part`` with definitions in the place of references, and without what only repeats the name of a field."""
    if isinstance(part, list):
        return [_resolved(p, definitions) for p in cast(list[Any], part)]
    if not isinstance(part, dict):
        return part
    schema = cast(Schema, part)
    if "$ref" in schema:
        named = definitions[schema["$ref"].rpartition("/")[2]]
        return _resolved({k: v for k, v in named.items() if k != "description"} | _rest(schema, "$ref"), definitions)
    alternatives = [a for a in schema.get("anyOf", ()) if a != {"type": "null"}]
    if len(alternatives) == 1 and len(schema["anyOf"]) == 2:
        # Null is taken for "left out" and never told, so no schema needs to say it.
        return _resolved(_rest(schema, "anyOf") | alternatives[0], definitions)
    kept = {k: v for k, v in schema.items() if not (k == "title" and isinstance(v, str))}
    if kept.get("default", 0) is None:
        del kept["default"]
    return {k: _named(v, definitions) if k == "properties" else _resolved(v, definitions) for k, v in kept.items()}


def _named(properties: dict[str, Any], definitions: dict[str, Schema]) -> dict[str, Any]:
    return {name: _resolved(schema, definitions) for name, schema in properties.items()}


def _rest(schema: Schema, key: str) -> Schema:
    return {k: v for k, v in schema.items() if k != key}
