"""Small functions for lists, searching and sorting, and a few classes."""

from collections import deque


def binary_search(items: list[int], target: int) -> int:
    """Return the index of the target in a sorted list, or -1 if it is not there."""
    low, high = 0, len(items) - 1
    while low <= high:
        middle = (low + high) // 2
        if items[middle] == target:
            return middle
        if items[middle] < target:
            low = middle + 1
        else:
            high = middle - 1
    return -1


def bubble_sort(items: list[int]) -> list[int]:
    """Return a sorted copy of the list."""
    result = list(items)
    for end in range(len(result) - 1, 0, -1):
        swapped = False
        for i in range(end):
            if result[i] > result[i + 1]:
                result[i], result[i + 1] = result[i + 1], result[i]
                swapped = True
        if not swapped:
            break
    return result


def merge_sort(items: list[int]) -> list[int]:
    """Return a sorted copy of the list."""
    if len(items) <= 1:
        return list(items)
    middle = len(items) // 2
    left = merge_sort(items[:middle])
    right = merge_sort(items[middle:])
    result = []
    i = j = 0
    while i < len(left) and j < len(right):
        if left[i] <= right[j]:
            result.append(left[i])
            i += 1
        else:
            result.append(right[j])
            j += 1
    return result + left[i:] + right[j:]


def quick_sort(items: list[int]) -> list[int]:
    """Return a sorted copy of the list."""
    if len(items) <= 1:
        return list(items)
    pivot = items[len(items) // 2]
    smaller = [item for item in items if item < pivot]
    equal = [item for item in items if item == pivot]
    larger = [item for item in items if item > pivot]
    return quick_sort(smaller) + equal + quick_sort(larger)


def remove_duplicates(items: list) -> list:
    """Return the items without duplicates, in their original order."""
    seen = set()
    result = []
    for item in items:
        if item not in seen:
            seen.add(item)
            result.append(item)
    return result


def flatten(nested: list) -> list:
    """Return all items of a nested list in one flat list."""
    result = []
    for item in nested:
        if isinstance(item, list):
            result.extend(flatten(item))
        else:
            result.append(item)
    return result


def chunks(items: list, size: int) -> list[list]:
    """Return the items in lists of the given size; the last one may be shorter."""
    if size < 1:
        raise ValueError("size must be positive")
    return [items[i : i + size] for i in range(0, len(items), size)]


def two_sum(numbers: list[int], target: int) -> tuple[int, int] | None:
    """Return the indices of two numbers that add up to the target, or None if there are none."""
    seen = {}
    for i, number in enumerate(numbers):
        if target - number in seen:
            return seen[target - number], i
        seen[number] = i
    return None


def transpose(matrix: list[list[float]]) -> list[list[float]]:
    """Return the matrix with its rows and columns exchanged."""
    return [list(column) for column in zip(*matrix, strict=True)]


def breadth_first_search(graph: dict[str, list[str]], start: str, goal: str) -> list[str] | None:
    """Return the shortest path from start to goal, or None if there is none."""
    queue = deque([[start]])
    visited = {start}
    while queue:
        path = queue.popleft()
        if path[-1] == goal:
            return path
        for neighbour in graph.get(path[-1], []):
            if neighbour not in visited:
                visited.add(neighbour)
                queue.append([*path, neighbour])
    return None


def is_balanced(text: str) -> bool:
    """Return True if every bracket in the text is closed in the right order."""
    pairs = {")": "(", "]": "[", "}": "{"}
    stack = []
    for character in text:
        if character in pairs.values():
            stack.append(character)
        elif character in pairs and (not stack or stack.pop() != pairs[character]):
            return False
    return not stack


class Stack:
    """A stack: the last item that was pushed is the first that is popped."""

    def __init__(self):
        self._items = []

    def push(self, item):
        """Put an item on top of the stack."""
        self._items.append(item)

    def pop(self):
        """Remove the top item and return it."""
        if not self._items:
            raise IndexError("the stack is empty")
        return self._items.pop()

    def peek(self):
        """Return the top item without removing it."""
        if not self._items:
            raise IndexError("the stack is empty")
        return self._items[-1]

    def __len__(self):
        return len(self._items)


class BankAccount:
    """A bank account that cannot be overdrawn."""

    def __init__(self, owner: str, balance: float = 0.0):
        self.owner = owner
        self.balance = balance

    def deposit(self, amount: float) -> None:
        """Add the amount to the balance."""
        if amount <= 0:
            raise ValueError("amount must be positive")
        self.balance += amount

    def withdraw(self, amount: float) -> None:
        """Subtract the amount from the balance."""
        if amount <= 0:
            raise ValueError("amount must be positive")
        if amount > self.balance:
            raise ValueError("insufficient funds")
        self.balance -= amount


class LinkedList:
    """A singly linked list."""

    class Node:
        def __init__(self, value, next=None):
            self.value = value
            self.next = next

    def __init__(self):
        self.head = None

    def append(self, value):
        """Add a value at the end of the list."""
        node = LinkedList.Node(value)
        if self.head is None:
            self.head = node
            return
        current = self.head
        while current.next is not None:
            current = current.next
        current.next = node

    def reverse(self):
        """Reverse the list in place."""
        previous = None
        current = self.head
        while current is not None:
            current.next, previous, current = previous, current, current.next
        self.head = previous

    def to_list(self):
        """Return the values as a Python list."""
        values = []
        current = self.head
        while current is not None:
            values.append(current.value)
            current = current.next
        return values
