// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// pluginKey names one thing that a plugin can do, such as secrets.azure.keyvault.
type pluginKey struct{ kind, binary, implementation string }

const internalBinary = "porter"

// parsePluginKey reads a key as it is written in Porter's configuration,
// where the kind (storage or secrets) may be left out.
func parsePluginKey(kind, text string) (pluginKey, error) {
	parts := strings.Split(text, ".")
	switch len(parts) {
	case 1:
		return pluginKey{kind, internalBinary, parts[0]}, nil
	case 2:
		return pluginKey{kind, parts[0], parts[1]}, nil
	case 3:
		return pluginKey{kind, parts[1], parts[2]}, nil
	default:
		return pluginKey{}, fmt.Errorf(
			"invalid plugin key '%s', allowed format is [INTERFACE].BINARY.IMPLEMENTATION", text)
	}
}

func (k pluginKey) String() string {
	return k.kind + "." + k.binary + "." + k.implementation
}

// connect finds out whether a plugin is there and can be run. What is part of
// Porter always is.
func (a *app) connect(kind, text string) error {
	key, err := parsePluginKey(kind, text)
	if err != nil || key.binary == internalBinary {
		return err
	}
	program := filepath.Join(a.pluginsDirectory(), key.binary, key.binary)
	if err := exec.Command(program, "version").Run(); err != nil {
		return fmt.Errorf("could not connect to the %s plugin: %w", key, err)
	}
	return nil
}
