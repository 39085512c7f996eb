"""A stranger's kernel to what the rest of Kernelgate may know of it.

Owns the order of the checks, and the reading of bindings and entry points. Runs in a sealed worker: plain Python,
nothing but this folder and msgspec. The guard comes last, so that it may trust all that was checked.
"""

from __future__ import annotations

from shaders import callgraph
from shaders.errors import KernelgateError
from shaders.fingerprint import fingerprint
from shaders.guard.guard import guard
from shaders.languages import refuse_text
from shaders.layout import Type, uniform_fault
from shaders.limits import LIMITS, Limits
from shaders.liveness import living
from shaders.memory import check_memory
from shaders.overrides import overrides_of
from shaders.parser import parse
from shaders.pointers import check_pointers
from shaders.policy import check_policy
from shaders.reflection import BindingInfo, EntryPoint, Field, Override, Reflection
from shaders.resolve import Resolver
from shaders.source import KernelLimitError, KernelSyntaxError, KernelUnsupportedError
from shaders.tree import Attribute, Declaration, Function, Module

_BUFFERS = ("storage", "uniform")
_SPACES = (*_BUFFERS, "workgroup", "private")


def reflect(source: str, limits: Limits = LIMITS) -> Reflection:
    """Parse, check, describe and guard the kernel `source`, in time linear in its length and without recursion over it.

    Raises `KernelSyntaxError`, `KernelLimitError`, `KernelUnsupportedError` or `KernelLanguageError`, each with line,
    column and caret where there is a place to point at; never anything else.
    """
    module = _parsed(source, limits)
    check_policy(module, limits)
    edges = callgraph.references(module)
    sequence = callgraph.order(module, edges)
    callgraph.check_sizes(module, sequence, limits)
    check_pointers(module)
    resolver = Resolver(module, limits)
    check_memory(module, resolver, sequence, limits)
    bindings = _bindings(module, resolver, limits)
    overrides = overrides_of(module, resolver)
    entries = _entry_points(module, resolver, edges, bindings, overrides, limits)
    guarded = guard(module, resolver, edges, sequence, entries)
    identity = fingerprint(living(module, sequence))
    return Reflection(module.lexed.text, entries, bindings, guarded, overrides, identity)


def _parsed(source: str, limits: Limits) -> Module:
    """The outline of `source`; what is no WGSL but looks like another language is refused by that one's name."""
    try:
        return parse(source, limits)
    except KernelgateError:
        refuse_text(source[: limits.source_characters])
        raise


def _bindings(module: Module, resolver: Resolver, limits: Limits) -> tuple[BindingInfo, ...]:
    """Every binding in the order of group and number."""
    found: dict[tuple[int, int], BindingInfo] = {}
    for declaration in module.declarations.values():
        if declaration.keyword != "var":
            continue
        _check_space(module, resolver, declaration)
        if declaration.space not in _BUFFERS:
            continue
        info = _binding(module, resolver, declaration, limits)
        other = found.setdefault((info.group, info.binding), info)
        if other is not info:
            message = f"'{info.name}' and '{other.name}' share @group({info.group}) @binding({info.binding})"
            hint = "Number those of a group @binding(0), @binding(1) and so on."
            raise module.error(KernelUnsupportedError, declaration.token, message, hint)
        if len(found) > limits.bindings:
            message = f"the kernel has more than {limits.bindings} bindings"
            raise module.error(KernelLimitError, declaration.token, message)
    return tuple(found[place] for place in sorted(found))


def _check_space(module: Module, resolver: Resolver, declaration: Declaration) -> None:
    name, token, space = declaration.name, declaration.token, declaration.space
    if not space and declaration.type is not None:
        resolver.type(declaration.type)  # names textures and samplers as what is missing
    if not space:
        message = f"'{name}' needs an address space"
        raise module.error(
            KernelSyntaxError, token, message, "Write `var<storage>`, `var<private>` and so on."
        )
    if space not in _SPACES:
        message = f"the address space '{space}' is not available"
        raise module.error(KernelUnsupportedError, token, message)
    if space not in _BUFFERS and declaration.attributes:
        message = f"'{name}' is not a buffer and takes no attribute"
        raise module.error(KernelSyntaxError, declaration.attributes[0].token, message)


def _binding(module: Module, resolver: Resolver, declaration: Declaration, limits: Limits) -> BindingInfo:
    name, token, space = declaration.name, declaration.token, declaration.space
    if declaration.type is None:
        raise module.error(KernelSyntaxError, token, f"'{name}' needs a type")
    type_ = resolver.type(declaration.type)
    access = declaration.access or "read"
    if access not in ("read", "read_write") or (space == "uniform" and declaration.access):
        hint = "A storage buffer is read or read_write, a uniform has no access."
        raise module.error(KernelSyntaxError, token, f"'{name}' cannot have the access '{access}'", hint)
    _check_buffer_type(module, declaration, type_)
    group = _place(module, resolver, declaration, "group")
    binding = _place(module, resolver, declaration, "binding")
    if group not in limits.groups:
        allowed = ", ".join(str(each) for each in limits.groups)
        message = f"'{name}' is in group {group}; kernels may use groups {allowed}"
        raise module.error(KernelUnsupportedError, token, message)
    if binding > limits.binding_number:
        message = f"'{name}' has binding {binding}; the limit is {limits.binding_number}"
        raise module.error(KernelLimitError, token, message)
    tail = type_.runtime_array
    return BindingInfo(
        group,
        binding,
        name,
        "uniform" if space == "uniform" else "storage",
        "read" if access == "read" else "read_write",
        type_.text,
        type_.scalar,
        type_.least_size,
        tail.stride if tail is not None else 0,
        _fields(type_),
    )


