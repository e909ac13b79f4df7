"""What is linked into the static program: the distribution's packages, with their licenses and versions."""
import subprocess

# The package, its license as SPDX names it, and what it contributes to the program.
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
    """Returns None if the package is not installed."""
    found = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True, check=False)
    return found.stdout if found.returncode == 0 and found.stdout else None


def installed():
    """Returns (package, license, name, version) of all components. If one is not installed, COMPONENTS is wrong."""
    rows = [(package, licence, name, version_of(package)) for package, licence, name in COMPONENTS]
    missing = [row[0] for row in rows if row[3] is None]
    if missing:
        raise SystemExit(f"not installed, so not what the program was built of: {' '.join(missing)}")
    return rows
