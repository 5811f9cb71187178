// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

package main

import (
	"encoding/xml"
	"fmt"
	"time"
)

type atomDocument struct {
	XMLName    xml.Name       `xml:"http://www.w3.org/2005/Atom feed"`
	ID         string         `xml:"id"`
	Title      string         `xml:"title"`
	Updated    string         `xml:"updated"`
	Links      []atomLink     `xml:"link"`
	Categories []atomCategory `xml:"category"`
	Entries    []atomEntry    `xml:"entry"`
}

type atomEntry struct {
	ID       string       `xml:"id"`
	Title    string       `xml:"title"`
	Updated  string       `xml:"updated"`
	Category atomCategory `xml:"category"`
	Content  string       `xml:"content"`
	Links    []atomLink   `xml:"link"`
}

type atomCategory struct {
	Term string `xml:"term,attr"`
}

type atomLink struct {
	Rel  string `xml:"rel,attr"`
	Href string `xml:"href,attr"`
}

// atomFeed writes the feed of a view, with links to the host that was asked.
func atomFeed(v view, host string) []byte {
	self := v.address(host, "/plugins/atom.xml")
	document := atomDocument{
		ID: self, Title: "Stand-in plugins", Updated: published(0),
		Links: []atomLink{{Rel: "self", Href: self}},
	}
	for _, p := range catalogue {
		document.Categories = append(document.Categories, atomCategory{p.name})
		for i, version := range p.published(v.latest[p.name]) {
			document.Entries = append(document.Entries, entryOf(v, host, p.name, version, published(i)))
		}
	}
	text, err := xml.MarshalIndent(document, "", "  ")
	if err != nil {
		panic(err) // The document consists of plain strings.
	}
	return append([]byte(xml.Header), text...)
}

func entryOf(v view, host, name, version, updated string) atomEntry {
	base := fmt.Sprintf("/%s/%s", name, version)
	entry := atomEntry{
		ID: v.address(host, base), Title: name + " @ " + version, Updated: updated,
		Category: atomCategory{name}, Content: version,
	}
	for _, arch := range architectures() {
		href := v.address(host, fmt.Sprintf("%s/%s-linux-%s", base, name, arch))
		entry.Links = append(entry.Links, atomLink{Rel: "download", Href: href})
	}
	return entry
}

// published is the date of a plugin's nth release: fixed, so that the feed
// is the same every time.
func published(release int) string {
	return time.Date(2024, time.January, 1+release, 0, 0, 0, 0, time.UTC).Format(time.RFC3339)
}
