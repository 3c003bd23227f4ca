"""Small functions for working with numbers."""

import math


def factorial(n: int) -> int:
    """Return the product of all whole numbers from 1 to n."""
    if n < 0:
        raise ValueError("n must not be negative")
    result = 1
    for i in range(2, n + 1):
        result *= i
    return result


def fibonacci(n: int) -> int:
    """Return the n-th Fibonacci number, where the numbers begin with 0 and 1."""
    if n < 0:
        raise ValueError("n must not be negative")
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def is_prime(n: int) -> bool:
    """Return True if n is a prime number."""
    if n < 2:
        return False
    return all(n % divisor != 0 for divisor in range(2, math.isqrt(n) + 1))


def primes_up_to(limit: int) -> list[int]:
    """Return all prime numbers up to the limit, found with the sieve of Eratosthenes."""
    if limit < 2:
        return []
    sieve = [True] * (limit + 1)
    sieve[0] = sieve[1] = False
    for i in range(2, math.isqrt(limit) + 1):
        if sieve[i]:
            for multiple in range(i * i, limit + 1, i):
                sieve[multiple] = False
    return [i for i, prime in enumerate(sieve) if prime]


def prime_factors(n: int) -> list[int]:
    """Return the prime factors of n in ascending order."""
    if n < 1:
        raise ValueError("n must be positive")
    factors = []
    divisor = 2
    while divisor * divisor <= n:
        while n % divisor == 0:
            factors.append(divisor)
            n //= divisor
        divisor += 1
    if n > 1:
        factors.append(n)
    return factors


def greatest_common_divisor(a: int, b: int) -> int:
    """Return the greatest number that divides both a and b."""
    while b:
        a, b = b, a % b
    return abs(a)


def least_common_multiple(a: int, b: int) -> int:
    """Return the least positive number that both a and b divide."""
    if a == 0 or b == 0:
        return 0
    return abs(a * b) // greatest_common_divisor(a, b)


def mean(values: list[float]) -> float:
    """Return the arithmetic mean of the values."""
    if not values:
        raise ValueError("values must not be empty")
    return sum(values) / len(values)


def median(values: list[float]) -> float:
    """Return the median of the values."""
    if not values:
        raise ValueError("values must not be empty")
    ordered = sorted(values)
    middle = len(ordered) // 2
    if len(ordered) % 2 == 1:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2


def standard_deviation(values: list[float]) -> float:
    """Return the standard deviation of the values."""
    average = mean(values)
    return math.sqrt(sum((value - average) ** 2 for value in values) / len(values))


def digits_sum(n: int) -> int:
    """Return the sum of the decimal digits of n."""
    return sum(int(digit) for digit in str(abs(n)))


def to_binary(n: int) -> str:
    """Return n in binary notation."""
    if n == 0:
        return "0"
    digits = []
    number = abs(n)
    while number:
        digits.append(str(number % 2))
        number //= 2
    return ("-" if n < 0 else "") + "".join(reversed(digits))


def celsius_to_fahrenheit(celsius: float) -> float:
    """Return the temperature in degrees Fahrenheit."""
    return celsius * 9 / 5 + 32


def fahrenheit_to_celsius(fahrenheit: float) -> float:
    """Return the temperature in degrees Celsius."""
    return (fahrenheit - 32) * 5 / 9


def compound_interest(principal: float, rate: float, years: int) -> float:
    """Return the value of the principal after the given years at the given yearly rate."""
    return principal * (1 + rate) ** years
