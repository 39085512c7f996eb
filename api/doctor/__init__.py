"""What `kernelgate doctor` looks at: the walls, the parts that it tries, and what it says of them."""
