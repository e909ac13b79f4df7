# Names in anonymous namespaces must be unique within a layer, and within its tests, because builds compile two dozen files as one, and each
# new file changes which ones. Used together with code_rules.awk, which calls begin_names() and note_name() for the code of each file.
# Functions may share a name if their parameters differ, as overloads.

function begin_names(file) {
    names_group = ""
    if (file !~ /\.cpp$/ || file ~ /^(tools|tests\/(bench|fuse))\//) return
    names_group = file
    sub(/^tests\//, "tests-", names_group)
    sub(/\/.*/, "", names_group)
    names_outside = names_begun = ""
    is_anonymous = 0
}

# `line`: the original; `code`: without comments and the contents of strings.
function note_name(line, code) {
    if (names_group == "") return
    if (line ~ /^namespace [A-Za-z0-9_:]+ \{$/) names_outside = line
    if (line ~ /^namespace \{$/) is_anonymous = 1
    if (line ~ /^\}  \/\/ namespace$/) is_anonymous = 0
    if (!is_anonymous) return
    if (names_begun == "" && code !~ /^[A-Za-z_[]/) return
    if (code ~ /^(namespace|template|public|private|protected|using [A-Za-z0-9_:]+;)/) return
    sub(/^ +/, "", code)
    names_begun = names_begun (names_begun == "" ? "" : " ") code
    if (gsub(/\(/, "(", names_begun) > gsub(/\)/, ")", names_begun)) return  # its parameters continue
    code = names_begun
    names_begun = ""
    note_definition(code)
}

function note_definition(code, plain, end, name, is_function) {
    while (code ~ /^(\[\[[a-z_]+\]\]|constexpr|constinit|inline|static|extern|thread_local) /) sub(/^[^ ]+ /, "", code)
    if (code ~ /^(class|struct|union|enum|enum class) /) {
        sub(/^(enum class|class|struct|union|enum) /, "", code)
        sub(/^alignas\([^)]*\) /, "", code)
        if (code ~ /^[A-Za-z0-9_]+;/ || code ~ /^[A-Za-z0-9_]+</) return  # only a declaration, or a specialization
        name = code
        sub(/[^A-Za-z0-9_].*/, "", name)
        return check_name(name, "", "")
    }
    if (code ~ /^using /) {
        name = code
        sub(/^using /, "", name)
        sub(/ .*/, "", name)
        return check_name(name, "", code)
    }
    if (code ~ /operator/) return
    plain = code
    while (gsub(/<[^<>]*>/, "", plain) > 0) {}
    end = match(plain, /[({=;[]/)
    if (end == 0) return
    is_function = substr(plain, end, 1) == "("
    name = substr(plain, 1, end - 1)
    sub(/ +$/, "", name)
    if (name !~ /[ &*][A-Za-z0-9_]+$/) return  # a macro or a member of a class
    sub(/.*[ &*]/, "", name)
    check_name(name, is_function ? parameters_of(code, name) : "", "")
}

# Returns the types of the parameters, e.g. "(const Type&,int)".
function parameters_of(code, name, at, depth, one, text, word, all) {
    match(code, "[ &*]" name " *\\(")
    all = "("
    for (at = RSTART + RLENGTH; at <= length(code) && depth >= 0; ++at) {
        one = substr(code, at, 1)
        if (one ~ /[(<{]/) ++depth
        if (one ~ /[)>}]/) --depth
        if (depth < 0 || (depth == 0 && one == ",")) {
            sub(/ *=.*/, "", word)
            sub(/^ +/, "", word)
            sub(/ +$/, "", word)
            if (word ~ /[ &*>][A-Za-z0-9_]+$/ && word !~ /^(const|unsigned) [A-Za-z0-9_:]+$/) sub(/[A-Za-z0-9_]+$/, "", word)
            gsub(/ +$/, "", word)
            all = all word (depth < 0 ? ")" : ",")
            word = ""
        } else {
            word = word one
        }
    }
    return all
}

# `alias`: the same alias may be defined twice.
function check_name(name, parameters, alias, key, other) {
    key = names_group " " names_outside " " name " "
    other = ""
    if ((key parameters) in name_place) other = key parameters
    else if (parameters != "" && key in name_place) other = key
    else if (parameters == "" && (key "any") in name_place) other = key "any"
    if (other == "" || (alias != "" && name_alias[other] == alias)) {
        name_place[key parameters] = file ":" line_number
        name_alias[key parameters] = alias
        if (parameters != "") name_place[key "any"] = file ":" line_number
        return
    }
    if (name_place[other] ~ "^" file ":") return
    fail(name ": also in " name_place[other] "; builds compile both as one file, so names in anonymous namespaces are unique in a layer")
}
