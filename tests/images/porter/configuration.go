// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// Where Porter looks for its configuration, in this order. It also reads
// config.toml, which the stand-in cannot.
var configurationFiles = []string{"config.json", "config.yaml", "config.yml"}

// The plugins that Porter uses when nothing else is configured; both are part
// of Porter itself.
const (
	defaultStoragePlugin = "mongodb-docker"
	defaultSecretsPlugin = "host"
)

// configuration is what the stand-in heeds of Porter's configuration: which
// plugins are in use.
type configuration struct {
	DefaultStorage       string        `json:"default-storage" yaml:"default-storage"`
	DefaultStoragePlugin string        `json:"default-storage-plugin" yaml:"default-storage-plugin"`
	Storage              []namedPlugin `json:"storage" yaml:"storage"`

	DefaultSecrets       string        `json:"default-secrets" yaml:"default-secrets"`
	DefaultSecretsPlugin string        `json:"default-secrets-plugin" yaml:"default-secrets-plugin"`
	Secrets              []namedPlugin `json:"secrets" yaml:"secrets"`
}

// namedPlugin is a plugin with settings under a name of the user's choice.
type namedPlugin struct {
	Name   string `json:"name" yaml:"name"`
	Plugin string `json:"plugin" yaml:"plugin"`
}

func (a *app) readConfiguration() (configuration, error) {
	var c configuration
	for _, name := range configurationFiles {
		file := filepath.Join(a.home, name)
		err := unmarshalFile(file, &c)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return c, fmt.Errorf("error reading config file at %q: %w", file, err)
		}
		break
	}
	return c, nil
}

func (c configuration) storagePlugin() (string, error) {
	if c.DefaultStorage == "" {
		return firstOf(c.DefaultStoragePlugin, defaultStoragePlugin), nil
	}
	plugin, ok := find(c.Storage, c.DefaultStorage)
	if !ok {
		return "", fmt.Errorf("store '%s' not defined", c.DefaultStorage)
	}
	return firstOf(plugin, c.DefaultStoragePlugin, defaultStoragePlugin), nil
}

func (c configuration) secretsPlugin() (string, error) {
	if c.DefaultSecrets == "" {
		return firstOf(c.DefaultSecretsPlugin, defaultSecretsPlugin), nil
	}
	plugin, ok := find(c.Secrets, c.DefaultSecrets)
	if !ok {
		// Porter itself leaves the name out of this message.
		return "", errors.New("secrets %q not defined")
	}
	return firstOf(plugin, c.DefaultSecretsPlugin, defaultSecretsPlugin), nil
}

func find(plugins []namedPlugin, name string) (string, bool) {
	for _, plugin := range plugins {
		if plugin.Name == name {
			return plugin.Plugin, true
		}
	}
	return "", false
}
