#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests the `heddle` command as its users see it: outputs, messages, exit codes. HEDDLE is the program, HEDDLE_SOURCE the
repository."""
from __future__ import annotations

import array
import os
import pty
import re
import resource
import shutil
import struct
import subprocess
import tempfile
import unittest
import zlib
from pathlib import Path

HEDDLE = os.environ["HEDDLE"]
SOURCE = Path(os.environ["HEDDLE_SOURCE"])
KERNELS = SOURCE / "examples" / "kernels"
AGENTS = ("cpu", "interpreter")

WRONG_TEXT = """module &wrong:1:0:$full:$large:$default;
prog kernel &k(kernarg_u64 %p)
{
  ld_kernarg_u64 $d0, [%p];
  add_u32 $s0, $d0;
};
"""

FORMALS_TEXT = """module &m:1:0:$full:$large:$default;
prog kernel &formals(
    kernarg_u64 %out,
    kernarg_u8 %byte,
    // a comment among the formals
    align(64) kernarg_u16 %half,
    kernarg_u8x4 %packed,
    align(32) kernarg_u32 %array[3],
    align(128) kernarg_u64 %long)
{
  ld_kernarg_u64 $d0, [%out];
  ld_kernarg_u8 $s0, [%byte];
  cvt_u64_u32 $d1, $s0;
  st_global_u64 $d1, [$d0];
  ld_kernarg_u16 $s0, [%half];
  cvt_u64_u32 $d1, $s0;
  st_global_u64 $d1, [$d0 + 8];
  ld_kernarg_u32 $s0, [%packed];
  cvt_u64_u32 $d1, $s0;
  st_global_u64 $d1, [$d0 + 16];
  ld_kernarg_u32 $s0, [%array][8];
  cvt_u64_u32 $d1, $s0;
  st_global_u64 $d1, [$d0 + 24];
  ld_kernarg_u64 $d1, [%long];
  st_global_u64 $d1, [$d0 + 32];
};
"""


def heddle(*arguments: object, stdin: bytes | None = None, **env: str) -> subprocess.CompletedProcess:
    clean = {key: value for key, value in os.environ.items() if key not in ("HEDDLE_AGENTS", "NO_COLOR")}
    return subprocess.run([HEDDLE, *map(str, arguments)], input=stdin, capture_output=True, check=False,
                          env={**clean, **env})


def on_terminal(*arguments: object, **env: str) -> str:
    """Returns what the command writes when standard output and error are a terminal."""
    clean = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    leader, follower = pty.openpty()
    with subprocess.Popen([HEDDLE, *map(str, arguments)], stdout=follower, stderr=follower,
                          env={**clean, "TERM": "xterm", **env}) as process:
        os.close(follower)
        text = b""
        while True:
            try:
                more = os.read(leader, 65536)
            except OSError:  # the terminal has no more writers
                break
            if not more:
                break
            text += more
        process.wait()
    os.close(leader)
    return text.decode()


def read_npy(path: Path) -> tuple[str, str, bytes]:
    """Returns descr, the shape as text, and the data. The test has its own reader, so as not to share heddle's mistakes."""
    data = path.read_bytes()
    assert data[:8] == b"\x93NUMPY\x01\x00"
    (length,) = struct.unpack("<H", data[8:10])
    header = eval(data[10:10 + length].decode("ascii"))  # pylint: disable=eval-used
    return header["descr"], header["shape"], data[10 + length:]


def write_npy(path: Path, descr: str, shape: str, data: bytes) -> None:
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode("ascii") + data)


class CommandTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="heddle-command-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def assert_fails(self, result: subprocess.CompletedProcess, code: int, *parts: str) -> None:
        text = result.stderr.decode()
        self.assertEqual(result.returncode, code, text)
        for part in parts:
            self.assertIn(part, text)

    def assert_succeeds(self, result: subprocess.CompletedProcess) -> str:
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        return result.stdout.decode()

    def assembled(self, name: str) -> Path:
        brig = self.folder / f"{name}.brig"
        self.assert_succeeds(heddle("as", KERNELS / f"{name}.hsail", "-o", brig))
        return brig


