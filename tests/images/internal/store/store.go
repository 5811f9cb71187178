// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

// Package store keeps documents as JSON files in a directory. Several
// processes may use one directory at a time, each document is whole always.
package store

import (
	"encoding/json"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

const suffix = ".json"

// Store is a directory of documents.
type Store struct{ directory string }

// New is a store in a directory, which is made when it is first needed.
func New(directory string) Store {
	return Store{directory}
}

// file is where a document lies. Escaped names hold neither slashes nor the
// sign that separates them.
func (s Store) file(collection, namespace, name string) string {
	base := url.QueryEscape(namespace) + "@" + url.QueryEscape(name) + suffix
	return filepath.Join(s.directory, collection, base)
}

// Put writes a document, in the place of an earlier one with its name.
func (s Store) Put(collection, namespace, name string, document any) error {
	text, err := json.MarshalIndent(document, "", "  ")
	if err != nil {
		return err
	}
	target := s.file(collection, namespace, name)
	if err := os.MkdirAll(filepath.Dir(target), 0o770); err != nil {
		return err
	}
	fresh, err := os.CreateTemp(filepath.Dir(target), "*.new")
	if err != nil {
		return err
	}
	// Nothing is left to remove when all went well.
	defer os.Remove(fresh.Name())
	_, err = fresh.Write(text)
	// Another pod on the same volume may run as another user of the group.
	if err := errors.Join(err, fresh.Chmod(0o660), fresh.Close()); err != nil {
		return err
	}
	return os.Rename(fresh.Name(), target)
}

// Get reads a document, and tells whether there is one.
func (s Store) Get(collection, namespace, name string, document any) (bool, error) {
	text, err := os.ReadFile(s.file(collection, namespace, name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, json.Unmarshal(text, document)
}

// Remove deletes a document, if there is one.
func (s Store) Remove(collection, namespace, name string) error {
	err := os.Remove(s.file(collection, namespace, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// All reads the documents of a collection, by namespace and name.
func All[T any](s Store, collection string) ([]T, error) {
	directory := filepath.Join(s.directory, collection)
	entries, err := os.ReadDir(directory)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	documents := []T{}
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), suffix) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(directory, entry.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			// Somebody removed it since the directory was read.
			continue
		}
		if err != nil {
			return nil, err
		}
		var document T
		if err := json.Unmarshal(text, &document); err != nil {
			return nil, err
		}
		documents = append(documents, document)
	}
	return documents, nil
}
