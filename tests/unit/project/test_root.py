"""A folder that can be no project is refused by an error of ours, whatever was typed for it."""

from pathlib import Path

import pytest

from backstory.errors import InvalidProjectError
from backstory.project.root import canonical


@pytest.mark.parametrize("name", ["missing", "a\0b", "x" * 5000, "\ud99c", "missing/" * 2000])
def test_no_name_of_a_folder_breaks_anything(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidProjectError):
        canonical(tmp_path / name)
