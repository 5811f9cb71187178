// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// bundle says which bundle an installation is of.
type bundle struct {
	Repository string `json:"repository,omitempty" yaml:"repository"`
	Version    string `json:"version,omitempty" yaml:"version"`
	Digest     string `json:"digest,omitempty" yaml:"digest"`
	Tag        string `json:"tag,omitempty" yaml:"tag"`
}

var (
	repositoryName = regexp.MustCompile(`^[A-Za-z0-9.-]+(:\d+)?(/[a-z0-9]+([._-]+[a-z0-9]+)*)*$`)
	tagName        = regexp.MustCompile(`^\w[\w.-]{0,127}$`)
	digestValue    = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)
)

// reference joins the parts to one text. Without a repository it is empty:
// that is another error, which Porter reports later.
func (b bundle) reference() (string, error) {
	if b.Repository == "" {
		return "", nil
	}
	if !repositoryName.MatchString(b.Repository) {
		return "", fmt.Errorf("invalid bundle Repository %s: invalid reference format", b.Repository)
	}
	// The first that is set wins.
	switch {
	case b.Digest != "":
		if !digestValue.MatchString(b.Digest) {
			return "", fmt.Errorf("invalid bundle Digest %s: invalid checksum digest format", b.Digest)
		}
		return b.Repository + "@" + b.Digest, nil
	case b.Version != "":
		return b.tagged("Version", "v"+strings.TrimPrefix(b.Version, "v"))
	case b.Tag != "":
		return b.tagged("Tag", b.Tag)
	default:
		return "", errors.New("Invalid bundle reference, either Digest, Version, or Tag must be specified")
	}
}

func (b bundle) tagged(part, tag string) (string, error) {
	if !tagName.MatchString(tag) {
		return "", fmt.Errorf("error joining the bundle Repository %s and %s %s: invalid tag format",
			b.Repository, part, tag)
	}
	return b.Repository + ":" + tag, nil
}

// name is the bundle's own, as far as it can be known without the bundle.
func (b bundle) name() string {
	return b.Repository[strings.LastIndex(b.Repository, "/")+1:]
}
