# The tour of ARCHITECTURE.md names every file of the product, without its ending; '*' stands for a part of a name. Reads ARCHITECTURE.md,
# then the names of files; prints file:line: what to do.

FILENAME == "ARCHITECTURE.md" {
    if (/^## Tour/) is_tour = 1
    if (!is_tour) next
    count = split($0, parts, "`")
    for (i = 2; i <= count; i += 2) {
        if (parts[i] !~ /^[a-z0-9_*\/]+$/) continue
        if (parts[i] ~ /\*/) {
            gsub(/\*/, "[^/]*", parts[i])
            patterns[++pattern_count] = "(^|/)" parts[i] "$"
        } else {
            named[parts[i]] = 1
        }
    }
    next
}

{
    stem = $0
    sub(/\.[a-z]+$/, "", stem)
    if ($0 ~ /\.hpp$/) has_header[stem] = 1
    files[++file_count] = $0
}

function is_named(stem, i) {
    for (i = 1; i <= pattern_count; ++i) {
        if (stem ~ patterns[i]) return 1
    }
    sub(/^.*\//, "", stem)
    return stem in named
}

END {
    for (i = 1; i <= file_count; ++i) {
        stem = files[i]
        sub(/\.[a-z]+$/, "", stem)
        if ((files[i] ~ /\.cpp$/ && stem in has_header) || is_named(stem)) continue
        printf "%s:1: the tour of ARCHITECTURE.md does not name it\n", files[i]
        failed = 1
    }
    exit failed
}
