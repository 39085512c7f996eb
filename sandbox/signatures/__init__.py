"""What a script's `main` takes and gives: the form that says so, and how it is read from a script's text."""
