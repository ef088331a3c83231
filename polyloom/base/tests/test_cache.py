# SPDX-License-Identifier: Apache-2.0
# Covers: where a cache lies (variable, installation, user who may not write there), its bound, what is used meanwhile,
# builds that fail or come second, that nothing else is ever removed. Leaves out: what is cached.
from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from polyloom.base import cache as caches
from polyloom.base import paths
from polyloom.base.cache import MARKER, Cache
from polyloom.base.errors import UserError


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache("things", "POLYLOOM_TEST_CACHE", tmp_path / "cache")


def make(cache: Cache, key: str, size: int = 1000, age: float = 3600) -> Path:
    with cache.making(key) as fresh:
        (fresh / "thing").write_bytes(b"x" * size)
    then = time.time() - age
    os.utime(cache.folder / key / MARKER, (then, then))
    return cache.folder / key


def names(cache: Cache) -> set[str]:
    return {path.name for path in cache.folder.iterdir() if not path.name.startswith(".")}


def test_an_entry_is_found_when_it_is_whole(cache: Cache) -> None:
    assert cache.find("a", "thing") is None
    with pytest.raises(ZeroDivisionError), cache.making("a") as fresh:
        (fresh / "thing").write_text("half")
        raise ZeroDivisionError
    assert cache.find("a", "thing") is None and names(cache) == set()
    assert cache.find("a", "thing") is None
    make(cache, "a")
    found = cache.find("a", "thing")
    assert found is not None and sorted(p.name for p in found.iterdir()) == [MARKER, "thing"]


def test_an_entry_is_as_open_to_others_as_the_umask_says(cache: Cache) -> None:
    before = os.umask(0o027)
    try:
        entry = make(cache, "a")
    finally:
        os.umask(before)
    assert entry.stat().st_mode & 0o777 == 0o750


def test_another_users_entry_that_is_closed(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    entry, access = make(cache, "a"), os.access
    # Root may read everything: what the system would say is put into its mouth.
    monkeypatch.setattr(os, "access", lambda path, mode: entry not in (path, Path(path).parent) and access(path, mode))
    assert cache.find("a", "thing") is None
    with pytest.raises(UserError, match=f"{entry} belongs to a user who lets no one read it; set POLYLOOM_TEST_CACHE"):
        make(cache, "a")


def test_the_second_to_come_is_dropped(cache: Cache) -> None:
    with cache.making("a") as fresh:
        make(cache, "a", size=1)
        (fresh / "thing").write_text("later")
    assert (cache.folder / "a" / "thing").read_bytes() == b"x"
    assert names(cache) == {"a"}


def test_what_was_not_used_for_longest_goes(cache: Cache) -> None:
    for age, key in enumerate("abcd"):
        make(cache, key, age=10_000 - 1000 * age)
    mine = cache.folder / "mine"
    mine.mkdir()
    (mine / "thesis").write_bytes(b"x" * 5000)
    assert cache.find("a", "thing") is not None  # used now
    cache.trim(2500)
    assert names(cache) == {"a", "d", "mine"}
    cache.trim(0)
    assert names(cache) == {"a", "mine"}  # in use, perhaps
    cache.trim(0, settle=0)
    assert names(cache) == {"mine"}


def test_new_entries_keep_to_the_bound(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLYLOOM_CACHE_BYTES", "3K")
    for number in range(6):
        make(cache, str(number), age=5000 - number)
    assert names(cache) == {"3", "4", "5"}
    for text, value in (("5", 5), ("2M", 2 << 20), ("", caches.DEFAULT_BYTES)):
        monkeypatch.setenv("POLYLOOM_CACHE_BYTES", text)
        assert caches.bound() == value
    monkeypatch.setenv("POLYLOOM_CACHE_BYTES", "much")
    with pytest.raises(UserError, match="POLYLOOM_CACHE_BYTES=much"):
        caches.bound()


def test_who_wants_an_entry_gets_it_and_one_makes_it(cache: Cache) -> None:
    made: list[Path] = []

    def fill(fresh: Path) -> None:
        made.append(fresh)
        time.sleep(0.2)  # the others come meanwhile
        (fresh / "thing").write_text("whole")

    found: list[tuple[Path, bool]] = []
    threads = [threading.Thread(target=lambda: found.append(cache.provide("a", "thing", fill))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
    assert sorted(found) == [(cache.folder / "a", False)] + [(cache.folder / "a", True)] * 3

    def fail(fresh: Path) -> None:
        (fresh / "thing").write_text("half")
        raise UserError("no space left")

    with pytest.raises(UserError, match="no space left"):
        cache.provide("b", "thing", fail)
    assert cache.find("b", "thing") is None
    assert cache.provide("b", "thing", fill)[1] is False


def test_what_is_noted_is_known(cache: Cache) -> None:
    assert not cache.knows("a")
    cache.note("a")
    cache.note("a")
    assert cache.knows("a") and not cache.knows("b")


def test_a_key_is_of_words_names_and_texts(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_text("ab")
    two.write_text("c")
    keys = [caches.digest(["x"], [one, two]), caches.digest(["x"], [two, one]), caches.digest(["x", ""], [one, two])]
    one.write_text("a")
    two.write_text("bc")
    keys.append(caches.digest(["x"], [one, two]))
    assert len(set(keys)) == 4


def test_checkouts_of_a_user_share_a_cache_unless_the_user_may_not_write_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed, own = tmp_path / "build", tmp_path / "home"
    monkeypatch.setattr(paths, "build_dir", lambda: installed)
    monkeypatch.delenv("POLYLOOM_TEST_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(own))
    cache = Cache("things", "POLYLOOM_TEST_CACHE")
    assert cache.folder == own / "polyloom" / "things"
    make(cache, "a")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache.folder == tmp_path / ".cache" / "polyloom" / "things"
    monkeypatch.setenv("XDG_CACHE_HOME", str(own))
    # Root may write everywhere: what the system would say is put into its mouth.
    access = os.access

    def allows(path: str | Path, mode: int) -> bool:
        return access(path, mode) and not (mode & os.W_OK and own in Path(path).parents)

    monkeypatch.setattr(os, "access", allows)
    assert cache.folder == installed / "things"
    make(cache, "b")
    assert cache.find("b", "thing") == installed / "things" / "b"
    monkeypatch.setattr(os, "access", access)
    assert cache.find("a", "thing") == own / "polyloom" / "things" / "a"
    assert cache.find("b", "thing") == installed / "things" / "b"  # what the installation has is used
    monkeypatch.setenv("POLYLOOM_TEST_CACHE", str(tmp_path / "wanted"))
    assert cache.folder == tmp_path / "wanted"
    (tmp_path / "file").touch()
    monkeypatch.setenv("POLYLOOM_TEST_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(UserError, match="cannot be written: Not a directory; set POLYLOOM_TEST_CACHE"):
        cache.made()


def test_many_at_once(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makers and users of a cache that holds few entries; none sees one that is not whole."""
    monkeypatch.setenv("POLYLOOM_CACHE_BYTES", "2500")
    monkeypatch.setattr(caches, "SETTLE_SECONDS", 0.0)
    bad: list[object] = []

    def work(first: int) -> None:
        try:
            for number in range(30):
                key = str((first + number) % 6)
                if cache.find(key, "thing") is None:
                    with cache.making(key) as fresh:
                        (fresh / "thing").write_bytes(b"x" * 1000)
        except Exception as error:
            bad.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert bad == []
    assert all((cache.folder / name / "thing").stat().st_size == 1000 for name in names(cache))
