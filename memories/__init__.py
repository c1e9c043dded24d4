"""The thing itself: the store, its namespaces, search, and forgetting on time."""
