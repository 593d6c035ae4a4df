"""The command line ``infwalk`` and the file formats that it reads and writes."""
