// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"getporter.local/images/internal/identity"
	"getporter.local/images/internal/versions"
)

type product struct {
	name            string
	versions        []string
	implementations []identity.Implementation
}

// What the feed publishes. The release candidate is there because `latest`
// has to pass it over.
var catalogue = []product{
	{
		name:     "azure",
		versions: []string{"v1.0.1", "v1.2.0", "v1.3.0-rc.1"},
		implementations: []identity.Implementation{
			{Type: "secrets", Name: "keyvault"}, {Type: "storage", Name: "blob"}},
	},
	{
		name:            "hashicorp",
		versions:        []string{"v1.0.0"},
		implementations: []identity.Implementation{{Type: "secrets", Name: "vault"}},
	},
	{
		name:            "kubernetes",
		versions:        []string{"v1.0.0", "v1.0.1"},
		implementations: []identity.Implementation{{Type: "secrets", Name: "secrets"}},
	},
}

func findProduct(name string) (product, bool) {
	for _, p := range catalogue {
		if p.name == name {
			return p, true
		}
	}
	return product{}, false
}

// published lists a product's versions when its latest has to be the given
// one: everything newer is not out yet.
func (p product) published(latest string) []string {
	newest, ok := versions.Parse(latest)
	if !ok {
		return p.versions
	}
	var listed []string
	for _, text := range p.versions {
		if version, ok := versions.Parse(text); ok && version.Less(newest) {
			listed = append(listed, text)
		}
	}
	return append(listed, latest)
}

// find turns a version from a URL into a published one; `latest` is a
// version here too, as it is on Porter's own site.
func (p product) find(version, latest string) (string, bool) {
	listed := p.published(latest)
	if version == "latest" {
		return versions.Latest(listed), true
	}
	return version, slices.Contains(listed, version)
}

// identity is what the plugin will say about itself. The commit looks like
// one, and differs for each version.
func (p product) identity(version string) identity.Identity {
	sum := sha256.Sum256([]byte(p.name + " " + version))
	return identity.Identity{
		Name:            p.name,
		Version:         version,
		Commit:          hex.EncodeToString(sum[:])[:7],
		Author:          "Porter stand-in",
		Implementations: p.implementations,
	}
}