class Usage(CommandTest):
    def test_help_names_every_command(self):
        text = self.assert_succeeds(heddle("--help"))
        for command in ("as", "dis", "check", "finalize", "run", "info"):
            self.assertRegex(text, rf"(?m)^ +{command} ")
            self.assertIn("FILE" if command != "info" else "--agent", self.assert_succeeds(heddle(command, "--help")))
        self.assertIn("Exit codes", text)

    def test_version(self):
        self.assertRegex(self.assert_succeeds(heddle("--version")), r"^heddle \d+\.\d+")

    def test_wrong_usage(self):
        for arguments in ([], ["frobnicate"], ["as"], ["dis", "--frobnicate", "x"], ["run", "x.hsail"],
                          ["finalize", "x.hsail"], ["info", "--agent", "toaster"]):
            with self.subTest(arguments):
                result = heddle(*arguments)
                self.assertEqual(result.returncode, 2)
                self.assertTrue(result.stderr + result.stdout)

    def test_a_wrong_command_is_named_and_the_right_ones_are_listed(self):
        self.assert_fails(heddle("bogus"), 2, "there is no command 'bogus';", "\n  as ", "\n  finalize ", "\n  fuzz-exec ")
        self.assert_fails(heddle("finalise", "x.hsail"), 2, "'finalise' (is it 'finalize'?)")
        self.assert_fails(heddle(), 2, "no command is given", "\n  check ")
        self.assert_fails(heddle("--bogus"), 2, "there is no option '--bogus'")

    def test_lost_output_is_a_failure(self):
        file = KERNELS / "vector_add.hsail"
        brig = self.assembled("vector_add")
        for arguments in (["--help"], ["--version"], ["run", "--help"], ["check", file], ["dis", brig],
                          ["as", file, "-o", "-"], ["finalize", "--list-isas"], ["info"], ["fuzz-exec", "--print"],
                          ["run", file, *Run.VECTOR_ADD[:4], "--arg", "f32*1000", *Run.VECTOR_ADD[4:]]):
            with self.subTest(arguments), open("/dev/full", "wb") as full:
                result = subprocess.run([HEDDLE, *map(str, arguments)], stdout=full, stderr=subprocess.PIPE, check=False)
                self.assert_fails(result, 1, "heddle: error: cannot write")

    def test_closed_streams(self):
        result = subprocess.run(["sh", "-c", 'exec "$0" check "$1" >&-', HEDDLE, KERNELS / "vector_add.hsail"],
                                stderr=subprocess.PIPE, check=False)
        self.assert_fails(result, 1, "cannot write standard output")
        out = self.folder / "x.brig"  # must not receive text that was meant for a closed stream
        result = subprocess.run(["sh", "-c", 'exec "$0" as "$1" -o "$2" >&- 2>&-', HEDDLE, KERNELS / "vector_add.hsail", out],
                                check=False)
        self.assertEqual(out.read_bytes(), self.assembled("vector_add").read_bytes())


class Outputs(CommandTest):
    """Files after an output that could not be written, or must not be."""

    def limited(self, *arguments: object) -> subprocess.CompletedProcess:
        """Runs the command with a limit of 100 bytes on files."""
        return subprocess.run([HEDDLE, *map(str, arguments)], capture_output=True, check=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)))

    def test_a_failed_write_leaves_what_was_there(self):
        kernel = KERNELS / "vector_add.hsail"
        old = self.folder / "old"
        old.write_text("precious")
        brig = self.assembled("vector_add")
        for arguments in (["as", kernel], ["dis", brig], ["finalize", kernel]):
            with self.subTest(arguments):
                self.assert_fails(self.limited(*arguments, "-o", old), 1, "cannot write", "File too large")
                self.assertEqual(old.read_text(), "precious")
                self.assert_fails(self.limited(*arguments, "-o", self.folder / "new"), 1, "cannot write", "File too large")
                self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["old", "vector_add.brig"])

    def test_devices_and_links_stay_what_they_are(self):
        kernel = KERNELS / "vector_add.hsail"
        self.assert_fails(heddle("as", kernel, "-o", "/dev/full"), 1, "cannot write /dev/full", "No space left")
        self.assertTrue(Path("/dev/full").is_char_device())
        self.assert_succeeds(heddle("as", kernel, "-o", "/dev/null"))
        self.assertTrue(Path("/dev/null").is_char_device())
        link, target = self.folder / "link", self.folder / "target"
        link.symlink_to(target)
        self.assert_succeeds(heddle("as", kernel, "-o", link))
        self.assertTrue(link.is_symlink())
        self.assertEqual(target.read_bytes(), self.assembled("vector_add").read_bytes())
        link.unlink()
        link.symlink_to("/dev/full")
        self.assert_fails(heddle("as", kernel, "-o", link), 1, "No space left")
        self.assertTrue(link.is_symlink() and Path("/dev/full").is_char_device())

    def test_a_replaced_file_keeps_its_permissions(self):
        out = self.folder / "x.brig"
        out.write_text("old")
        out.chmod(0o640)
        self.assert_succeeds(heddle("as", KERNELS / "vector_add.hsail", "-o", out))
        self.assertEqual(out.stat().st_mode & 0o7777, 0o640)
        self.assertEqual(out.read_bytes(), self.assembled("vector_add").read_bytes())

    def test_an_output_does_not_replace_an_input(self):
        source, brig = self.folder / "x.hsail", self.assembled("vector_add")
        shutil.copy(KERNELS / "vector_add.hsail", source)
        (self.folder / "soft").symlink_to(source)
        os.link(source, self.folder / "hard")
        for name in ("x.hsail", "soft", "hard", "../" + self.folder.name + "/x.hsail"):
            with self.subTest(name):
                self.assert_fails(heddle("as", source, "-o", self.folder / name), 2, "is the input")
        self.assert_fails(heddle("finalize", brig, source, "-o", source), 2, "is the input")
        self.assert_fails(heddle("dis", brig, "-o", brig), 2, "is the input")
        self.assert_fails(heddle("run", source, *Run.VECTOR_ADD[:4], "--arg", f"f32*1000={source}", *Run.VECTOR_ADD[4:]), 2,
                          "--arg 0", "would replace")
        self.assertEqual(source.read_bytes(), (KERNELS / "vector_add.hsail").read_bytes())
        self.assertEqual(brig.read_bytes()[:8], b"HSA BRIG")


