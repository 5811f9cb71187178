// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

package main

import (
	"fmt"
	"slices"
	"time"

	"getporter.local/images/internal/store"
)

// run is what is kept of the last time that an installation's bundle was
// executed.
type run struct {
	ID              string            `json:"id"`
	BundleReference string            `json:"bundleReference"`
	Parameters      map[string]string `json:"parameters"`
	CredentialSets  []string          `json:"credentialSets"`
	Outputs         []displayValue    `json:"outputs"`
}

// newRun is a run of an installation as it is now. The bundle's outputs are
// made up: the reference, and an echo of each parameter.
func newRun(i installation) (run, error) {
	reference, err := i.Bundle.reference()
	if err != nil {
		return run{}, err
	}
	r := run{ID: newID(), BundleReference: reference, Parameters: map[string]string{}}
	r.CredentialSets = slices.Sorted(slices.Values(i.CredentialSets))
	r.Outputs = []displayValue{{Name: "reference", Type: "string", Value: reference}}
	for _, parameter := range displayValues(i.Parameters) {
		text, err := textOf(parameter.Value)
		if err != nil {
			return run{}, err
		}
		r.Parameters[parameter.Name] = text
		r.Outputs = append(r.Outputs, displayValue{Name: "echo-" + parameter.Name, Type: parameter.Type, Value: text})
	}
	slices.SortFunc(r.Outputs, byName)
	return r, nil
}

// execute takes the place of running the bundle: it checks what would be
// needed, says what Porter and a bundle would say, and records success.
func (a *app) execute(s store.Store, i installation, action string) error {
	// Recorded before the bundle is run, so that a failure leaves a trace.
	if err := i.save(s); err != nil {
		return err
	}
	if err := checkSets(s, i); err != nil {
		return err
	}
	r, err := newRun(i)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "executing %s action from %s (installation: %s)\n", action, i.Bundle.name(), i)
	fmt.Fprintln(a.out, "execution completed successfully!")
	if err := s.Put(runsCollection, i.Namespace, i.Name, r); err != nil {
		return err
	}
	i.Status.succeed(action, r)
	i.Status.BundleVersion, i.Status.BundleDigest = i.Bundle.Version, i.Bundle.Digest
	return i.save(s)
}

func (s *installationStatus) succeed(action string, r run) {
	now := time.Now().UTC()
	s.RunID, s.ResultID, s.BundleReference = r.ID, newID(), r.BundleReference
	s.Action, s.ResultStatus, s.Modified = action, "succeeded", now
	switch action {
	case "install":
		s.Installed = &now
	case "uninstall":
		s.Uninstalled = &now
	}
}

// checkSets looks for the sets that an installation names, first in its own
// namespace and then in the global one.
func checkSets(s store.Store, i installation) error {
	for _, name := range i.ParameterSets {
		if err := parameterSets.need(s, i.Namespace, name); err != nil {
			return err
		}
	}
	for _, name := range i.CredentialSets {
		if err := credentialSets.need(s, i.Namespace, name); err != nil {
			return fmt.Errorf("could not load credentials: %w", err)
		}
	}
	return nil
}
