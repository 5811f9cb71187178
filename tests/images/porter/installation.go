// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

package main

import (
	"crypto/rand"
	"encoding/base32"
	"errors"
	"fmt"
	"time"

	"getporter.local/images/internal/store"
)

var installationSchema = schema{"Installation", "1.0.2"}

// installationSpec is what an installation is to be: the part of a record
// that a document can set.
type installationSpec struct {
	SchemaType     string            `json:"schemaType" yaml:"schemaType"`
	SchemaVersion  string            `json:"schemaVersion" yaml:"schemaVersion"`
	Name           string            `json:"name" yaml:"name"`
	Namespace      string            `json:"namespace" yaml:"namespace"`
	Uninstalled    bool              `json:"uninstalled,omitempty" yaml:"uninstalled"`
	Bundle         bundle            `json:"bundle" yaml:"bundle"`
	Labels         map[string]string `json:"labels,omitempty" yaml:"labels"`
	CredentialSets []string          `json:"credentialSets,omitempty" yaml:"credentialSets"`
	ParameterSets  []string          `json:"parameterSets,omitempty" yaml:"parameterSets"`
	Parameters     map[string]any    `json:"parameters,omitempty" yaml:"parameters"`
}

// installation is the whole record.
type installation struct {
	installationSpec
	ID     string             `json:"id"`
	Status installationStatus `json:"status"`
}

type installationStatus struct {
	RunID           string     `json:"runId"`
	Action          string     `json:"action"`
	ResultID        string     `json:"resultId"`
	ResultStatus    string     `json:"resultStatus"`
	Created         time.Time  `json:"created"`
	Modified        time.Time  `json:"modified"`
	Installed       *time.Time `json:"installed"`
	Uninstalled     *time.Time `json:"uninstalled"`
	BundleReference string     `json:"bundleReference"`
	BundleVersion   string     `json:"bundleVersion"`
	BundleDigest    string     `json:"bundleDigest"`
}

func (s installationSpec) String() string {
	return s.Namespace + "/" + s.Name
}

func (s installationSpec) validate() error {
	if err := installationSchema.check(s.SchemaType, s.SchemaVersion); err != nil {
		return err
	}
	if s.Name == "" {
		return errors.New("no name was specified")
	}
	if _, err := s.Bundle.reference(); err != nil {
		return fmt.Errorf("could not determine the fully-qualified bundle reference: %w", err)
	}
	return nil
}

func newInstallation() installation {
	now := time.Now().UTC()
	return installation{ID: newID(), Status: installationStatus{Created: now, Modified: now}}
}

// newID has the length and the alphabet of Porter's identifiers.
func newID() string {
	var random [16]byte
	// It never fails.
	_, _ = rand.Read(random[:])
	alphabet := base32.NewEncoding("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
	return alphabet.WithPadding(base32.NoPadding).EncodeToString(random[:])
}

func (i installation) isInstalled() bool {
	return i.Status.Installed != nil && !i.isUninstalled()
}

func (i installation) isUninstalled() bool {
	if i.Status.Uninstalled == nil || i.Status.Installed == nil {
		return i.Status.Uninstalled != nil
	}
	return i.Status.Uninstalled.After(*i.Status.Installed)
}

// state is a word for people: what became of the installation so far.
func (i installation) state() string {
	switch {
	case i.isUninstalled():
		return "uninstalled"
	case i.isInstalled():
		return "installed"
	default:
		return "defined"
	}
}

// getInstallation reads a record that has to be there.
func getInstallation(s store.Store, namespace, name string) (installation, error) {
	var i installation
	found, err := s.Get(installationsCollection, namespace, name, &i)
	if err == nil && !found {
		err = notFound("Installation")
	}
	return i, err
}

func (i installation) save(s store.Store) error {
	return s.Put(installationsCollection, i.Namespace, i.Name, i)
}
