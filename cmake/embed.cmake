# cmake -DINPUT=file -DOUTPUT=file.cpp -DNAME=kName -DLAYER=reports -DHEADER=reports/html/embedded.hpp -P embed.cmake: writes the
# bytes of a file as a constant in LAYER::embedded, which HEADER declares, and its source expression for a Content-Security-Policy as
# kNameHash: "sha256-" and the hash in base 64.
file(SHA256 "${INPUT}" digits)
set(alphabet "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
set(hash "sha256-")
string(REGEX MATCHALL "..." triples "${digits}00")
foreach(triple ${triples})
  math(EXPR high "0x${triple} / 64")
  math(EXPR low "0x${triple} % 64")
  string(SUBSTRING "${alphabet}" ${high} 1 first)
  string(SUBSTRING "${alphabet}" ${low} 1 second)
  string(APPEND hash "${first}${second}")
endforeach()
string(REGEX REPLACE ".$" "=" hash "${hash}")  # 32 bytes are 43 digits in base 64, padded with "="

file(READ "${INPUT}" bytes HEX)
string(LENGTH "${bytes}" digits)
math(EXPR size "${digits} / 2")
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
file(WRITE "${OUTPUT}" "#include \"${HEADER}\"

namespace ${LAYER}::embedded {

static const char ${NAME}Bytes[] = {
${bytes}
};
const std::string_view ${NAME}(${NAME}Bytes, ${size});
extern const std::string_view ${NAME}Hash;  // not every file has a use for it
const std::string_view ${NAME}Hash = \"${hash}\";

}  // namespace ${LAYER}::embedded
")
