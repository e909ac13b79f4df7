# Rules for all text that people write. Reads file names; prints file:line: what is wrong.
# Run with LC_ALL=C: columns are counted as bytes without the continuation bytes of UTF-8.
BEGIN {
    kLinesFail = 800
    kLinesWarn = 400
    kColumnsMax = 140
    # Split, so that this file does not break its own rules.
    leftover_words = "TO" "DO|FIX" "ME|X" "XX"
    private_folders = "/(wo" "rk|ro" "ot|(ho" "me|Us" "ers)/[A-Za-z0-9_.-]+)/"
}

function fail(rule) {
    printf "%s:%d: %s\n", file, line_number, rule
    failures = 1
}

# Whether `line` contains `pattern` as a whole word.
function has_word(line, pattern) {
    return line ~ ("(^|[^A-Za-z0-9_])(" pattern ")($|[^A-Za-z0-9_])")
}

function check_line(line, is_document, columns) {
    if (line ~ /\r$/) fail("ends with a carriage return")
    else if (line ~ /[ \t]$/) fail("blanks at the end of the line")
    if (!is_document) {
        if (line ~ /\t/) fail("a tabulator: indent with spaces")
        columns = line
        gsub(/[\200-\277]/, "", columns)
        if (length(columns) > kColumnsMax) fail("longer than " kColumnsMax " columns")
    }
    if (has_word(line, leftover_words)) fail("leftover note: do it, or make an issue of it")
    if (match(line, private_folders) && (RSTART == 1 || substr(line, RSTART - 1, 1) !~ /[A-Za-z0-9_.}-]/))
        fail("a path of somebody's own machine")
}

function check_file(line, is_document) {
    is_document = (file ~ /\.md$/)
    line_number = 0
    while ((getline line < file) > 0) {
        ++line_number
        check_line(line, is_document)
    }
    close(file)
    if (is_document) return
    if (line_number > kLinesFail) fail("longer than " kLinesFail " lines: split the file")
    else if (line_number > kLinesWarn) printf "%s:%d: warning: longer than %d lines: one idea per file?\n", file, line_number, kLinesWarn
}

{
    file = $0
    check_file()
}

END { exit failures }
