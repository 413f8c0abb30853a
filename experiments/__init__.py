"""The papers' tables, reproduced side by side with the printed figures."""
