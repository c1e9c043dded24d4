"""The demo tenant: a fictitious shop for coffee machines, its people, agents and their memories."""
