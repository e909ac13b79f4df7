#include "ums/base/fifo.hpp"

#include <array>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/death.hpp"

namespace ums {
namespace {

struct OtherTag;

struct Item : FifoLink<>, FifoLink<OtherTag> {
    int value = 0;
};

std::vector<int> drain(Fifo<Item>& fifo) {
    std::vector<int> values;
    while (const Item* item = fifo.pop_front()) values.push_back(item->value);
    return values;
}

struct Items {
    std::array<Item, 5> items;
    Items() {
        for (std::size_t i = 0; i < items.size(); ++i) items[i].value = static_cast<int>(i);
    }
    Item& operator[](std::size_t i) { return items[i]; }
};

TEST_CASE("a fifo returns its elements in the order in which they came") {
    Items items;
    Fifo<Item> fifo;
    CHECK(fifo.empty());
    CHECK(fifo.pop_front() == nullptr);
    for (Item& item : items.items) fifo.push_back(item);
    CHECK_FALSE(fifo.empty());
    CHECK(drain(fifo) == std::vector{0, 1, 2, 3, 4});
    CHECK(fifo.empty());
}

TEST_CASE("an element can be removed anywhere in a fifo and inserted again") {
    Items items;
    Fifo<Item> fifo;
    for (Item& item : items.items) fifo.push_back(item);
    fifo.remove(items[0]);
    fifo.remove(items[2]);
    fifo.remove(items[4]);
    fifo.push_back(items[2]);
    CHECK(drain(fifo) == std::vector{1, 3, 2});
    fifo.push_back(items[0]);
    CHECK(fifo.front() == &items[0]);
    fifo.remove(items[0]);
    CHECK(fifo.empty());
}

TEST_CASE("an element pushed to the front comes first") {
    Items items;
    Fifo<Item> fifo;
    fifo.push_front(items[1]);
    fifo.push_back(items[2]);
    fifo.push_front(items[0]);
    CHECK(drain(fifo) == std::vector{0, 1, 2});
    CHECK(fifo.empty());
}

TEST_CASE("append keeps the order and leaves the other fifo empty and usable") {
    Items items;
    Fifo<Item> first;
    Fifo<Item> second;
    first.append(second);
    CHECK(first.empty());
    second.push_back(items[2]);
    first.append(second);  // into an empty one
    CHECK(second.empty());
    second.push_back(items[0]);
    second.push_back(items[1]);
    first.append(second);
    second.push_back(items[4]);
    first.push_back(items[3]);
    first.remove(items[0]);  // the seam
    CHECK(drain(first) == std::vector{2, 1, 3});
    CHECK(drain(second) == std::vector{4});
}

TEST_CASE("with two tags an element can be in two fifos at the same time") {
    Items items;
    Fifo<Item> first;
    Fifo<Item, OtherTag> second;
    first.push_back(items[0]);
    first.push_back(items[1]);
    second.push_back(items[1]);
    second.push_back(items[0]);
    CHECK(second.front() == &items[1]);
    CHECK((Fifo<Item, OtherTag>::next(items[1])) == &items[0]);
    second.remove(items[1]);
    CHECK(drain(first) == std::vector{0, 1});
    CHECK(second.pop_front() == &items[0]);
}

TEST_CASE("linking an element twice, or removing one that is not in a fifo, is an internal error") {
    CHECK(testing::aborts([] {
        Items items;
        Fifo<Item> fifo;
        fifo.push_back(items[0]);
        fifo.push_back(items[0]);
    }));
    CHECK(testing::aborts([] {
        Items items;
        Fifo<Item> fifo;
        fifo.remove(items[0]);
    }));
}

}  // namespace
}  // namespace ums
