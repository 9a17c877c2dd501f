#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a static site of the documents with MkDocs, or checks the links of the documents or of a site.

  site.py build OUTPUT    writes the site; MkDocs ends with an error for links that lead nowhere
  site.py check           checks the links and file names in README.md, CHANGELOG.md and docs/
  site.py check-site DIR  checks that all links in the pages of a site lead to files and anchors of the site

The site can be read without a server (search needs one) and loads nothing from elsewhere.
"""
from __future__ import annotations

import html.parser
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The order of the pages on the site.
SECTIONS = {
    "Use": ["environment", "status", "hsail", "debugging", "checking", "tracing", "profile-events", "benchmarking",
            "performance", "device-libraries"],
    "Build upon": ["writing-an-agent-driver", "code-objects"],
    "Background": ["design", "spec-decisions", "conformance", "testing", "models"],
}
LINK = re.compile(r"(?<!`)\[([^\]\n]+)\]\(([^)\s]+)\)")
# Pages mention others by their names in the source tree.
MENTION = re.compile(r"(?<![\w/(\[`.])docs/([\w-]+)\.md(?![\w)])")


def documents() -> list[Path]:
    return [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md")),
            *sorted((ROOT / "bench" / "results").glob("*.md"))]


def without_code(text: str) -> str:
    """Returns the text with blocks and spans of code blanked out."""
    def blank(found: re.Match) -> str:
        return re.sub(r"[^\n]", " ", found.group())
    text = re.sub(r"^```.*?^```", blank, text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^(?: {4}|\t).*$", blank, text, flags=re.MULTILINE)
    return re.sub(r"`[^`\n]+`", blank, text)


def check_documents() -> list[str]:
    findings = []
    for page in documents():
        text = without_code(page.read_text(encoding="utf-8"))
        name = page.relative_to(ROOT)
        for _, target in LINK.findall(text):
            path = urllib.parse.unquote(target.partition("#")[0])
            if path and not re.match(r"\w+:", target) and not (page.parent / path).exists():
                findings.append(f"{name}: there is no {target}")
        for mentioned in MENTION.findall(text):
            if not (ROOT / "docs" / f"{mentioned}.md").exists():
                findings.append(f"{name}: there is no docs/{mentioned}.md")
    return findings


def title_of(page: Path) -> str:
    found = re.search(r"^# (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert found is not None, f"{page}: no title"
    return found.group(1)


def stage(page: Path, sources: Path, target: str) -> None:
    """Copies a page, with links that fit the flat folder of the site. What is not on the site loses its link."""
    known = {path.resolve(): f"{path.stem}.md" for path in documents()} | {(ROOT / "README.md"): "index.md"}

    def link(found: re.Match) -> str:
        text, address = found.groups()
        path, hash_sign, anchor = address.partition("#")
        if not path or re.match(r"\w+:", address):
            return found.group()
        name = known.get((page.parent / path).resolve())
        return f"[{text}]({name}{hash_sign}{anchor})" if name else f"`{text}`" if "`" not in text else text

    lines = []
    for line in page.read_text(encoding="utf-8").splitlines():
        if not line.startswith(("    ", "\t", "<!-- SPDX")):
            line = LINK.sub(link, line)
            line = MENTION.sub(lambda found: f"[{found.group()}]({found.group(1)}.md)", line)
        lines.append(line)
    (sources / target).write_text("\n".join(lines) + "\n", encoding="utf-8")


def configuration() -> str:
    lines = ["site_name: heddle", "theme:", "  name: mkdocs", "  highlightjs: false", "use_directory_urls: false",
             "docs_dir: pages", "plugins: [search]", "markdown_extensions: [tables, fenced_code, toc]", "nav:",
             "  - heddle: index.md"]
    listed = {name for names in SECTIONS.values() for name in names}
    others = [page.stem for page in sorted((ROOT / "docs").glob("*.md")) if page.stem not in listed]
    for section, names in {**SECTIONS, "More": others}.items():
        if names:
            lines.append(f"  - {section}:")
            lines += [f"      - {title_of(ROOT / 'docs' / f'{name}.md')!r}: {name}.md" for name in names]
    lines.append("  - Measurements:")
    lines += [f"      - {page.stem}: {page.stem}.md" for page in sorted((ROOT / "bench" / "results").glob("*.md"))]
    lines.append("  - Changes: CHANGELOG.md")
    return "\n".join(lines) + "\n"


def build(output: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="heddle-site-") as scratch:
        pages = Path(scratch) / "pages"
        pages.mkdir()
        for page in documents():
            stage(page, pages, "index.md" if page.name == "README.md" else page.name)
        (Path(scratch) / "mkdocs.yml").write_text(configuration(), encoding="utf-8")
        subprocess.run(["mkdocs", "build", "--strict", "--quiet", "--clean", "--config-file", Path(scratch) / "mkdocs.yml",
                        "--site-dir", output.resolve()], check=True)
        for name in ("sitemap.xml", "sitemap.xml.gz"):  # they hold the address of a server and the day
            (output / name).unlink(missing_ok=True)


class Page(html.parser.HTMLParser):
    def __init__(self, path: Path):
        super().__init__()
        self.targets: list[tuple[str, str]] = []  # tag and address
        self.anchors: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.anchors.add(value)
            elif name in ("href", "src") and value:
                self.targets.append((tag, value))


def check_site(folder: Path) -> list[str]:
    pages = {path: Page(path) for path in sorted(folder.rglob("*.html"))}
    findings = [] if pages else [f"{folder}: no pages"]
    for path, page in pages.items():
        name = path.relative_to(folder)
        for tag, target in page.targets:
            address = urllib.parse.urlparse(target)
            if address.scheme or address.netloc:
                if tag != "a":  # links may lead elsewhere; what a page needs may not
                    findings.append(f"{name}: loads {target}")
                continue
            if path.name == "404.html":  # its addresses are those of a server
                continue
            file = (path.parent / urllib.parse.unquote(address.path)).resolve() if address.path else path
            if file.is_dir():
                file = file / "index.html"
            if not file.is_file():
                findings.append(f"{name}: there is no {target}")
            elif address.fragment and file in pages and urllib.parse.unquote(address.fragment) not in pages[file].anchors:
                findings.append(f"{name}: no such place: {target}")
    return findings


def main(arguments: list[str]) -> int:
    findings: list[str] = []
    if len(arguments) == 2 and arguments[0] == "build":
        if shutil.which("mkdocs") is None:
            print("site.py: mkdocs is not installed (Debian package mkdocs)", file=sys.stderr)
            return 1
        build(Path(arguments[1]))
    elif arguments == ["check"]:
        findings = check_documents()
    elif len(arguments) == 2 and arguments[0] == "check-site":
        findings = check_site(Path(arguments[1]).resolve())
    else:
        print(__doc__, file=sys.stderr)
        return 2
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
