#include <stdio.h>
#define SQUARE(x) ((x) * (x))

typedef unsigned long size_kind;

struct node {
  int value;
  struct node *next;
};

enum color { RED, GREEN };

int declared_only(int a);

static inline struct node *
make_node(int value)
{
  if (value) {
    return 0;
  }
#ifdef DEBUG
  puts("int not_me(void) {");
#endif
out:
  return 0;
}

int main(int argc, char **argv) {
  /*
int nor_me(void) {
}
  */
  return declared_only(argc);
}

typedef struct {
  int width;
  struct { int depth; } inner;
} Shape;

typedef struct _node
{
  struct _node *next;
} Node;

typedef enum { RED, GREEN } Colour;
