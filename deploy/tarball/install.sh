#!/bin/sh
# install.sh [--prefix DIR] [--uninstall]: copies the files beside it to DIR (/usr/local), or removes exactly these. Replaces only files
# that it installed itself.
set -eu
prefix=/usr/local
action=install
while [ $# -gt 0 ]; do
    case $1 in
        --prefix)
            [ $# -ge 2 ] || { echo "install.sh: --prefix needs a folder" >&2; exit 2; }
            prefix=$2
            shift
            ;;
        --prefix=*) prefix=${1#--prefix=} ;;
        --uninstall) action=uninstall ;;
        -h | --help)
            echo "Usage: install.sh [--prefix DIR] [--uninstall]     DIR: /usr/local"
            exit
            ;;
        *)
            echo "install.sh: '$1' is not known; --prefix DIR and --uninstall are" >&2
            exit 2
            ;;
    esac
    shift
done
case $prefix in
    /*) ;;
    *) prefix=$(pwd)/$prefix ;;
esac
here=$(cd "$(dirname "$0")" && pwd)
list=$prefix/share/ioproof/installed-files

uninstall() {
    [ -f "$list" ] || { echo "install.sh: nothing of ioproof is installed in $prefix: $list is missing" >&2; exit 1; }
    folders=$(sed 's,/[^/]*$,,' "$list" | LC_ALL=C sort -ru)
    while IFS= read -r file; do rm -f "$prefix/$file"; done <"$list"
    rm -f "$list"
    # Removes only folders that are now empty.
    printf '%s\n' "$folders" | while IFS= read -r folder; do
        while [ "$folder" != . ] && { [ ! -d "$prefix/$folder" ] || rmdir "$prefix/$folder" 2>/dev/null; }; do
            folder=$(dirname "$folder")
        done
    done
    echo "removed from $prefix"
}

# The systemd template names the program by its path, in quotes.
check_prefix() {
    case $prefix in
        *[\"\'\\\$\`%]* | *"
"*)
            echo "install.sh: --prefix $prefix: quotes, \\, \$, \`, % and line breaks are not allowed: systemd cannot name such a path" >&2
            exit 2
            ;;
    esac
}

write_unit() {
    replacement=$(printf '%s\n' "$prefix" | sed 's/[&,]/\\&/g')
    sed "s,/usr/bin/ioproof,$replacement/bin/ioproof,; s,/usr/share/ioproof,$replacement/share/ioproof," "$1"
}

# A full disk leaves the earlier file.
copy() {
    mkdir -p "$(dirname "$prefix/$1")"
    new=$prefix/$1.ioproof-new
    case $1 in
        *.service) write_unit "$here/$1" >"$new" ;;
        *) cp -Pf "$here/$1" "$new" ;;
    esac
    mv -f "$new" "$prefix/$1"
}

install_files() {
    check_prefix
    files=$(mktemp)
    new=
    trap 'rm -f "$files" "$new"' EXIT
    (cd "$here" && find bin share lib ! -type d | LC_ALL=C sort) >"$files"
    while IFS= read -r file; do
        { [ -e "$prefix/$file" ] || [ -L "$prefix/$file" ]; } || continue
        grep -qxF "$file" "$list" 2>/dev/null && continue
        echo "install.sh: $prefix/$file is there and not from an earlier install.sh; nothing was changed" >&2
        exit 1
    done <"$files"
    # Before the first file: if the disk is full midway, the next call can complete the installation, or remove it.
    mkdir -p "$(dirname "$list")"
    new=$list.ioproof-new
    { cat "$list" 2>/dev/null || true; cat "$files"; } | LC_ALL=C sort -u >"$new"
    mv -f "$new" "$list"
    while IFS= read -r file; do copy "$file"; done <"$files"
    echo "installed: $prefix/bin/ioproof"
}

if [ "$action" = uninstall ]; then uninstall; else install_files; fi
