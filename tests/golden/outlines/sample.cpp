#include <vector>

namespace demo {

template <typename T>
class Stack : public Base {
 public:
  explicit Stack(int size);
  void push(const T& value) {
    items.push_back(value);
  }

 private:
  std::vector<T> items;
};

void Stack<int>::other() {
  auto text = R"x(
class NotMe {
)x";
}

std::vector<int> helper(int a,
                        int b) {
  return {a, b};
}

}  // namespace demo

std::size_t outer::Ring::length() const {
  return 0;
}
