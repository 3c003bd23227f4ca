"""The writer of output files: whole or not at all, in place where a rename would change what the file is."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from respec_core.boundary import output
from respec_core.boundary.output import check_file, check_folder, make_folder, open_output, staging_folder, write_text
from respec_core.errors import ReSpecError

REPOSITORY = Path(__file__).parents[2]


def failing(number: int):
    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    return fail


def contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


@pytest.mark.parametrize("name", ["t.json", "x" * 250, "ä" * 120, " .json"])
def test_a_new_file_follows_the_umask_and_leaves_nothing_else(tmp_path, name):
    before = os.umask(0o027)
    try:
        check_file(tmp_path / name)
        assert contents(tmp_path) == {}
        write_text(tmp_path / name, "né")
    finally:
        os.umask(before)
    assert contents(tmp_path) == {name: "né"}
    assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o640


def test_a_replaced_file_keeps_its_permissions_and_old_readers_their_file(tmp_path):
    path = tmp_path / "t.json"
    path.write_text("old")
    path.chmod(0o604)
    with path.open() as reader:
        check_file(path)
        write_text(path, "new")
        assert reader.read() == "old"
    assert contents(tmp_path) == {"t.json": "new"}
    assert stat.S_IMODE(path.stat().st_mode) == 0o604


@pytest.mark.parametrize("exists", [True, False])
def test_links_are_followed(tmp_path, exists):
    (tmp_path / "there").mkdir()
    target, link, second = tmp_path / "there" / "t.json", tmp_path / "link", tmp_path / "second"
    if exists:
        target.write_text("old")
    link.symlink_to("there/t.json")
    second.symlink_to(link)
    check_file(second)
    assert target.exists() == exists
    write_text(second, "new")
    assert second.is_symlink() and link.is_symlink()
    assert contents(tmp_path / "there") == {"t.json": "new"}


def test_all_names_of_a_file_see_the_new_content(tmp_path):
    path, other = tmp_path / "t.json", tmp_path / "other"
    path.write_text("a longer old content")
    other.hardlink_to(path)
    check_file(path)
    write_text(path, "new")
    assert other.read_text() == "new"


def test_another_users_file_stays_theirs(tmp_path, monkeypatch):
    path = tmp_path / "t.json"
    path.write_text("old")
    inode = path.stat().st_ino
    monkeypatch.setattr(os, "geteuid", lambda: path.stat().st_uid + 1)
    check_file(path)
    assert path.read_text() == "old"
    write_text(path, "new")
    assert (path.read_text(), path.stat().st_ino) == ("new", inode)


def test_a_file_in_a_folder_that_is_not_ours_is_written_in_place(tmp_path, monkeypatch):
    path = tmp_path / "t.json"
    path.write_text("old")
    monkeypatch.setattr(os, "access", lambda place, _: Path(place) == path)
    monkeypatch.setattr(output, "_temporary_name", failing(errno.EACCES))
    check_file(path)
    write_text(path, "new")
    assert path.read_text() == "new"


def test_a_pipe_is_written_into(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    check_file(pipe)  # does not wait for a reader
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write_text(pipe, "through")
    reader.join()
    assert read == ["through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_devices_are_written_into(tmp_path):
    link = tmp_path / "link"
    link.symlink_to("/dev/null")
    for path in (Path("/dev/null"), link):
        check_file(path)
        write_text(path, "gone")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    with pytest.raises(ReSpecError, match=r"^/dev/full cannot be written: No space left on device; choose another"):
        write_text(Path("/dev/full"), "no")
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


@pytest.mark.parametrize("through", ["/dev/stdout", "/dev/fd/1", "the file itself"])
def test_standard_output_goes_on_where_it_is(tmp_path, through):
    """Also where it is redirected to a file, which neither begins again nor becomes another."""
    file = tmp_path / "out.txt"
    path = str(file) if through == "the file itself" else through
    code = "import sys; from pathlib import Path; from respec_core.boundary.output import check_file, write_text\n"
    code += "print('text'); path = Path(sys.argv[1]); check_file(path); write_text(path, 'trace\\n'); print('end')"
    with file.open("w") as stdout:
        subprocess.run([sys.executable, "-c", code, path], cwd=REPOSITORY, stdout=stdout, check=True)
    assert contents(tmp_path) == {"out.txt": "text\ntrace\nend\n"}
    piped = subprocess.run([sys.executable, "-c", code, "/dev/stdout"], cwd=REPOSITORY, stdout=subprocess.PIPE)
    assert piped.stdout == b"text\ntrace\nend\n"


def unwritable(folder: Path, kind: str) -> Path:
    path = folder / "t.json"
    match kind:
        case "folder":
            path.mkdir()
        case "link to a folder":
            (folder / "there").mkdir()
            path.symlink_to("there")
        case "read-only":
            path.write_text("precious")
            path.chmod(0o444)
        case "link to read-only":
            (folder / "precious").write_text("precious")
            (folder / "precious").chmod(0o444)
            path.symlink_to("precious")
        case "link to itself":
            path.symlink_to("t.json")
        case "link into nowhere":
            path.symlink_to("nowhere/t.json")
        case "no folder":
            path = folder / "nowhere" / "t.json"
        case "below a file":
            path.write_text("precious")
            path /= "t.json"
        case "long":
            path = folder / ("x" * 256)
        case "system":
            path = Path("/proc/t.json")
    return path


@pytest.mark.parametrize("write", [check_file, lambda path: write_text(path, "new")], ids=["check", "write"])
@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("folder", "it is a folder"),
        ("link to a folder", "it is a folder"),
        ("read-only", "it is read-only"),
        ("link to read-only", "it is read-only"),
        ("link to itself", "symbolic links"),
        ("link into nowhere", "its folder does not exist"),
        ("no folder", "its folder does not exist"),
        ("below a file", "Not a directory"),
        ("long", "File name too long"),
        ("system", "No such file|ermission|its folder"),
    ],
)
def test_what_cannot_be_written_is_one_sentence_before_and_after(tmp_path, kind, reason, write):
    path = unwritable(tmp_path, kind)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(ReSpecError, match=reason) as error:
        write(path)
    assert str(error.value).startswith(f"{path} cannot be written: ")
    assert "\n" not in str(error.value)
    assert sorted(tmp_path.rglob("*")) == before
    assert all(p.read_text() == "precious" for p in tmp_path.iterdir() if p.is_file())


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EDQUOT])
def test_a_full_or_read_only_disk_is_noticed_before(tmp_path, monkeypatch, number):
    monkeypatch.setattr(Path, "touch", failing(number))
    for check in (check_file, check_folder):
        with pytest.raises(ReSpecError, match=os.strerror(number)):
            check(tmp_path / "t.json")


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "full"), KeyboardInterrupt(), ValueError("odd")])
def test_a_block_that_fails_leaves_the_old_file_alone(tmp_path, error):
    path = tmp_path / "t.json"
    path.write_text("old")

    def write_half() -> None:
        with open_output(path) as file:
            file.write(b"half")
            raise error

    with pytest.raises(ReSpecError if isinstance(error, OSError) else type(error)):
        write_half()
    assert contents(tmp_path) == {"t.json": "old"}


def test_text_that_has_no_encoding_leaves_the_old_file_alone(tmp_path):
    (tmp_path / "t.json").write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write_text(tmp_path / "t.json", "\ud800")
    assert contents(tmp_path) == {"t.json": "old"}


def test_folders_are_tried_without_making_them(tmp_path):
    check_folder(tmp_path)
    check_folder(tmp_path / "a" / "b")
    assert contents(tmp_path) == {}
    make_folder(tmp_path / "a" / "b")
    (tmp_path / "file").touch()
    for act in (check_folder, make_folder):
        for path in (tmp_path / "file", tmp_path / "file" / "below"):
            with pytest.raises(ReSpecError, match="cannot be written"):
                act(path)


def test_a_staging_folder_is_gone_unless_it_was_renamed(tmp_path):
    destination = tmp_path / "made" / ("x" * 250)
    with staging_folder(destination) as staging:
        assert staging.parent == destination.parent
        staging.rename(destination)
    with pytest.raises(KeyError), staging_folder(destination):
        raise KeyError
    assert list(destination.parent.iterdir()) == [destination]


@pytest.mark.parametrize("way", ["same", "link", "second name"])
def test_what_is_read_is_not_written_over(tmp_path, way):
    given = tmp_path / "given.json"
    given.write_text("kept")
    out = given if way == "same" else tmp_path / "out.json"
    if way == "link":
        out.symlink_to(given)
    elif way == "second name":
        out.hardlink_to(given)
    with pytest.raises(ReSpecError, match="it is also what is read; choose another place"):
        check_file(out, [None, tmp_path / "not there", given])
    assert given.read_text() == "kept"
    check_file(tmp_path / "another.json", [given])
    check_file(out)
