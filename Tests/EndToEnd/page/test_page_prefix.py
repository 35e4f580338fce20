"""The page below a path of a reverse proxy."""

import unittest

from browser import Browser, Provider
from server import Server


class BelowAPrefix(unittest.TestCase):
    def test_everything_goes_on_below_it(self):
        with Server("--admin-prefix", "/ci/mock") as server, Provider(server) as provider, Browser() as page:
            page.open(f"{server.admin}/ci/mock/ui/")
            page.until_text(".state", "live")
            provider.alert("Hello")
            page.click("tr[data-sequence]")
            page.element(".detail")
            self.assertEqual(page.driver.current_url, f"{server.admin}/ci/mock/ui/pushes?at=1")
            page.driver.refresh()
            page.element(".detail")
            links = page.driver.execute_script("return [...document.querySelectorAll('a[href^=\"/\"]')].map(link => link.getAttribute('href'))")
            self.assertTrue(links)
            self.assertEqual([link for link in links if not link.startswith("/ci/mock/")], [])


if __name__ == "__main__":
    unittest.main()
