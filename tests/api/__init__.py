"""Tests of REST and console: a package, so that what they share per package ends before other folders' tests begin."""
