// kernel_syntax 2:1 expected a declaration, found 'nonsense'
nonsense
