// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

package main

import (
	"fmt"
	"regexp"
	"strings"
)

// schema is a kind of document, and the one version of it that is accepted.
type schema struct{ kind, version string }

var semanticVersion = regexp.MustCompile(`^v?\d+(\.\d+){0,2}(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`)

// check compares what a document says about itself. The kind may be left out
// and may have any case.
func (s schema) check(kind, version string) error {
	version = firstOf(version, "(none)")
	if !semanticVersion.MatchString(version) {
		return fmt.Errorf("%s is not a valid semantic version: invalid schema version", version)
	}
	if strings.TrimPrefix(version, "v") != s.version {
		return fmt.Errorf("the schema version is %s but the supported schema version is %s. "+
			"See https://porter.sh/reference/file-formats/#supported-versions for more details: "+
			"invalid schema version", version, s.version)
	}
	if kind != "" && !strings.EqualFold(kind, s.kind) {
		return fmt.Errorf("invalid schemaType %s, expected %s", kind, s.kind)
	}
	return nil
}
