"""The device: adapters, buffers, pipelines, the planner, and the device process with its supervisor.

Must not know HTTP, scripts or keys. Imports `ops` and `shaders`; the only folder that imports `wgpu`, in
`host/native/` alone.
"""
