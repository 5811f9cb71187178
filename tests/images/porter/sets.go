// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

package main

import (
	"errors"
	"fmt"
	"time"

	"getporter.local/images/internal/store"
)

// setKind is a kind of sets; both kinds are handled alike.
type setKind struct {
	schema     schema
	title      string
	collection string
}

var (
	credentialSets = setKind{schema{"CredentialSet", "1.0.1"}, "credential set", credentialsCollection}
	parameterSets  = setKind{schema{"ParameterSet", "1.0.1"}, "parameter set", parametersCollection}
)

// set is a credential set or a parameter set: where values come from.
type set struct {
	SchemaType    string            `json:"schemaType" yaml:"schemaType"`
	SchemaVersion string            `json:"schemaVersion" yaml:"schemaVersion"`
	Namespace     string            `json:"namespace" yaml:"namespace"`
	Name          string            `json:"name" yaml:"name"`
	Labels        map[string]string `json:"labels,omitempty" yaml:"labels"`
	Credentials   []mapping         `json:"credentials,omitempty" yaml:"credentials"`
	Parameters    []mapping         `json:"parameters,omitempty" yaml:"parameters"`
	Status        setStatus         `json:"status" yaml:"status"`
}

type mapping struct {
	Name   string         `json:"name" yaml:"name"`
	Source map[string]any `json:"source" yaml:"source"`
}

type setStatus struct {
	Created  time.Time `json:"created" yaml:"created"`
	Modified time.Time `json:"modified" yaml:"modified"`
}

func (k setKind) apply(a *app, args []string) error {
	options, err := parseApplyOptions(args, nil)
	if err != nil {
		return err
	}
	document, err := k.read(options)
	if err != nil {
		return err
	}
	s, err := a.openStore()
	if err != nil {
		return err
	}
	if err := s.Put(k.collection, document.Namespace, document.Name, document); err != nil {
		return err
	}
	a.info("Applied %s/%s %s", document.Namespace, document.Name, k.title)
	return nil
}

func (k setKind) read(o applyOptions) (set, error) {
	var document set
	namespace, err := o.settledNamespace()
	if err != nil {
		return document, err
	}
	if err := unmarshalFile(o.file, &document); err != nil {
		return document, fmt.Errorf("could not load %s as a %s: %w", o.file, k.title, err)
	}
	if err := k.validate(document); err != nil {
		return document, fmt.Errorf("invalid %s: %w", k.title, err)
	}
	document.SchemaType, document.Namespace = k.schema.kind, namespace
	document.Status.Modified = time.Now().UTC()
	return document, nil
}

func (k setKind) validate(document set) error {
	if err := k.schema.check(document.SchemaType, document.SchemaVersion); err != nil {
		return err
	}
	if document.Name == "" {
		return errors.New("no name was specified")
	}
	return nil
}

func (k setKind) list(a *app, args []string) error {
	o, err := parseListOptions(args)
	if err != nil {
		return err
	}
	s, err := a.openStore()
	if err != nil {
		return err
	}
	all, err := store.All[set](s, k.collection)
	if err != nil {
		return err
	}
	listed, rows := []set{}, [][]string{}
	for _, each := range all {
		if o.selects(each.Namespace, each.Name) {
			listed = append(listed, each)
			rows = append(rows, []string{each.Namespace, each.Name, each.Status.Modified.Format(time.RFC3339)})
		}
	}
	if o.format == jsonFormat {
		return a.printJSON(listed)
	}
	return a.printTable([]string{"NAMESPACE", "NAME", "MODIFIED"}, rows)
}

// need fails unless there is a set of this name in the namespace or in the
// global one.
func (k setKind) need(s store.Store, namespace, name string) error {
	for _, place := range []string{namespace, ""} {
		var document set
		found, err := s.Get(k.collection, place, name, &document)
		if err != nil || found {
			return err
		}
	}
	return notFound(name)
}
