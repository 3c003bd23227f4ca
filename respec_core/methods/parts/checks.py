"""Checks that several families declare."""

TRIGGER = ("trigger", "respec_core.methods.parts.trigger_check:trigger_problems")
LONGEST_MATCH = ("longest match", "respec_core.methods.parts.longest_match_check:longest_match_problems")
FEEDBACK = ("feedback", "respec_core.methods.parts.feedback_check:feedback_problems")
SWITCH = ("switch", "respec_core.methods.parts.switch_check:switch_problems")
