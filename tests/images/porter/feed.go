// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

package main

import (
	"encoding/xml"
	"fmt"
	"net/url"
	"strings"
	"time"

	"getporter.local/images/internal/versions"
)

// What Porter reads of an Atom feed. The stand-in feed has its own types for
// writing one, so that a mistake here does not hide behind the same one there.
type atomFeed struct {
	XMLName xml.Name    `xml:"feed"`
	Entries []atomEntry `xml:"entry"`
}

type atomEntry struct {
	Categories []struct {
		Term string `xml:"term,attr"`
	} `xml:"category"`
	Content string     `xml:"content"`
	Updated string     `xml:"updated"`
	Links   []atomLink `xml:"link"`
}

type atomLink struct {
	Rel  string `xml:"rel,attr"`
	Href string `xml:"href,attr"`
}

func parseFeed(data []byte) (atomFeed, error) {
	var feed atomFeed
	if err := xml.Unmarshal(data, &feed); err != nil {
		return feed, fmt.Errorf("error parsing the mixin feed as an atom xml file: %w", err)
	}
	return feed, nil
}

// versionsOf maps the versions of a plugin to their newest entries.
func (f atomFeed) versionsOf(name string) map[string]atomEntry {
	found := map[string]atomEntry{}
	for _, entry := range f.Entries {
		version := strings.TrimSpace(entry.Content)
		if len(entry.Categories) == 0 || entry.Categories[0].Term != name || version == "" {
			continue
		}
		known, ok := found[version]
		if !ok || entry.date().After(known.date()) {
			found[version] = entry
		}
	}
	return found
}

// search finds the entry for a version, or for the latest that is no
// pre-release. An entry that is really called "latest" comes first.
func (f atomFeed) search(name, version string) (atomEntry, bool) {
	entries := f.versionsOf(name)
	if entry, ok := entries[version]; ok || version != "latest" {
		return entry, ok
	}
	texts := make([]string, 0, len(entries))
	for text := range entries {
		texts = append(texts, text)
	}
	entry, ok := entries[versions.Latest(texts)]
	return entry, ok
}

func (e atomEntry) date() time.Time {
	date, err := time.Parse(time.RFC3339, strings.TrimSpace(e.Updated))
	if err != nil {
		return time.Time{}
	}
	return date
}

// download finds the link to a plugin's program, nil if there is none. Porter
// ignores the links of an entry without a date.
func (e atomEntry) download(name, system, arch string) *url.URL {
	wanted := fmt.Sprintf("%s-%s-%s", name, system, arch)
	for _, link := range e.Links {
		address, err := url.Parse(link.Href)
		if err != nil || link.Rel != "download" || e.date().IsZero() {
			continue
		}
		if strings.Contains(address.Path, wanted) {
			return address
		}
	}
	return nil
}
