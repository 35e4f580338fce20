"""Many tabs share one stream of events; browsers and addresses with which they cannot agree ask again and again."""

import unittest

from browser import PageTest

ROWS = "document.querySelectorAll('tr[data-sequence]').length"
NO_LOCKS = "delete Navigator.prototype.locks"


class Tabs(PageTest):
    changes_tabs = True

    def locks(self):
        """How many tabs read the stream, and how many wait to."""
        return self.page.driver.execute_async_script(
            "navigator.locks.query().then(({held, pending}) => arguments[0]([held.length, pending.length]))")

    def test_of_six_tabs_one_reads_the_stream(self):
        with self.serving():
            tabs = [self.page.driver.current_window_handle]
            self.open()
            for _ in range(5):
                self.page.driver.switch_to.new_window("tab")
                tabs.append(self.page.driver.current_window_handle)
                self.open()
            for tab in tabs:
                self.page.driver.switch_to.window(tab)
                self.page.until_text(".state", "live")
            self.assertEqual(self.locks(), [1, 5])
            for number in range(1, 4):
                self.provider.alert(f"Push {number}")
                for tab in tabs:
                    self.page.driver.switch_to.window(tab)
                    self.page.until(f"{ROWS} === given[0]", number)
                # Another one reads it from now on. A browser has six connections to one server: all of them would be taken
                # if each tab had a stream, and nothing else could be asked.
                self.page.driver.close()
                tabs.pop()
                self.page.driver.switch_to.window(tabs[0])
                self.page.until_text(".state", "live")
                self.page.driver.execute_async_script(
                    "const done = arguments[0], look = () => navigator.locks.query().then(({held}) => held.length === 1 ? done() : setTimeout(look, 20)); look()")
                self.assertEqual(self.locks(), [1, len(tabs) - 1])

    def test_without_locks_it_asks_again_and_again(self):
        with self.serving():
            self.page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": NO_LOCKS})
            self.open()
            self.assertIsNone(self.page.run("return navigator.locks ?? null"))
            self.page.until_text(".state", "every 2 s")
            for number in range(1, 3):
                self.provider.alert(f"Push {number}")
                self.page.until(f"{ROWS} === given[0]", number)


class OtherMachine(PageTest):
    """By plain HTTP to another machine a browser gives a page neither locks nor the clipboard."""

    options = ("--host-resolver-rules=MAP mock 127.0.0.1",)

    def test_the_page_works_under_a_network_name(self):
        with self.serving() as server:
            self.page.open(server.admin.replace("127.0.0.1", "mock") + "/ui/")
            self.page.until("isSecureContext === false && document.querySelector('main h1')")
            self.page.until_text(".state", "every 2 s")
            self.provider.alert("Hello")
            self.page.until(f"{ROWS} === 1")
            self.page.click("tr[data-sequence]")
            self.page.click(".detail button", "curl")
            self.page.element(".toast", "Copied as curl")
            self.page.click(".detail button", "Fault…")
            self.page.click("dialog button", "Begin")
            self.page.element(".fault-chip", "1 fault")
            self.assertEqual(self.provider.alert("Hello"), 429)
            self.page.complaints()  # that an untrustworthy origin gets no Cross-Origin-Opener-Policy


if __name__ == "__main__":
    unittest.main()
