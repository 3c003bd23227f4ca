"""What comes with the page is made here: its showcases, and its pictures in the README."""
