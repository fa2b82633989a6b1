"""Tests of the pure rules over one session, and the way they draw sessions."""
