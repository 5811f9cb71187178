// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

package main

import (
	"fmt"
	"slices"
	"time"

	"getporter.local/images/internal/store"
)

// displayInstallation is an installation as Porter shows it.
type displayInstallation struct {
	installation
	Calculated calculated `json:"_calculated"`
}

type calculated struct {
	ResolvedParameters []displayValue `json:"resolvedParameters"`
	State              string         `json:"displayInstallationState"`
	Status             string         `json:"displayInstallationStatus"`
}

func (a *app) showInstallation(args []string) error {
	o, err := parseInstallationOptions(args)
	if err != nil {
		return err
	}
	if err := checkFormat(o.format); err != nil {
		return err
	}
	s, err := a.openStore()
	if err != nil {
		return err
	}
	i, err := getInstallation(s, o.namespace, o.name)
	if err != nil {
		return err
	}
	shown := displayed(i)
	shown.Calculated.ResolvedParameters = displayValues(i.Parameters)
	if o.format == jsonFormat {
		return a.printJSON(shown)
	}
	return a.describe(shown)
}

func displayed(i installation) displayInstallation {
	return displayInstallation{i, calculated{State: i.state(), Status: i.Status.ResultStatus}}
}

func (a *app) describe(i displayInstallation) error {
	rows := [][]string{
		{"Namespace:", i.Namespace},
		{"Created:", i.Status.Created.Format(time.RFC3339)},
		{"Modified:", i.Status.Modified.Format(time.RFC3339)},
		{"Reference:", i.Status.BundleReference},
		{"Last Action:", i.Status.Action},
		{"Status:", i.Status.ResultStatus},
		{"State:", i.Calculated.State},
	}
	return a.printTable([]string{"Name:", i.Name}, rows)
}

func (a *app) listInstallations(args []string) error {
	o, err := parseListOptions(args)
	if err != nil {
		return err
	}
	s, err := a.openStore()
	if err != nil {
		return err
	}
	listed, err := installations(s, o)
	if err != nil {
		return fmt.Errorf("could not list installations: %w", err)
	}
	if o.format == jsonFormat {
		return a.printJSON(listed)
	}
	rows := [][]string{}
	for _, i := range listed {
		modified := i.Status.Modified.Format(time.RFC3339)
		rows = append(rows, []string{
			i.Namespace, i.Name, i.Status.BundleVersion, i.Calculated.State, i.Calculated.Status, modified})
	}
	return a.printTable([]string{"NAMESPACE", "NAME", "VERSION", "STATE", "STATUS", "MODIFIED"}, rows)
}

// installations lists the newest first, and without parameters. If there are
// none the list is nil, which Porter prints as null.
func installations(s store.Store, o listOptions) ([]displayInstallation, error) {
	all, err := store.All[installation](s, installationsCollection)
	if err != nil {
		return nil, err
	}
	var listed []displayInstallation
	for _, i := range all {
		if o.selects(i.Namespace, i.Name) {
			i.Parameters = nil
			listed = append(listed, displayed(i))
		}
	}
	slices.SortStableFunc(listed, func(a, b displayInstallation) int {
		return b.Status.Modified.Compare(a.Status.Modified)
	})
	return listed, nil
}
