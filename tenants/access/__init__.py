"""Getting in: keys and people become actors; tenants, people and keys are provisioned."""
