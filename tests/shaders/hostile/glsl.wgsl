// kernel_language 2:1 GLSL is not taken: nothing can guard it; write WGSL
#version 450
layout(local_size_x = 1) in;
void main() {}
