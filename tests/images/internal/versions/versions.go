// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

// Package versions orders plugin versions the way Porter does when it looks
// for the latest one.
package versions

import (
	"cmp"
	"regexp"
	"strconv"
)

// Lenient on purpose, as Porter is: the v and the last two numbers may be
// missing. A word such as "canary" is no version.
var pattern = regexp.MustCompile(
	`^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$`)

// Version is a parsed version; Text is how it was written.
type Version struct {
	Text       string
	Prerelease string
	numbers    [3]uint64
}

// Parse reads a version; the second result is false if it is none.
func Parse(text string) (Version, bool) {
	parts := pattern.FindStringSubmatch(text)
	if parts == nil {
		return Version{}, false
	}
	version := Version{Text: text, Prerelease: parts[4]}
	for i := range version.numbers {
		if parts[i+1] == "" {
			continue
		}
		number, err := strconv.ParseUint(parts[i+1], 10, 64)
		if err != nil {
			return Version{}, false
		}
		version.numbers[i] = number
	}
	return version, true
}

// Less compares the three numbers only: pre-releases are never in the running.
func (v Version) Less(other Version) bool {
	for i := range v.numbers {
		if order := cmp.Compare(v.numbers[i], other.numbers[i]); order != 0 {
			return order < 0
		}
	}
	return false
}

// Latest is the highest version that is not a pre-release, or "".
func Latest(texts []string) string {
	var latest Version
	for _, text := range texts {
		version, ok := Parse(text)
		if !ok || version.Prerelease != "" {
			continue
		}
		if latest.Text == "" || latest.Less(version) {
			latest = version
		}
	}
	return latest.Text
}
