// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"getporter.local/images/internal/store"
)

// reconcile is one run of `installation apply`, from the file that was read
// to what has to be done.
type reconcile struct {
	*app
	store         store.Store
	force, dryRun bool
}

func (a *app) applyInstallation(args []string) error {
	r := reconcile{app: a}
	options, err := parseApplyOptions(args, map[string]*bool{"force": &r.force, "dry-run": &r.dryRun})
	if err != nil {
		return err
	}
	spec, err := readInstallation(options)
	if err != nil {
		return err
	}
	if r.store, err = a.openStore(); err != nil {
		return err
	}
	i, err := r.merge(spec)
	if err != nil {
		return err
	}
	if spec.Bundle.Repository == "" {
		return errors.New("the installation does not define a valid bundle reference.")
	}
	return r.reconcile(i)
}

func readInstallation(o applyOptions) (installationSpec, error) {
	var spec installationSpec
	namespace, err := o.settledNamespace()
	if err != nil {
		return spec, err
	}
	if err := unmarshalFile(o.file, &spec); err != nil {
		return spec, fmt.Errorf("unable to parse %s as an installation document: %w", o.file, err)
	}
	spec.Namespace = namespace
	if err := spec.validate(); err != nil {
		return spec, fmt.Errorf("invalid installation: %w", err)
	}
	spec.SchemaType = installationSchema.kind
	return spec, nil
}

// merge puts what the document says into the record, an old one or a new one.
func (r reconcile) merge(spec installationSpec) (installation, error) {
	i := newInstallation()
	found, err := r.store.Get(installationsCollection, spec.Namespace, spec.Name, &i)
	if err != nil {
		return i, fmt.Errorf("could not query for an existing installation document for %s: %w", spec, err)
	}
	if found {
		r.info("Updating %s installation", spec)
	} else {
		r.info("Creating a new installation")
	}
	i.installationSpec = spec
	return i, nil
}

// reconcile runs the bundle if the installation is not what it is to be.
func (r reconcile) reconcile(i installation) error {
	action := nextAction(i)
	if !r.dryRun {
		if err := i.save(r.store); err != nil {
			return err
		}
	}
	inSync, reason, err := r.inSync(i)
	if err != nil {
		return err
	}
	if reason != "" {
		r.info("%s", reason)
	}
	if inSync && !r.force {
		r.info("The installation is already up-to-date.")
		return nil
	}
	if inSync {
		r.info("The installation is up-to-date but will be re-applied because --force was specified")
	}
	r.info("The installation is out-of-sync, running the %s action...", action)
	if r.dryRun {
		r.info("Skipping bundle execution because --dry-run was specified")
		return nil
	}
	return r.execute(r.store, i, action)
}

func nextAction(i installation) string {
	switch {
	case !i.isInstalled():
		return "install"
	case i.Uninstalled:
		return "uninstall"
	default:
		return "upgrade"
	}
}

// inSync compares an installation with its last run, and says why Porter has
// to do something, or why it leaves the installation alone.
func (r reconcile) inSync(i installation) (same bool, reason string, err error) {
	switch {
	case i.isUninstalled():
		return true, "Ignoring because the installation is uninstalled", nil
	case i.Uninstalled && i.isInstalled():
		return false, "Triggering because installation.uninstalled is true", nil
	case i.Uninstalled:
		return true, "Ignoring because installation.uninstalled is true but the installation doesn't exist yet", nil
	case !i.isInstalled():
		return false, "Triggering because the installation has not completed successfully yet", nil
	}
	var last run
	found, err := r.store.Get(runsCollection, i.Namespace, i.Name, &last)
	if err != nil || !found {
		return false, "Triggering because the last run for the installation wasn't recorded", err
	}
	next, err := newRun(i)
	if err != nil {
		return false, "", err
	}
	same, reason = last.equals(next)
	return same, reason, nil
}

func (r run) equals(next run) (same bool, reason string) {
	switch {
	case r.BundleReference != next.BundleReference:
		return false, "Triggering because the bundle definition has changed"
	case !maps.Equal(r.Parameters, next.Parameters):
		return false, "Triggering because the parameters have changed"
	case !slices.Equal(r.CredentialSets, next.CredentialSets):
		return false, "Triggering because the credential set names have changed"
	default:
		return true, ""
	}
}
