// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

package main

import (
	"fmt"
	"os"
	"path/filepath"

	"getporter.local/images/internal/store"
)

// Collections of the store; the names are Porter's.
const (
	installationsCollection = "installations"
	runsCollection          = "runs"
	credentialsCollection   = "credentials"
	parametersCollection    = "parameters"
)

// openStore gives the place of all records, once the configured plugins turn
// out to be there.
func (a *app) openStore() (store.Store, error) {
	var none store.Store
	c, err := a.readConfiguration()
	if err != nil {
		return none, err
	}
	plugin, err := c.storagePlugin()
	if err != nil {
		return none, err
	}
	if err := a.connect("storage", plugin); err != nil {
		return none, err
	}
	if plugin, err = c.secretsPlugin(); err != nil {
		return none, err
	}
	if err := a.connect("secrets", plugin); err != nil {
		return none, err
	}
	return store.New(firstOf(os.Getenv("STANDIN_STORE"), filepath.Join(a.home, "standin-store"))), nil
}

// notFound is an error that names what was looked for as Porter does.
func notFound(what string) error {
	return fmt.Errorf("%s not found", what)
}
