# cmake -DINPUT=file -DOUTPUT=file.cpp -DNAME=kName -P embed.cmake: the bytes of a file as a constant in reports::embedded.
file(READ "${INPUT}" bytes HEX)
string(LENGTH "${bytes}" digits)
math(EXPR size "${digits} / 2")
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
file(WRITE "${OUTPUT}" "#include \"reports/html/embedded.hpp\"

namespace reports::embedded {

static const char kBytes[] = {
${bytes}
};
const std::string_view ${NAME}(kBytes, ${size});

}  // namespace reports::embedded
")
