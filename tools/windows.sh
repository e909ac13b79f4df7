#!/usr/bin/env bash
# windows.sh [folder]: compiles ums without its Linux files (listed in docs/windows.md), sim, config and reports for Windows, checking only
# the syntax, so that nothing of Linux creeps in where a port would not expect it. Uses libraries as headers, and combines a dozen files as
# our builds do. Prints the compiler's messages; exit code 1 if a file does not compile. Needs mingw-w64's g++ and the libraries' headers.
set -euo pipefail
root=$(cd "${1:-$(dirname "${BASH_SOURCE[0]}")/..}" && pwd -P)
compiler=${IOPROOF_MINGW:-x86_64-w64-mingw32-g++-posix}
command -v "$compiler" >/dev/null || { echo "windows.sh: $compiler is missing: apt-get install g++-mingw-w64-x86-64-posix" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Only the libraries, because all of /usr/include would include Linux's own headers.
mkdir "$work/libraries"
for library in fmt boost nlohmann toml++ isa-l isa-l.h; do
    [ ! -e "/usr/include/$library" ] || ln -s "/usr/include/$library" "$work/libraries/$library"
done
mkdir -p "$work/generated/sim"
if [ -f "$root/sim/version.hpp.in" ]; then sed 's/@[A-Za-z_]*@/0/g' "$root/sim/version.hpp.in" >"$work/generated/sim/version.hpp"; fi

linux_files() { sed -n 's/^| `\(ums\/[a-z_\/]*\.cpp\)`.*/\1/p' "$root/docs/windows.md"; }
sources_of() { (cd "$root" && find "$1" -name '*.cpp' 2>/dev/null || true) | grep -vxF -f "$work/linux" | LC_ALL=C sort; }

linux_files >"$work/linux"
[ -s "$work/linux" ] || { echo "windows.sh: docs/windows.md names no files of Linux" >&2; exit 1; }
while IFS= read -r file; do
    [ -f "$root/$file" ] || { echo "docs/windows.md: $file: there is no such file"; exit 1; }
done <"$work/linux"

# Writes files that each include a dozen sources of a layer, and compiles these.
for layer in ums sim config reports; do
    count=0
    for source in $(sources_of "$layer"); do
        printf '#include "%s"\n' "$source" >>"$work/${layer}_$((count / 12)).cpp"
        count=$((count + 1))
    done
done
printf '%s\0' "$work"/*.cpp | xargs -0 -n 1 -P "$(nproc)" "$compiler" -std=c++20 -fsyntax-only -msse4.2 -DFMT_HEADER_ONLY \
    -D_WIN32_WINNT=0x0A00 -I"$root" -I"$work/generated" -isystem "$work/libraries" -Wall -Wextra -Wshadow -Wno-subobject-linkage \
    -Werror || exit 1
