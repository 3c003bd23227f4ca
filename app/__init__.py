"""The Gradio app: pages, panels as pure functions of a trace, and the browser component that shows them."""
