// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

package main

import (
	"fmt"

	"getporter.local/images/internal/store"
)

func (a *app) uninstall(args []string) error {
	var namespace string
	var remove, forceRemove bool
	flags := flagSet{
		values:   map[string]*string{"namespace": &namespace},
		short:    map[string]string{"n": "namespace"},
		switches: map[string]*bool{"delete": &remove, "force-delete": &forceRemove},
	}
	names, err := flags.parse(args)
	if err != nil {
		return err
	}
	name, err := installationName(names)
	if err != nil {
		return err
	}
	s, err := a.openStore()
	if err != nil {
		return err
	}
	i, err := getInstallation(s, namespace, name)
	if err != nil {
		return fmt.Errorf("installation %s/%s not found: %w", namespace, name, err)
	}
	a.info("uninstalling bundle")
	if err := a.execute(s, i, "uninstall"); err != nil {
		return err
	}
	if remove || forceRemove {
		a.info("deleting installation records")
		return removeRecords(s, i)
	}
	return nil
}

func removeRecords(s store.Store, i installation) error {
	for _, collection := range []string{installationsCollection, runsCollection} {
		if err := s.Remove(collection, i.Namespace, i.Name); err != nil {
			return err
		}
	}
	return nil
}
