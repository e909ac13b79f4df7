// Appends elements to an XML document that is well-formed at every moment, also if the process is killed in the middle of a write.
//
// The closing tag of the root is always in the file; an element is written over it, together with a new one, in one call. That alone
// is not enough: the kernel copies a write page by page and gives up between two pages when the process is being killed (SIGKILL in a
// loop of such writes, Linux 6.18: 5 % of the files cut off at a page boundary, on ext4 and on tmpfs). So one call is used only where
// everything that changes lies within one 4 KB page. An element that crosses a boundary is written where no parser looks, inside a
// processing instruction behind the root element, and then uncovered by a change within one page:
//
//     </ERRORLOG>                                           before
//  1  </ERRORLOG>                             <?end?>       spaces, and the end of the instruction: legal, however much arrives
//  2  </ERRORLOG><?end                        <?end?>       the instruction begins at the closing tag (within one page)
//  3  </ERRORLOG><?end <ENTRY>...</ENTRY></ERRORLOG><?end?> the element and the new tag, not seen: legal, however much arrives
//  4                   <ENTRY>...</ENTRY></ERRORLOG><?end?> uncovered (within one page)
//
// The next element overwrites "</ERRORLOG><?end?>". A loss of power is another matter: nothing here waits for the disk.
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

    // Makes the file hold `prolog` (ASCII; XML declaration and the like, closed with '\n', less than a page with the root) and an empty
    // root element. `old_size_bytes` is what the file holds: nothing, or an XML document. If that is one of ours, the file is well-formed
    // at every moment of the replacement, too; else after it.
    std::error_code start(std::string_view prolog, std::uint64_t old_size_bytes);

    // `element` is plain ASCII without "?>". After a failure the element is not in the file, the file is as before as far as the system
    // allows, and the next append may be tried.
    std::error_code append(std::string_view element);

private:
    std::error_code append_within_page(std::string_view element);
    std::error_code append_across_pages(std::string_view element);
    void recover();

    TailFile& file_;
    const std::string opening_tag_;      // "<ERRORLOG>\n"
    const std::string closing_tag_;      // "</ERRORLOG>"
    const std::uint64_t reserve_bytes_;  // of the closing tag and the end of an instruction: they never cross a page
    std::uint64_t position_bytes_ = 0;   // of the closing tag
};

}  // namespace reports
