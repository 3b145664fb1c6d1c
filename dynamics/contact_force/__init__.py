"""The contact force: filters, statistics, records from elsewhere, assessment against standards."""
