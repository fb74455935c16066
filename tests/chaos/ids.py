"""Ids as numbers: the auditor's own reading of `w-7k3f9`, so that it can compare what was answered with what is stored."""
ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
MULTIPLIER = 0x9E3779B97F4A7C15
SHORTEST = 5


def _first_of_length(length: int) -> int:
    return sum(32 ** shorter for shorter in range(SHORTEST, length))


def number_of(text: str) -> int:
    """The sequence number behind an id of any kind."""
    digits = text.split("-", 1)[1]
    modulus = 32 ** len(digits)
    scrambled = sum(ALPHABET.index(digit) << (5 * place) for place, digit in enumerate(digits))
    return scrambled * pow(MULTIPLIER, -1, modulus) % modulus + _first_of_length(len(digits))


def text_of(prefix: str, number: int) -> str:
    length = SHORTEST
    while number >= _first_of_length(length + 1):
        length += 1
    scrambled = (number - _first_of_length(length)) * MULTIPLIER % 32 ** length
    return prefix + "-" + "".join(ALPHABET[scrambled >> (5 * place) & 31] for place in range(length))