class AssembleAndDisassemble(CommandTest):
    def test_round_trip_is_a_fixed_point(self):
        for kernel in sorted(KERNELS.glob("*.hsail")):
            with self.subTest(kernel.name):
                brig = self.assembled(kernel.stem)
                self.assertEqual(brig.read_bytes()[:8], b"HSA BRIG")
                text = self.assert_succeeds(heddle("dis", brig))
                again = heddle("as", "-", "-o", "-", stdin=text.encode())
                self.assert_succeeds_binary(again)
                self.assertEqual(again.stdout, brig.read_bytes())

    def assert_succeeds_binary(self, result):
        self.assertEqual(result.returncode, 0, result.stderr.decode())

    def test_default_output_lies_beside_the_input(self):
        shutil.copy(KERNELS / "vector_add.hsail", self.folder)
        self.assert_succeeds(heddle("as", self.folder / "vector_add.hsail"))
        self.assertTrue((self.folder / "vector_add.brig").exists())

    def test_disassembles_into_a_file(self):
        self.assert_succeeds(heddle("dis", self.assembled("vector_add"), "-o", self.folder / "t.hsail"))
        self.assertIn("&vector_add", (self.folder / "t.hsail").read_text())

    def test_syntax_error_has_a_position_and_leaves_no_file(self):
        wrong = self.folder / "wrong.hsail"
        wrong.write_text(WRONG_TEXT)
        self.assert_fails(heddle("as", wrong, "-o", self.folder / "x.brig"), 1, "wrong.hsail:5:", "error:")
        self.assertFalse((self.folder / "x.brig").exists())

    def test_files_that_are_not_there(self):
        self.assert_fails(heddle("as", self.folder / "none.hsail"), 1, "none.hsail", "No such file")
        self.assert_fails(heddle("dis", self.folder / "none.brig"), 1, "none.brig", "No such file")
        self.assert_fails(heddle("as", KERNELS / "vector_add.hsail", "-o", self.folder / "no" / "x.brig"), 1, "cannot write")

    def test_garbage_is_no_brig(self):
        for content in (b"", b"HSA BRIG", b"HSA BRIG" + bytes(100), b"\x7fELF" + bytes(60), bytes(range(256))):
            (self.folder / "garbage").write_bytes(content)
            with self.subTest(content[:16]):
                self.assert_fails(heddle("dis", self.folder / "garbage"), 1, "garbage")


    def test_brig_is_not_assembled(self):
        brig = self.assembled("vector_add")
        self.assert_fails(heddle("as", brig, "-o", self.folder / "again.brig"), 1, "vector_add.brig: this is BRIG")
        self.assertFalse((self.folder / "again.brig").exists())


class Check(CommandTest):
    def test_as_writes_the_version_of_brig_that_is_asked_for(self):
        text = self.folder / "v.hsail"
        text.write_text("module &m:1:2:$full:$large:$default;\nkernel &k() { add_u32 $s0, $s0, 1; };\n")
        brig = self.folder / "v.brig"
        for version in ("1.0", "1.1", "1.2"):
            self.assert_succeeds(heddle("as", "--brig", version, text, "-o", brig))
            self.assertEqual(brig.read_bytes()[8:16], bytes([1, 0, 0, 0, int(version[2]), 0, 0, 0]))
        self.assert_fails(heddle("as", "--brig", "1.3", text, "-o", brig), 2, "--brig")
        text.write_text("module &m:1:2:$full:$large:$default;\nkernel &k() { add_sat_u32 $s0, $s0, 1; };\n")
        self.assert_fails(heddle("as", "--brig", "1.1", text, "-o", brig), 1, "v.hsail:2:", "HSAIL-14.1-version-sat")

    def test_correct_files(self):
        brig = self.assembled("matmul")
        text = self.assert_succeeds(heddle("check", brig, KERNELS / "sobel.hsail"))
        self.assertEqual(text.count(": correct"), 2)
        self.assertEqual(self.assert_succeeds(heddle("check", "-q", brig)), "")

    def test_wrong_text_among_correct_files(self):
        wrong = self.folder / "wrong.hsail"
        wrong.write_text(WRONG_TEXT)
        result = heddle("check", wrong, KERNELS / "sobel.hsail")
        self.assert_fails(result, 1, "wrong.hsail:5:", "error:")
        self.assertIn("sobel.hsail: correct", result.stdout.decode())

    def test_every_truncation_is_refused(self):
        brig = self.assembled("vector_add").read_bytes()
        for size in range(0, len(brig), 97):
            (self.folder / "cut.brig").write_bytes(brig[:size])
            result = heddle("check", self.folder / "cut.brig")
            self.assertEqual(result.returncode, 1, f"{size} of {len(brig)} bytes: {result.stderr.decode()}")


    def test_no_commands_for_the_terminal(self):
        wrong = self.folder / "wrong\x1b.hsail"
        wrong.write_bytes(b"module &m:1:0:$full:$large:$default;\n/* \x1b]0;t\x07 \xc3\xa9 \xc2\x9b */ bogus \x1b;\n")
        for command in ("check", "as"):
            text = heddle(command, wrong).stderr
            self.assertNotRegex(text, rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]")
            self.assertIn("  /* ?]0;t? \u00e9 ? */ bogus ?;\n                   ^~~~~\n", text.decode())

    def test_brig_errors_name_the_file(self):
        whole = self.assembled("vector_add").read_bytes()
        one, two = self.folder / "one.brig", self.folder / "two.brig"
        one.write_bytes(whole[:300])
        two.write_bytes(whole[:100])
        self.assert_fails(heddle("check", one, two), 1, f"{one}:file+0x10: error: ", f"{two}:file+0x")
        self.assert_fails(heddle("dis", two), 1, f"{two}:file+0x")
        # Finalization reports the errors as `heddle check` does.
        self.assert_fails(heddle("finalize", one, "-o", self.folder / "x.hco"), 1, f"{one}:file+0x10: error: ")
        self.assert_fails(heddle("run", one, "--grid", "1"), 1, f"{one}:file+0x10: error: ")

    def test_link_errors_name_the_files(self):
        user, other = self.folder / "user.hsail", self.folder / "other.hsail"
        user.write_text("module &user:1:0:$full:$large:$default;\ndecl prog function &missing()();\n"
                        "prog kernel &k()\n{\n  {\n    call &missing()();\n  }\n};\n")
        other.write_text("module &other:1:0:$full:$large:$default;\n")
        out = self.folder / "x.hco"
        self.assert_fails(heddle("finalize", user, "-o", out), 1, f"{user}:hsa_code+0x", "&missing")
        self.assert_fails(heddle("finalize", user, other, "-o", out), 1, f"{user}, {other}:hsa_code+0x", "&missing")


