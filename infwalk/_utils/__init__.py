"""Parameter checks, memory, atomic files, optional packages."""
