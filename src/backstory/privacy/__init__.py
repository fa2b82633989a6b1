"""Finds credentials in text, reads privacy markers, and says what a destination may see. Stores and sends nothing."""
