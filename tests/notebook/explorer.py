"""The widget of a notebook on a page of its own: the browser's half as it is, the kernel's in this process."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

PAGE = """<!doctype html><meta charset="utf-8"><body><div id="el"></div><script type="module">
{{esm}}
const values = await window.kernel({}), listeners = [], changed = {};
const model = {
  get: name => values.traits[name],
  set: (name, value) => { values.traits[name] = changed[name] = value; tell(`change:${name}`); },
  save_changes: () => {
    heed(window.kernel({traits: {...changed}}));
    for (const name in changed) delete changed[name];
  },
  send: message => heed(window.kernel({message})),
  on: (name, listener) => listeners.push([name, listener]),
  off: () => {},
};
const tell = (name, ...more) => listeners.filter(([one]) => one === name).forEach(([, listener]) => listener(...more));
async function heed(answer) {
  const {traits, messages} = await answer;
  for (const name in traits) {
    if (JSON.stringify(values.traits[name]) === JSON.stringify(traits[name])) continue;
    values.traits[name] = traits[name];
    tell(`change:${name}`);
  }
  messages.forEach(message => tell("msg:custom", message));
}
setInterval(() => heed(window.kernel({})), 50);
exported.render({model, el: document.getElementById("el")});
</script>"""


@contextmanager
def opened(browser: Browser, widget: Any, folder: Path, **settings: Any) -> Iterator[Page]:
    """The page that shows a widget; nothing may complain."""
    messages: list[Any] = []
    widget.send = messages.append
    names = [
        name
        for name in widget.traits(sync=True)
        if name in ("_state", "_form", "_chosen", "_regions", "_tags", "_compared")
    ]

    def kernel(said: dict[str, Any]) -> dict[str, Any]:
        for name, value in said.get("traits", {}).items():
            setattr(widget, name, value)
        if "message" in said:
            widget._handle(widget, said["message"], [])
        sent = [*messages]
        messages.clear()
        return {"traits": {name: getattr(widget, name) for name in names}, "messages": sent}

    file = folder / "widget.html"
    esm = str(widget._esm).replace("export default", "const exported =")
    file.write_text(f"<style>{widget._css}</style>" + PAGE.replace("{{esm}}", esm), encoding="utf-8")
    context, complaints = browser.new_context(**settings), list[str]()
    page = context.new_page()
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.expose_function("kernel", kernel)
    page.goto(file.as_uri())
    page.wait_for_selector(".kazoeru")
    yield page
    context.close()
    assert not complaints