def _place(module: Module, resolver: Resolver, declaration: Declaration, name: str) -> int:
    attribute = next((each for each in declaration.attributes if each.name == name), None)
    if attribute is None:
        message = f"'{declaration.name}' needs @{name}"
        hint = f"As @group(0) @binding(0) var<storage, read_write> {declaration.name}: array<f32>;"
        raise module.error(KernelSyntaxError, declaration.token, message, hint)
    return resolver.number(attribute)


def _check_buffer_type(module: Module, declaration: Declaration, type_: Type) -> None:
    token = declaration.token
    if "bool" in _scalars(type_) or type_.kind == "pointer":
        message = f"'{declaration.name}' cannot hold '{type_.text}' in a buffer"
        raise module.error(KernelSyntaxError, token, message, "Use u32 for truth values.")
    if declaration.space != "uniform":
        return
    fault = uniform_fault(type_)
    if fault is not None:
        message = f"'{declaration.name}' does not fit a uniform buffer: {fault}"
        hint = "Use vec4 elements, @size or @align, or a storage buffer."
        raise module.error(KernelSyntaxError, token, message, hint)
    if _has_two_rows(type_):
        message = f"'{declaration.name}' holds a matrix of two rows in a uniform buffer"
        hint = "The compiler crashes on these: use vec4 columns, or a storage buffer."
        raise module.error(KernelUnsupportedError, token, message, hint)


def _scalars(type_: Type) -> set[str]:
    """The names of the scalars that a type is made of; pointers count as `bool`, which fits no buffer either."""
    if type_.element is not None:
        return _scalars(type_.element)
    if type_.members:
        return set[str]().union(*(_scalars(member.type) for member in type_.members))
    return {type_.scalar or "bool"}


def _has_two_rows(type_: Type) -> bool:
    if type_.element is not None:
        return _has_two_rows(type_.element)
    return type_.rows == 2 or any(_has_two_rows(member.type) for member in type_.members)


def _fields(type_: Type) -> tuple[Field, ...]:
    """The members of the struct that `type_` is, or is an array of."""
    while type_.element is not None:
        type_ = type_.element
    return tuple(
        Field(
            member.name,
            member.type.text,
            member.offset,
            member.size,
            member.type.stride if member.type.kind == "array" else 0,
            _fields(member.type),
        )
        for member in type_.members
    )


def _entry_points(
    module: Module,
    resolver: Resolver,
    edges: callgraph.Edges,
    bindings: tuple[BindingInfo, ...],
    overrides: tuple[Override, ...],
    limits: Limits,
) -> tuple[EntryPoint, ...]:
    entries = []
    for function in module.functions.values():
        size = function.attribute("workgroup_size")
        if function.attribute("compute") is None:
            if size is not None:
                message = f"'{function.name}' has a workgroup size but is not @compute"
                raise module.error(KernelSyntaxError, size.token, message)
            continue
        reached = callgraph.reached(edges, function.name)
        names = tuple(info.name for info in bindings if info.name in reached)
        given = tuple(override.name for override in overrides if override.name in reached)
        threads = _workgroup_size(module, resolver, function, size, limits)
        entries.append(EntryPoint(function.name, threads, names, given))
    if not entries:
        message = "the kernel has no @compute entry point"
        raise KernelSyntaxError(message, hint="Begin it with `@compute @workgroup_size(64) fn main(`.")
    return tuple(entries)


def _workgroup_size(
    module: Module, resolver: Resolver, function: Function, size: Attribute | None, limits: Limits
) -> tuple[int, int, int]:
    parts = resolver.parts(size) if size is not None else []
    if size is None or not 1 <= len(parts) <= 3:
        message = f"'{function.name}' needs @workgroup_size with one to three numbers"
        hint = f"As @compute @workgroup_size(64) fn {function.name}("
        raise module.error(KernelSyntaxError, function.token, message, hint)
    x, y, z = [*(resolver.constants.value(part) for part in parts), 1, 1][:3]
    if 0 in (x, y, z):
        raise module.error(KernelSyntaxError, size.token, "a workgroup has at least one invocation each way")
    if x * y * z > limits.workgroup_invocations or z > limits.workgroup_depth:
        message = (
            f"a workgroup of {x} x {y} x {z} has {x * y * z} invocations; the limit is"
            f" {limits.workgroup_invocations}, and {limits.workgroup_depth} along z"
        )
        raise module.error(KernelLimitError, size.token, message)
    return x, y, z
