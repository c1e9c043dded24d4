"""Tests that drive a real Chromium, and the pictures for the documentation."""
