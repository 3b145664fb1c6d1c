"""Folders of every test of the way in from Python are its own."""

import pytest


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """Run in an empty folder: what is kept lands there."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
