// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

package versions

import "testing"

func TestLatest(t *testing.T) {
	cases := []struct {
		name  string
		texts []string
		want  string
	}{
		{"numbers, not text", []string{"v1.9.0", "v1.10.0", "v1.2.0"}, "v1.10.0"},
		{"no pre-releases", []string{"v1.0.0", "v2.0.0-rc.1", "v2.0.0-alpha"}, "v1.0.0"},
		{"no words", []string{"canary", "v0.1.0", "latest"}, "v0.1.0"},
		{"short forms", []string{"1", "v1.1", "1.0.9"}, "v1.1"},
		{"build metadata", []string{"v1.0.0+build.5", "v0.9.0"}, "v1.0.0+build.5"},
		{"first of equals", []string{"v1.0.0", "1.0"}, "v1.0.0"},
		{"only pre-releases", []string{"v1.0.0-rc.1"}, ""},
		{"nothing", nil, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := Latest(c.texts); got != c.want {
				t.Errorf("Latest(%v) = %q, want %q", c.texts, got, c.want)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{"", "v", "v1.2.3.4", "1.x", "v1.0.0-", "v99999999999999999999"} {
		if version, ok := Parse(text); ok {
			t.Errorf("Parse(%q) = %v, want none", text, version)
		}
	}
}
