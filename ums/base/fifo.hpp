// Intrusive doubly linked list used as a queue: no allocation, removal from the middle in constant time. The elements are owned by others
// (mostly by coroutine frames); with one link per tag an element can be in several lists at the same time.
#pragma once

#include <utility>

#include "ums/base/assert.hpp"

namespace ums {

template <typename Tag = void>
struct FifoLink {
    FifoLink* previous = nullptr;
    FifoLink* next = nullptr;
    bool linked = false;
};

// `T` derives from FifoLink<Tag>. Not thread-safe.
template <typename T, typename Tag = void>
class Fifo {
public:
    using Link = FifoLink<Tag>;

    [[nodiscard]] bool empty() const { return head_ == nullptr; }

    [[nodiscard]] T* front() const { return static_cast<T*>(head_); }

    // The element after `element`, or null.
    [[nodiscard]] static T* next(T& element) { return static_cast<T*>(static_cast<Link&>(element).next); }

    void push_back(T& element) {
        Link& link = element;
        UMS_ASSERT(!link.linked);
        link.previous = tail_;
        link.next = nullptr;
        link.linked = true;
        (tail_ != nullptr ? tail_->next : head_) = &link;
        tail_ = &link;
    }

    void push_front(T& element) {
        Fifo first;
        first.push_back(element);
        first.append(*this);
        std::swap(*this, first);
    }

    void remove(T& element) {
        Link& link = element;
        UMS_ASSERT(link.linked);
        (link.previous != nullptr ? link.previous->next : head_) = link.next;
        (link.next != nullptr ? link.next->previous : tail_) = link.previous;
        link = Link{};
    }

    // Null when empty.
    T* pop_front() {
        T* element = front();
        if (element != nullptr) remove(*element);
        return element;
    }

    // Appends all elements of `other`, in order; in constant time. `other` is then empty.
    void append(Fifo& other) {
        if (other.empty()) return;
        (tail_ != nullptr ? tail_->next : head_) = other.head_;
        other.head_->previous = tail_;
        tail_ = other.tail_;
        other.head_ = nullptr;
        other.tail_ = nullptr;
    }

private:
    Link* head_ = nullptr;
    Link* tail_ = nullptr;
};

}  // namespace ums
