"""Pages, pictures and sheets of solutions. Begin with `gallery.py`, the page of all solutions."""
