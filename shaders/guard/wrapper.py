"""The entry point that stands in for a kernel's own.

Owns its text: it clears workgroup memory, fills the counters, works out the built-in values of the whole dispatch from
those of the slice, calls the kernel's entry point under its new name, and reports the loop that ran out.
"""

from __future__ import annotations

from shaders.guard import names
from shaders.guard.costs import FunctionCost
from shaders.guard.zeroing import Zeroing
from shaders.layout import Type
from shaders.resolve import Resolver
from shaders.source import KernelSyntaxError
from shaders.tree import Attribute, Field, Function, Module

_VALUES = {
    "workgroup_id": names.WORKGROUP,
    "num_workgroups": f"{names.HOST}[1].xyz",
    "local_invocation_id": names.LOCAL,
    "local_invocation_index": names.INDEX,
}
_VECTORS = frozenset(["vec3<u32>", "vec3u"])

HEADER = (
    f"\n@group({names.GROUP}) @binding(0) var<uniform> {names.HOST}: array<vec4<u32>, 2>;"
    f"\n@group({names.GROUP}) @binding(1) var<storage, read_write> {names.REPORT}: array<atomic<u32>, 4>;"
    f"\nvar<private> {names.FUEL}: u32;"
    f"\nvar<private> {names.LOOP}: u32;\n"
)
"""What all wrappers of a kernel share."""


def wrapper(
    module: Module,
    resolver: Resolver,
    function: Function,
    cost: FunctionCost,
    size: tuple[int, int, int],
    zeroing: Zeroing,
) -> str:
    """The entry point for `function`. Raises `KernelSyntaxError` on parameters that no entry point can have."""
    x, y, z = size
    values = _VALUES | {
        "global_invocation_id": f"({names.WORKGROUP} * vec3<u32>({x}u, {y}u, {z}u) + {names.LOCAL})"
    }
    arguments = [_argument(module, resolver, parameter, values) for parameter in function.parameters]
    shared = [f"&{names.SHARED_FUEL}"] if cost.carries else []
    budget = f"{names.HOST}[0].w"
    return "\n".join(
        [
            f"@compute @workgroup_size({x}, {y}, {z})",
            f"fn {function.name}(@builtin(workgroup_id) {names.WORKGROUP}_slice: vec3<u32>,",
            f"    @builtin(local_invocation_id) {names.LOCAL}: vec3<u32>,",
            f"    @builtin(local_invocation_index) {names.INDEX}: u32) {{",
            *([f"    {zeroing.text}"] if zeroing.text else []),
            f"    let {names.WORKGROUP} = {names.WORKGROUP}_slice + {names.HOST}[0].xyz;",
            *([f"    {names.FUEL} = {budget};"] if cost.has_private else []),
            *([f"    var {names.SHARED_FUEL} = {budget};"] if cost.carries else []),
            f"    {names.ENTRY}{function.name}({', '.join(shared + arguments)});",
            f"    if ({names.LOOP} != 0u) {{ atomicMax(&{names.REPORT}[0], {names.LOOP}); }}",
            "}\n",
        ]
    )


def _argument(module: Module, resolver: Resolver, parameter: Field, values: dict[str, str]) -> str:
    """The value that the wrapper passes for `parameter`, which is a built-in value or a struct of some."""
    builtin = next((each for each in parameter.attributes if each.name == "builtin"), None)
    type_ = resolver.type(parameter.type)
    if builtin is not None:
        return _value(module, parameter, type_, builtin, values)
    name = module.tokens[parameter.type[0]].text
    struct = module.structs.get(type_.text)
    if struct is None:
        message = f"'{parameter.name}' is a parameter of an entry point and needs @builtin"
        raise module.error(KernelSyntaxError, parameter.token, message)
    parts = []
    for member in struct.members:
        attribute = next((each for each in member.attributes if each.name == "builtin"), None)
        if attribute is None:
            message = f"'{parameter.name}' is a parameter of an entry point: its member '{member.name}' needs @builtin"
            raise module.error(KernelSyntaxError, member.token, message)
        parts.append(_value(module, member, resolver.type(member.type), attribute, values))
    return f"{name}({', '.join(parts)})"


def _value(module: Module, place: Field, type_: Type, attribute: Attribute, values: dict[str, str]) -> str:
    builtin = module.text(attribute.arguments) if attribute.arguments else ""
    is_index = builtin == "local_invocation_index"
    if type_.text not in (["u32"] if is_index else _VECTORS):
        wanted = "u32" if is_index else "vec3<u32>"
        message = f"the built-in value '{builtin}' is a {wanted}, and '{place.name}' is a {type_.text}"
        raise module.error(KernelSyntaxError, place.token, message)
    return values[builtin]
