"""The report: sections of figures and tables, each with the SQL that gives it, as one ZIP."""
