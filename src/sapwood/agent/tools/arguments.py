"""Are a call's arguments what the tool's schema asks for? If not, say exactly what is wrong.

Covers the part of JSON schema that tools use: object, array, string, integer, number, boolean,
enum, required, additionalProperties, minimum. Types alone are bent, for models that quote
everything: ``"3"`` and ``3.0`` count as the integer 3, ``"true"`` as true, and null for an optional
property as if it were absent. Nothing else is guessed.
"""

from __future__ import annotations

from sapwood.agent.tools.tool import Tool, ToolError
from sapwood.session.codec import json_text
from sapwood.session.schema import Json, JsonObject

_SHOWN_VALUE = 80


def check_arguments(tool: Tool, arguments: Json) -> JsonObject:
    """The arguments, ready for ``tool.execute``.

    Raises:
        ToolError: they do not fit; the text lists every problem, one a line.
    """
    if not isinstance(arguments, dict):
        raise ToolError(f"Arguments of {tool.name} must be an object, not {_shown(arguments)}.")
    prepared = tool.prepare(arguments) if tool.prepare else arguments
    problems: list[str] = []
    checked = _check(prepared, tool.parameters, "", problems)
    if problems:
        listed = "\n".join(f"- {problem}" for problem in problems)
        raise ToolError(f"Arguments of {tool.name} do not fit its schema:\n{listed}")
    assert isinstance(checked, dict)
    return checked


def _check(value: Json, schema: JsonObject, where: str, problems: list[str]) -> Json:
    value = _bend(value, schema.get("type"))
    expected = _mismatch(value, schema)
    if expected:
        problems.append(f"{where or 'arguments'}: expected {expected}, got {_shown(value)}")
    elif isinstance(value, dict) and "properties" in schema:
        return _check_object(value, schema, where, problems)
    elif isinstance(value, list) and "items" in schema:
        return [
            _check(item, schema["items"], f"{where}[{index}]", problems)
            for index, item in enumerate(value)
        ]
    return value


def _check_object(
    value: JsonObject, schema: JsonObject, where: str, problems: list[str]
) -> JsonObject:
    properties: JsonObject = schema["properties"]
    required = schema.get("required", [])
    prefix = f"{where}." if where else ""
    checked: JsonObject = {}
    for name, item in value.items():
        if item is None and name in properties and name not in required:
            continue
        if name in properties:
            checked[name] = _check(item, properties[name], prefix + name, problems)
        elif schema.get("additionalProperties", True) is False:
            problems.append(f"{prefix}{name}: unknown; known are {', '.join(properties) or 'none'}")
        else:
            checked[name] = item
    problems.extend(f"{prefix}{name}: missing" for name in required if name not in value)
    return checked


def _bend(value: Json, wanted: Json) -> Json:
    """The same value in the type that the schema wants, where there is exactly one reading."""
    if wanted == "integer" and isinstance(value, float) and value.is_integer():
        return int(value)
    if not isinstance(value, str):
        return value
    if wanted == "boolean" and value in ("true", "false"):
        return value == "true"
    if wanted in ("integer", "number"):
        return _number(value, wanted)
    return value


def _number(text: str, wanted: str) -> Json:
    try:
        number = float(text) if text.strip() == text and text.isascii() else None
    except ValueError:
        return text
    if number is None or number != number or abs(number) > 2**53:
        return text
    if number.is_integer():
        return int(number)
    return number if wanted == "number" else text


def _mismatch(value: Json, schema: JsonObject) -> str | None:
    """What was expected, if the value is something else."""
    if "enum" in schema and value not in schema["enum"]:
        return "one of " + ", ".join(_shown(choice) for choice in schema["enum"])
    wanted = schema.get("type")
    names = wanted if isinstance(wanted, list) else [wanted] if wanted else []
    if names and not any(_is_a(value, name) for name in names):
        return " or ".join(names)
    least = schema.get("minimum")
    if least is not None and isinstance(value, int | float) and value < least:
        return f"at least {least}"
    return None


def _is_a(value: Json, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    kinds: dict[str, type | tuple[type, ...]] = {
        "object": dict,
        "array": list,
        "string": str,
        "integer": int,
        "number": (int, float),
        "null": type(None),
    }
    return name in kinds and isinstance(value, kinds[name])


def _shown(value: Json) -> str:
    text = json_text(value)
    return text if len(text) <= _SHOWN_VALUE else text[:_SHOWN_VALUE] + "…"
