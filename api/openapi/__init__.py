"""The contract as OpenAPI 3.1: request and answer shapes, one module a part of API.md."""
