"""What people ask of indexed sessions: searched, listed, shown, and queried by exact conditions."""
