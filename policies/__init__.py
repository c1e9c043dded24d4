"""What is allowed: retention rules and the engine that dates memories, holds, subject requests."""