class Finalize(CommandTest):
    def isas(self) -> list[str]:
        return [line.split()[0] for line in self.assert_succeeds(heddle("finalize", "--list-isas")).splitlines()]

    def test_every_isa(self):
        self.assertIn("heddle:hsail:w1", self.isas())
        for isa in self.isas():
            with self.subTest(isa):
                out = self.folder / "out.hco"
                self.assert_succeeds(heddle("finalize", KERNELS / "vector_add.hsail", "-o", out, "--isa", isa))
                self.assertEqual(out.read_bytes()[:4], b"\x7fELF")

    def test_code_for_gpus_is_text(self):
        out = self.folder / "gpu.hco"
        self.assert_succeeds(heddle("finalize", KERNELS / "vector_add.hsail", "--isa", "heddle:nvptx-sm_90", "-o", out))
        ptx = self.assert_succeeds(heddle("dis", out))
        self.assertIn(".target sm_90", ptx)
        self.assertRegex(ptx, r"\.visible \.entry hsail_native_0\(")
        self.assertTrue(ptx.endswith("\n"))

    def test_code_for_gpus_checks_addresses_if_asked(self):
        def ptx(*options: str, **environment: str) -> str:
            out = self.folder / "gpu.hco"
            self.assert_succeeds(heddle("finalize", KERNELS / "vector_add.hsail", "--isa", "heddle:nvptx-sm_90", "-o", out,
                                        *options, **environment))
            return self.assert_succeeds(heddle("dis", out))
        self.assertNotIn("hsail_dev_nvptx_check_global", ptx())
        checked = ptx("--check-addresses")
        self.assertIn("hsail_dev_nvptx_check_global", checked)
        self.assertEqual(ptx(HEDDLE_CHECK_ADDRESSES="1"), checked)
        self.assertEqual(ptx(HEDDLE_CHECK_ADDRESSES="0"), ptx())

    def test_brig_and_text_give_the_same(self):
        from_text, from_brig = self.folder / "t.hco", self.folder / "b.hco"
        brig = self.folder / "sobel.brig"  # has the text's lines, which finalizing text keeps
        self.assert_succeeds(heddle("as", "-g", KERNELS / "sobel.hsail", "-o", brig))
        self.assert_succeeds(heddle("finalize", KERNELS / "sobel.hsail", "-o", from_text))
        self.assert_succeeds(heddle("finalize", brig, "-o", from_brig))
        self.assertEqual(from_text.read_bytes(), from_brig.read_bytes())

    def test_several_modules_make_one_program(self):
        out = self.folder / "two.hco"
        self.assert_succeeds(heddle("finalize", KERNELS / "sobel.hsail", KERNELS / "nbody.hsail", "-o", out))
        self.assert_fails(heddle("finalize", KERNELS / "sobel.hsail", KERNELS / "sobel.hsail", "-o", out), 1, "sobel.hsail")

    def test_errors(self):
        out = self.folder / "x.hco"
        self.assert_fails(heddle("finalize", KERNELS / "sobel.hsail", "-o", out, "--isa", "pdp:11"), 1, "pdp:11")
        self.assert_fails(heddle("finalize", KERNELS / "sobel.hsail"), 2, "-o")
        self.assert_fails(heddle("finalize", KERNELS / "sobel.hsail", "-o", out, "-O", "7"), 2)
        self.assertFalse(out.exists())


