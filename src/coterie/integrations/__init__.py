"""coterie inside other programs: scanpy."""
