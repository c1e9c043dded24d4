"""The JSON edge: requests parsed, use cases called, answers rendered. No models, no logic."""
