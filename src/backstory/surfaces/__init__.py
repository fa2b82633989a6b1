"""Ways to reach the engine. Surfaces do not know each other and import nothing but the engine and shared records."""
