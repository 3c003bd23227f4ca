"""Checks that several families declare."""

FEEDBACK = ("feedback", "respec_core.methods.parts.feedback_check:feedback_problems")
