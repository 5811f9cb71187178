// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

package main

import "testing"

// Corners that the stand-in feed does not have.
const unusualFeed = `<feed xmlns="http://www.w3.org/2005/Atom">
  <category term="azure"/>
  <entry>
    <updated>2024-01-02T00:00:00Z</updated><category term="azure"/><content>v1.0.0</content>
    <link rel="download" href="http://x/new/azure-linux-amd64"/>
    <link rel="download" href="http://x/new/azure-linux-arm64"/>
    <link rel="alternate" href="http://x/page/azure-linux-s390x"/>
  </entry>
  <entry>
    <updated>2024-01-01T00:00:00Z</updated><category term="azure"/><content>v1.0.0</content>
    <link rel="download" href="http://x/old/azure-linux-amd64"/>
  </entry>
  <entry>
    <category term="azure"/><content>v2.0.0</content>
    <link rel="download" href="http://x/undated/azure-linux-amd64"/>
  </entry>
  <entry>
    <updated>2024-01-01T00:00:00Z</updated><content>v3.0.0</content>
    <link rel="download" href="http://x/nameless/azure-linux-amd64"/>
  </entry>
  <entry>
    <updated>2024-01-01T00:00:00Z</updated><category term="tagged"/><content> latest </content>
    <link rel="download" href="http://x/tagged-linux-amd64"/>
  </entry>
  <entry>
    <updated>2024-01-01T00:00:00Z</updated><category term="tagged"/><content>v9.0.0</content>
    <link rel="download" href="http://x/numbered-linux-amd64"/>
  </entry>
</feed>`

func TestUnusualFeed(t *testing.T) {
	feed, err := parseFeed([]byte(unusualFeed))
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct{ name, version, arch, want string }{
		{"azure", "v1.0.0", "amd64", "http://x/new/azure-linux-amd64"}, // the newer of two
		{"azure", "v1.0.0", "arm64", "http://x/new/azure-linux-arm64"},
		{"azure", "v1.0.0", "s390x", ""}, // a link, but no download
		{"azure", "latest", "amd64", ""}, // v2.0.0, whose links do not count
		{"azure", "v3.0.0", "amd64", ""}, // an entry for no plugin
		{"tagged", "latest", "amd64", "http://x/tagged-linux-amd64"},
		{"other", "latest", "amd64", ""},
	}
	for _, c := range cases {
		got := ""
		if entry, ok := feed.search(c.name, c.version); ok {
			if address := entry.download(c.name, "linux", c.arch); address != nil {
				got = address.String()
			}
		}
		if got != c.want {
			t.Errorf("%s @ %s for %s: got %q, want %q", c.name, c.version, c.arch, got, c.want)
		}
	}
}

func TestAddressesBelowAURL(t *testing.T) {
	cases := map[string]string{
		"http://x":           "http://x/v1.0.0/azure-linux-amd64",
		"http://x/":          "http://x/v1.0.0/azure-linux-amd64",
		"http://x/a/b/":      "http://x/a/b/v1.0.0/azure-linux-amd64",
		"http://u:p@x/a?t=1": "http://u:p@x/a/v1.0.0/azure-linux-amd64?t=1",
	}
	for base, want := range cases {
		p := pluginOptions{name: "azure", version: "v1.0.0", url: base}
		_, shared, err := p.addresses()
		if err != nil || shared.String() != want {
			t.Errorf("%s: got %v, %v; want %s", base, shared, err, want)
		}
	}
}
