"""What is on disk: records with checksums, status, the lock of their driver."""
