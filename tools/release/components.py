"""What is linked into the static program: the distribution's packages, with their versions and where their licences stand."""
import subprocess

# Package, SPDX's name of its licence, what it is in the program.
COMPONENTS = [
    ("libc6-dev", "LGPL-2.1-or-later", "glibc"),
    ("libstdc++-12-dev", "GPL-3.0-or-later WITH GCC-exception-3.1", "libstdc++"),
    ("liburing-dev", "MIT OR LGPL-2.1-or-later", "liburing"),
    ("libisal-dev", "BSD-3-Clause", "ISA-L"),
    ("libssl-dev", "Apache-2.0", "OpenSSL"),
    ("libboost1.74-dev", "BSL-1.0", "Boost (Asio, Beast)"),
    ("libfmt-dev", "MIT", "fmt"),
    ("libspdlog-dev", "MIT", "spdlog"),
    ("libtomlplusplus-dev", "MIT", "toml++"),
    ("libcli11-dev", "BSD-3-Clause", "CLI11"),
    ("nlohmann-json3-dev", "MIT", "JSON for Modern C++"),
    ("libjs-chart.js", "MIT", "Chart.js"),
]


def version_of(package):
    """Of the package or of whatever the distribution calls it in another release; None if it is not installed."""
    found = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True, check=False)
    return found.stdout if found.returncode == 0 and found.stdout else None


def installed():
    """(package, licence, name, version) of all. A component that is missing here is a mistake of this table."""
    rows = [(package, licence, name, version_of(package)) for package, licence, name in COMPONENTS]
    missing = [row[0] for row in rows if row[3] is None]
    if missing:
        raise SystemExit(f"not installed, so not what the program was built of: {' '.join(missing)}")
    return rows
