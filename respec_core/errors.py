"""The one exception that users see: a sentence saying what was wrong and what to do."""


class ReSpecError(ValueError):
    """Bad input or an unmet requirement. Its text is shown as is (CLI exit code 2, a notice in the app)."""
