// Appends elements to an XML document that is well-formed at every moment: for a reader that finds it after the process was killed in the
// middle of a write, and for one that reads it from front to back meanwhile, in pieces of any size and at any pace.
//
// A reader that has seen the closing tag of the root must not find an element after it, and one that has not must find the tag in the end.
// So nothing visible is ever overwritten, except for single bytes, and what is appended has two meanings, between which those bytes choose:
//
//     <LOG><!-- --></LOG>                                                          before
//  1  <LOG><!-- --></LOG> <?next --><ENTRY/><!-- --></LOG><?next ?>                appended: after the root, one instruction, up to "?>"
//  2  <LOG><!--  -></LOG> <?next --><ENTRY/><!-- --></LOG><?next ?>                a '-' becomes ' ': the comment extends to the next "-->"
//
// For a reader that passed the first comment before step 2, the root has ended, and everything that follows is instructions and spaces. A
// reader that reaches the comment after step 2 finds a longer comment, then the entry and the next comment, to which the same applies.
//
// Step 1 must become visible as a whole, but a kernel extends a file page by page, and stops between two pages when the process is killed.
// So what is appended stays within one 4 KB page, with spaces before it if it would cross into the next. A long element is appended in
// pieces, each an instruction of its own, and comments join their texts after step 2.
//
// A reader must read until read() reports the end. One that asks for the size first and stops there may miss the end that belongs to a byte
// that changed meanwhile: its document is well-formed if the file has the same size afterwards. A power cut is another matter: nothing here
// waits for the disk.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

namespace reports {

// The underlying file. One call at a time.
class TailFile {
public:
    virtual ~TailFile() = default;
    // Writes all bytes or returns why not; on failure some may have been written, in order from the front.
    virtual std::error_code write_at(std::uint64_t offset_bytes, std::string_view bytes) = 0;
    virtual std::error_code truncate(std::uint64_t size_bytes) = 0;
};

// One call at a time; any thread.
class XmlTail {
public:
    // `root`: the name of the root element. `file` must outlive the tail.
    XmlTail(TailFile& file, std::string_view root);

    // Writes `prolog` (XML declaration and the like, ending with '\n', less than a page with the root) and an empty root element into the
    // file, which must be empty.
    std::error_code start(std::string_view prolog);

    // `element` must be plain ASCII without "?>" and without '>' in attributes. Its tags should be shorter than a page: longer ones are
    // written, but not atomically. After a failure, the file is as before, without the element, as far as the system allows, and the next
    // append may be tried.
    std::error_code append(std::string_view element);

private:
    // Appends within one page.
    std::error_code add(const std::string& bytes);

    TailFile& file_;
    const std::string opening_tag_;      // "<ERRORLOG>\n"
    const std::string closing_;          // the last comment, which may be extended, and the closing tag
    std::uint64_t size_bytes_ = 0;       // of the file
    std::uint64_t switch_at_bytes_ = 0;  // of the byte in the last comment
};

}  // namespace reports
