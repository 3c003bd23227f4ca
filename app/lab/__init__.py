"""The Lab page: what any settings would have done, from recorded texts."""