class Run(CommandTest):
    """Runs kernels on every kernel agent."""

    VECTOR_ADD = ("--grid", "1000", "--group", "64", "--arg", "f32:iota*1000", "--arg", "f32:2.5*1000", "--arg", "u32:1000")

    def run_vector_add(self, agent: str, file: Path, result: str) -> subprocess.CompletedProcess:
        first, *rest = self.VECTOR_ADD[:4], *self.VECTOR_ADD[4:]
        return heddle("run", file, "--kernel", "&vector_add", *first, "--arg", result, *rest, "--agent", agent)

    def test_results_and_report(self):
        for agent in AGENTS:
            with self.subTest(agent):
                out = self.folder / f"{agent}.npy"
                text = self.assert_succeeds(self.run_vector_add(agent, KERNELS / "vector_add.hsail", f"f32*1000={out}"))
                descr, shape, data = read_npy(out)
                self.assertEqual((descr, shape), ("<f4", (1000,)))
                self.assertEqual(list(array.array("f", data)), [i + 2.5 for i in range(1000)])
                self.assertIn(f"crc32 {zlib.crc32(data):08x}", text)
                self.assertIn("min 2.5  max 1001.5", text)
                for word in ("agent", "&vector_add", "assemble", "finalize", "load", "dispatch", "execution"):
                    self.assertIn(word, text)

    def test_brig_and_code_objects(self):
        brig = self.assembled("vector_add")
        for agent in AGENTS:
            with self.subTest(agent):
                self.assert_succeeds(self.run_vector_add(agent, brig, "f32*1000"))
                code = self.folder / f"{agent}.hco"
                isa = ["--isa", "heddle:hsail:w1"] if agent == "interpreter" else []
                self.assert_succeeds(heddle("finalize", brig, "-o", code, *isa))
                text = self.assert_succeeds(self.run_vector_add(agent, code, "f32*1000"))
                self.assertNotIn("finalize", text)
                self.assertIn("min 2.5  max 1001.5", text)

    def test_debug_information_for_waves(self):
        shown = self.assert_succeeds(heddle("info", "--agent", "cpu"))
        first, *others = re.findall(r"ISA (heddle:x86-64-v\d:w\d+)", shown)
        self.assertTrue(others)
        sizes = ("--grid", "64,64", "--group", "16,16")
        arguments = ("--arg", "f32:iota*4096", "--arg", "f32:0.125*4096", "--arg", "u32:64")
        results = {}
        for isa in (first, *others):
            for options in ((), ("-g",), ("-g", "-O", "2")):
                with self.subTest((isa, options)):
                    code, out = self.folder / "code.hco", self.folder / "out.bin"
                    self.assert_succeeds(heddle("finalize", KERNELS / "matmul.hsail", "-o", code, "--isa", isa, *options))
                    self.assertEqual(b".debug_info" in code.read_bytes(), "-g" in options)
                    self.assert_succeeds(heddle("run", code, "--agent", "cpu", *sizes, "--arg", f"f32*4096={out}", *arguments))
                    results[isa, options] = out.read_bytes()
        self.assertNotEqual(results[first, ()], bytes(4 * 4096))
        self.assertEqual(set(results.values()), {results[first, ()]})

    def test_code_for_another_isa_is_refused(self):
        code = self.folder / "hsail.hco"
        self.assert_succeeds(heddle("finalize", KERNELS / "vector_add.hsail", "-o", code, "--isa", "heddle:hsail:w1"))
        self.assert_fails(self.run_vector_add("cpu", code, "f32*1000"), 1, "cannot load")

    def test_files_of_all_kinds(self):
        values = array.array("I", range(64))
        write_npy(self.folder / "in.npy", "<u4", "(64,)", values.tobytes())
        (self.folder / "in.bin").write_bytes(values.tobytes())
        for agent in AGENTS:
            for source in (f"@{self.folder}/in.npy", f"u32@{self.folder}/in.bin", "in:u32:iota*64"):
                with self.subTest((agent, source)):
                    out = self.folder / "out.bin"
                    self.assert_succeeds(heddle("run", SOURCE / "examples/c/vector_copy.hsail", "--grid", "64", "--arg",
                                                f"u32*64={out}", "--arg", source, "--agent", agent))
                    self.assertEqual(out.read_bytes(), values.tobytes())

    def test_kernarg_layout(self):
        """Each formal (aligned, packed or array) is copied to the output as the kernel sees it."""
        source = self.folder / "formals.hsail"
        source.write_text(FORMALS_TEXT)
        values = ["u8:7", "u16:513", "u8x4:1,2,3,4", "u32:10,20,30", "u64:0x1122334455667788"]
        expected = struct.pack("<5Q", 7, 513, 0x04030201, 30, 0x1122334455667788)
        aligned = ["", "align(64):", "", "align(32):", "align(128):"]
        for agent in AGENTS:
            with self.subTest(agent):
                out = self.folder / "out.bin"
                last = ("--agent", agent)
                first = ("--grid", "1", "--arg", f"u64*5={out}")
                plain = [word for value in values for word in ("--arg", value)]
                self.assert_succeeds(heddle("run", source, *first, *plain, *last))
                self.assertEqual(out.read_bytes(), expected)
                # A code object does not describe the kernel's arguments.
                code = self.folder / f"formals-{agent}.hco"
                isa = ["--isa", "heddle:hsail:w1"] if agent == "interpreter" else []
                self.assert_succeeds(heddle("finalize", source, "-o", code, *isa))
                said = [word for prefix, value in zip(aligned, values) for word in ("--arg", prefix + value)]
                out.unlink()
                self.assert_succeeds(heddle("run", code, *first, *said, *last))
                self.assertEqual(out.read_bytes(), expected)
                self.assert_fails(heddle("run", code, *first, *plain, *last), 1, "bytes of arguments")
        self.assert_fails(heddle("run", source, *first, *plain[:-2]), 1, "&formals takes 6 arguments", "u8x4 %packed",
                          "u32[3] %array", "5 --arg are given")
        self.assert_fails(heddle("run", source, *first, *plain[:4], "--arg", "u8x8:1,2,3,4,5,6,7,8", *plain[6:]), 1,
                          "--arg 3: u8x4 %packed has 4 bytes", "has 8")
        self.assert_fails(heddle("run", source, *first, "--arg", "align(16):u8:7", *plain[2:]), 1, "--arg 1", "aligned to 1 ")

    def test_rounding_mode(self):
        """A module's own rounding mode is not overridden by the environment variable for programs that use the API."""
        source = self.folder / "formals.hsail"
        source.write_text(FORMALS_TEXT.replace("$default", "$near"))
        values = ["u64*5", "u8:7", "u16:513", "u8x4:1,2,3,4", "u32:10,20,30", "u64:1"]
        arguments = [word for value in values for word in ("--arg", value)]
        for mode in ("near", "zero"):
            self.assert_succeeds(heddle("run", source, "--grid", "1", *arguments, HEDDLE_FLOAT_ROUNDING=mode))

    def test_pictures(self):
        photo = SOURCE / "examples/data/coffee.png"
        out = self.folder / "edges.png"
        text = self.assert_succeeds(heddle("run", KERNELS / "sobel.hsail", "--grid", "600,400", "--group", "60,4", "--arg",
                                           f"u8*400x600={out}", "--arg", f"png:{photo}", "--arg", "s32:600", "--arg", "s32:400",
                                           "--agent", "cpu"))
        self.assertIn("u8[400][600]", text)
        header = out.read_bytes()[:24]
        self.assertEqual(header[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(struct.unpack(">II", header[16:24]), (600, 400))

    def test_repeats_start_from_the_same_values(self):
        for agent in AGENTS:
            with self.subTest(agent):
                text = self.assert_succeeds(heddle(
                    "run", KERNELS / "histogram.hsail", "--grid", "256", "--group", "256", "--arg", "inout:u32:0*256", "--arg",
                    "u8:3*1000", "--arg", "u32:1000", "--repeat", "3", "--agent", agent))
                self.assertIn("max 1000", text)
                self.assertIn("median of 3", text)

    def test_recursion(self):
        for agent in AGENTS:
            with self.subTest(agent):
                out = self.folder / "sorted.npy"
                self.assert_succeeds(heddle("run", KERNELS / "quicksort.hsail", "--grid", "4", "--arg",
                                            f"u32:random(0,1000000)*4x200={out}", "--arg", "u32:200", "--agent", agent))
                sort = array.array("I", read_npy(out)[2])
                for slice_start in range(0, 800, 200):
                    part = list(sort[slice_start:slice_start + 200])
                    self.assertEqual(part, sorted(part))
                    self.assertGreater(len(set(part)), 100)

    def test_the_command_line_is_checked_before_any_work(self):
        file = self.folder / "does-not-matter.hsail"
        self.assert_fails(heddle("run", file, "--grid", "4", "--arg", "f33*4"), 2, "'f33' is no type", "\n  f33*4\n  ^")
        self.assert_fails(heddle("run", file, "--grid", "0"), 2, "--grid")
        self.assert_fails(heddle("run", file, "--grid", "8,8", "--group", "2,2,2"), 2, "more dimensions")
        self.assert_fails(heddle("run", file, "--grid", "8", "--group", "70000"), 2, "65535")
        self.assert_fails(heddle("run", file, "--grid", "8", "--repeat", "0"), 2, "repeat")
        self.assert_fails(heddle("run", file, "--grid", "8", "--stack", "-1"), 2, "--stack: -1 is no whole number")
        self.assert_fails(heddle("run", file, "--grid", "8", "--dynamic-group", "4294967296"), 2, "--dynamic-group")
        self.assert_fails(heddle("run", file, "--grid", "8", "--timeout", "nan"), 2, "--timeout: nan is no number")

    def test_errors_of_the_work(self):
        vector_add = KERNELS / "vector_add.hsail"
        self.assert_fails(heddle("run", vector_add, "--grid", "4", "--arg", f"@{self.folder}/none.npy"), 1, "none.npy")
        self.assert_fails(heddle("run", vector_add, "--grid", "4", "--kernel", "&nothing"), 1, "&nothing", "&vector_add")
        self.assert_fails(heddle("run", KERNELS / "gaussian_blur.hsail", "--grid", "4"), 1, "--kernel", "&blur_rows")
        self.assert_fails(heddle("run", vector_add, "--grid", "4", "--arg", "u32:1"), 1, "takes 4 arguments", "u64 %out")
        self.assert_fails(heddle("run", vector_add, "--grid", "4", "--agent", "toaster"), 1, "toaster")
        wrong = self.folder / "wrong.hsail"
        wrong.write_text(WRONG_TEXT)
        self.assert_fails(heddle("run", wrong, "--grid", "4"), 1, "wrong.hsail:5:")

    def test_a_refused_packet_is_reported(self):
        for agent in AGENTS:
            with self.subTest(agent):
                # The kernel requires work-groups of 256.
                self.assert_fails(heddle("run", KERNELS / "histogram.hsail", "--grid", "70000", "--group", "60000", "--arg",
                                         "u32*256", "--arg", "u8:3*1000", "--arg", "u32:1000", "--agent", agent), 1,
                                  "the dispatch failed", "work-group")

    def test_a_fault_is_explained(self):
        file = self.folder / "fault.hsail"
        file.write_text("module &m:1:2:$full:$large:$default;\nprog kernel &guilty(kernarg_u64 %p)\n{\n  debugtrap_u32 77;\n};\n")
        for agent in AGENTS:
            with self.subTest(agent):
                self.assert_fails(heddle("run", file, "--grid", "1", "--arg", "u32*1", "--agent", agent), 1,
                                  "the dispatch failed", "&guilty", "debugtrap 77", "fault.hsail:4")

    def test_a_debugger_without_its_script_runs_nothing(self):
        file = SOURCE / "examples/c/vector_copy.hsail"
        arguments = (file, "--grid", "4", "--arg", f"u32*4={self.folder}/out.bin", "--arg", "u32:iota*4")
        for script, why in ((self.folder / "none", "No such file"), (self.folder, "Is a directory"), ("", "No such file")):
            with self.subTest(script):
                result = heddle("debug", "-x", script, *arguments)
                self.assert_fails(result, 1, f"cannot read the script {script}:", why)
                self.assertEqual(result.stdout, b"")
        self.assertEqual(list(self.folder.iterdir()), [])
        self.assert_fails(heddle("debug", "-x", self.folder / "none", file, "--grid", "0"), 2, "--grid")

    def test_timeout(self):
        for agent in AGENTS:
            with self.subTest(agent):
                # These 2^36 steps take minutes on any agent.
                self.assert_fails(heddle("run", KERNELS / "mandelbrot.hsail", "--grid", "4096,4096", "--group", "16,16", "--arg",
                                         "u32*4096x4096", "--arg", "u32:4096", "--arg", "u32:4096", "--arg", "f32:0", "--arg",
                                         "f32:0", "--arg", "f32:0", "--arg", "u32:4096", "--agent", agent, "--timeout", "0.2"),
                                  1, "has not finished after 200.00 ms")


    def test_wave_size_of_the_interpreter(self):
        kernel = self.folder / "wave.hsail"
        kernel.write_text("""module &m:1:0:$full:$large:$default;
prog kernel &wave(kernarg_u64 %out)
{
  activelanecount_u32_b1 $s0, 1;
  mad_u32 $s0, $s0, 1000, WAVESIZE;
  workitemabsid_u32 $s1, 0;
  cvt_u64_u32 $d0, $s1;
  ld_kernarg_u64 $d1, [%out];
  mad_u64 $d1, $d0, 4, $d1;
  st_global_u32 $s0, [$d1];
};
""")
        arguments = ("run", kernel, "--grid", "96", "--group", "96", "--agent", "interpreter", "--arg",
                     f"u32*96={self.folder}/out.bin")
        for size, expected in (("", [1001] * 96), ("1", [1001] * 96), ("64", [64064] * 64 + [32064] * 32),
                               ("256", [96256] * 96)):
            with self.subTest(size):
                self.assert_succeeds(heddle(*arguments, HEDDLE_WAVESIZE=size))
                self.assertEqual(list(array.array("I", (self.folder / "out.bin").read_bytes())), expected)
        for size in ("3", "512", "0", "064", "64 "):
            with self.subTest(size):
                self.assert_fails(heddle(*arguments, HEDDLE_WAVESIZE=size), 1,
                                  "HEDDLE_WAVESIZE is not a power of two from 1 to 256")


class Info(CommandTest):
    def test_tree(self):
        text = self.assert_succeeds(heddle("info", LC_ALL="C.UTF-8"))
        for part in ("HSA 1.2 runtime", "├─ ", "└─ ", "agent 0:", "kernel dispatch", "ISA heddle:hsail:w1", "wavefront:",
                     "region global", "fine-grained", "queues:", "work-group: at most", "grid: at most"):
            self.assertIn(part, text)
        self.assertGreaterEqual(text.count("\n├─ agent") + text.count("\n└─ agent"), 3)

    def test_plain_tree_without_utf8(self):
        text = self.assert_succeeds(heddle("info", LC_ALL="C"))
        self.assertIn("\n|- ", text)
        self.assertNotIn("├", text)

    def test_choice_of_agents(self):
        self.assertNotIn("ISA heddle:hsail", self.assert_succeeds(heddle("info", "--agent", "cpu")))
        self.assertNotIn("ISA heddle:x86", self.assert_succeeds(heddle("info", "--agent", "interpreter")))
        self.assertNotIn("ISA heddle:x86", self.assert_succeeds(heddle("info", HEDDLE_AGENTS="interpreter")))


    def test_counters(self):
        text = self.assert_succeeds(heddle("info", "--agent", "cpu"))
        for part in ("kernel.dispatches: ", "compute_unit.N.busy_time: ", "agent.utilization: ", "(%)", "queues.waiting_packets: ",
                     "memory.allocated: ", "copies.bytes: "):
            self.assertIn(part, text)

    def test_no_line_says_nothing(self):
        text = self.assert_succeeds(heddle("info"))
        self.assertIn("region group: ", text)
        self.assertRegex(text, r"all work-items of a work-group: at most [1-9]")
        self.assertNotRegex(text, r"[: ]0 B")

    def test_a_runtime_that_does_not_start(self):
        with tempfile.TemporaryDirectory() as folder:
            # Folders in the variable come first, so that this file replaces the driver with the host agent.
            Path(folder, "libheddle-agent-cpu.so").write_text("no library", encoding="utf-8")
            self.assert_fails(heddle("info", HEDDLE_AGENT_PATH=folder), 1, "cannot start the HSA runtime: ",
                              "no agents were found", f"HEDDLE_AGENT_PATH is {folder}")

    def test_folders_of_drivers_are_added_to_the_standard_one(self):
        self.assertIn("ISA heddle:hsail:w1", self.assert_succeeds(heddle("info", HEDDLE_AGENT_PATH="/nonexistent")))


class FuzzExec(CommandTest):
    def test_numbers_out_of_range(self):
        for option, *values in (("--programs", "-3", "0", "many"), ("--seconds", "0", "-1", "nan", "inf"),
                                ("--seed", "-1", "18446744073709551616"), ("--shrink", "-1"), ("--timeout", "0", "nan")):
            for value in values:
                with self.subTest((option, value)):
                    self.assert_fails(heddle("fuzz-exec", "--print", option, value), 2)
        self.assert_succeeds(heddle("fuzz-exec", "--print", "--seed", "18446744073709551615"))

    def test_time_is_no_difference(self):
        # The loops of this program would run for half a minute, if programs had no budget of instructions.
        text = self.assert_succeeds(heddle("fuzz-exec", "--programs", "1", "--seed", "1170"))
        self.assertIn("1 programs in", text)
        self.assertIn("0 that differ", text)
        # Some of these programs execute millions of instructions, which no machine interprets in a
        # millisecond.
        result = heddle("fuzz-exec", "--programs", "30", "--timeout", "0.001")
        self.assert_fails(result, 1, "nothing to compare", "has not ended")
        self.assertRegex(result.stdout.decode(), "0 that differ, [0-9]+ that have not ended")

    def test_there_must_be_something_to_compare(self):
        self.assert_fails(heddle("fuzz-exec", "--programs", "1", "--isa", "nope"), 1, "--isa nope: no compiled ISA",
                          "heddle:x86-64")
        self.assert_fails(heddle("fuzz-exec", "--programs", "1", HEDDLE_AGENTS="null"), 1, "heddle null agent executes nothing")
        self.assert_fails(heddle("fuzz-exec", "--programs", "1", HEDDLE_AGENTS="no-such"), 1, "two ways")
        text = self.assert_succeeds(heddle("fuzz-exec", "--programs", "3", "--isa", "x86-64-v2"))
        self.assertIn("3 programs in", text)
        self.assertIn("0 that differ", text)


class Colours(CommandTest):
    def test_only_on_terminals(self):
        wrong = self.folder / "wrong.hsail"
        wrong.write_text(WRONG_TEXT)
        self.assertNotIn(b"\x1b", heddle("check", wrong, TERM="xterm").stderr)
        self.assertIn("\x1b[1;31merror:", on_terminal("check", wrong))
        self.assertNotIn("\x1b", on_terminal("check", wrong, NO_COLOR="1"))
        self.assertNotIn("\x1b", on_terminal("check", wrong, TERM="dumb"))
        self.assertNotIn(b"\x1b", heddle("info", TERM="xterm").stdout)


class Cache(CommandTest):
    """The cache of code objects, as `heddle finalize` and `heddle run` use it."""

    def setUp(self) -> None:
        super().setUp()
        self.environment = {"HEDDLE_CACHE": "1", "HEDDLE_CACHE_DIR": str(self.folder / "cache")}

    def shown(self, *arguments: str) -> str:
        return self.assert_succeeds(heddle("cache", *arguments, **self.environment)).strip()

    def test_show_and_clear(self):
        self.assertEqual(self.shown(), f"{self.folder}/cache: 0 entries, 0 B of at most 256 MiB")
        outputs = [self.folder / "1.hco", self.folder / "2.hco"]
        for output in outputs:
            self.assert_succeeds(heddle("finalize", KERNELS / "vector_add.hsail", "-o", output, **self.environment))
        self.assertEqual(outputs[0].read_bytes(), outputs[1].read_bytes())
        self.assertIn("/cache: 1 entry, ", self.shown())
        self.assertIn("/cache: 1 entry, ", self.assert_succeeds(heddle("info", **self.environment)))
        self.assertIn("removed from ", self.shown("--clear"))
        self.assertIn("/cache: 0 entries, ", self.shown())

    def test_run_uses_it(self):
        sums = [self.folder / "1.npy", self.folder / "2.npy"]
        for output in sums:
            self.assert_succeeds(heddle("run", KERNELS / "vector_add.hsail", "--grid", "256", "--agent", "cpu", "--arg",
                                        f"f32*256={output}", "--arg", "f32:iota*256", "--arg", "f32:1*256", "--arg", "u32:256",
                                        **self.environment))
            self.assertIn("/cache: 1 entry, ", self.shown())
        self.assertEqual(array.array("f", read_npy(sums[0])[2])[255], 256)
        self.assertEqual(read_npy(sums[0]), read_npy(sums[1]))

    def test_off(self):
        self.environment["HEDDLE_CACHE"] = "0"
        self.assertEqual(self.shown(), "none, because HEDDLE_CACHE is 0")
        self.assertEqual(self.shown("--clear"), "none, because HEDDLE_CACHE is 0")


if __name__ == "__main__":
    unittest.main()
