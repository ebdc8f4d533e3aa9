"""Doubles that ship with the product, for its own tests and for those of plugins and configurations."""
