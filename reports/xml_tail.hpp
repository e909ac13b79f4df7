// Appends elements to an XML document that is well-formed at every moment: for a reader that finds it after a kill in the middle of a
// write, and for a reader that reads it from front to back meanwhile, in pieces of any size and at any pace.
//
// A reader that has seen the closing tag of the root must not meet an element after it, and one that has not must meet it in the end. So
// nothing visible is ever overwritten, except for single bytes, and what is appended has two meanings, between which those bytes choose:
//
//     <LOG><!-- --></LOG>                                                          before
//  1  <LOG><!-- --></LOG> <?next --><ENTRY/><!-- --></LOG><?next ?>                appended: behind the root, one instruction, up to "?>"
//  2  <LOG><!--  -></LOG> <?next --><ENTRY/><!-- --></LOG><?next ?>                a '-' becomes ' ': the comment goes on to the next "-->"
//
// A reader that has passed the first comment before step 2 has left the root; everything that follows is instructions and spaces to it. A
// reader that reaches it after step 2 finds a longer comment, then the entry and the next comment, of which the same is true.
//
// Step 1 must be visible as a whole. A kernel extends a file page by page, and gives up between two pages when the process is being killed.
// So what is appended stays within one 4 KB page, with spaces before it if it would cross into the next. A long element is appended in
// pieces, each an instruction of its own, and comments join their texts after step 2.
//
// A reader has to read until read() reports the end. A reader that asks for the size first and stops there may miss the end that belongs to
// a byte which changed meanwhile: its document is well-formed if the file has the same size afterwards. A loss of power is another matter:
// nothing here waits for the disk.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

namespace reports {

// The file below. Calls come one at a time.
class TailFile {
public:
    virtual ~TailFile() = default;
    // Writes all bytes or says why not; on failure some may have been written, in order from the front.
    virtual std::error_code write_at(std::uint64_t offset_bytes, std::string_view bytes) = 0;
    virtual std::error_code truncate(std::uint64_t size_bytes) = 0;
};

// One call at a time; any thread.
class XmlTail {
public:
    // `root` is the name of the root element. `file` must outlive the tail.
    XmlTail(TailFile& file, std::string_view root);

    // Makes the file, which must be empty, hold `prolog` (XML declaration and the like, ending with '\n', less than a page with the root)
    // and an empty root element.
    std::error_code start(std::string_view prolog);

    // `element` is plain ASCII without "?>" and without '>' in attributes. Its tags are shorter than a page (longer ones are written, but
    // not atomically). After a failure the element is not in the file, the file is as before as far as the system allows, and the next
    // append may be tried.
    std::error_code append(std::string_view element);

private:
    // Writes at the end, within a page.
    std::error_code add(const std::string& bytes);

    TailFile& file_;
    const std::string opening_tag_;      // "<ERRORLOG>\n"
    const std::string closing_;          // the comment that may go on, and the closing tag
    std::uint64_t size_bytes_ = 0;       // of the file
    std::uint64_t switch_at_bytes_ = 0;  // of the byte in the last comment
};

}  // namespace reports
