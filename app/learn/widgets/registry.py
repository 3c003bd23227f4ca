"""All widgets by name."""

from __future__ import annotations

from app.learn.widget import Widget
from app.learn.widgets import automaton, figure, growth, knob, mask, number, question, rule, run

WIDGETS: dict[str, Widget] = {
    widget.name: widget
    for widget in (
        run.WIDGET,
        question.PREDICT,
        question.MYTH,
        knob.WIDGET,
        number.WIDGET,
        figure.WIDGET,
        mask.WIDGET,
        growth.WIDGET,
        rule.WIDGET,
        automaton.WIDGET,
    )
}
