// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

package store

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
)

type document struct{ Text string }

func TestDocumentsAreKeptByNamespaceAndName(t *testing.T) {
	directory := filepath.Join(t.TempDir(), "not", "there", "yet")
	names := [][2]string{{"", "a"}, {"", "a@b"}, {"a", "b"}, {"a/b", "../c"}, {"..", "d e+f"}}
	for _, name := range names {
		if err := New(directory).Put("things", name[0], name[1], document{name[0] + "|" + name[1]}); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range names {
		var read document
		found, err := New(directory).Get("things", name[0], name[1], &read)
		if err != nil || !found || read.Text != name[0]+"|"+name[1] {
			t.Errorf("%q: %v, %v, %v", name, read, found, err)
		}
	}
	all, err := All[document](New(directory), "things")
	if err != nil || len(all) != len(names) {
		t.Errorf("%v, %v", all, err)
	}
}

func TestWhatIsNotThereIsNoError(t *testing.T) {
	s := New(filepath.Join(t.TempDir(), "none"))
	if found, err := s.Get("things", "", "a", &document{}); found || err != nil {
		t.Error(found, err)
	}
	if all, err := All[document](s, "things"); err != nil || !reflect.DeepEqual(all, []document{}) {
		t.Error(all, err)
	}
	if err := s.Remove("things", "", "a"); err != nil {
		t.Error(err)
	}
}

func TestRemovedDocumentsAreGone(t *testing.T) {
	s := New(t.TempDir())
	for _, name := range []string{"a", "b"} {
		if err := s.Put("things", "", name, document{name}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Remove("things", "", "a"); err != nil {
		t.Fatal(err)
	}
	if all, err := All[document](s, "things"); err != nil || !reflect.DeepEqual(all, []document{{"b"}}) {
		t.Error(all, err)
	}
}

func TestReadersNeverSeeHalfADocument(t *testing.T) {
	directory := t.TempDir()
	long := document{strings.Repeat("x", 1<<20)}
	s := New(directory)
	if err := s.Put("things", "", "a", long); err != nil {
		t.Fatal(err)
	}
	var writers sync.WaitGroup
	for range 4 {
		writers.Add(1)
		go func() {
			defer writers.Done()
			if err := s.Put("things", "", "a", long); err != nil {
				t.Error(err)
			}
		}()
	}
	for range 20 {
		var read document
		if found, err := s.Get("things", "", "a", &read); err != nil || !found || read != long {
			t.Error(found, err, len(read.Text))
		}
	}
	writers.Wait()
	left, err := os.ReadDir(filepath.Join(directory, "things"))
	if err != nil || len(left) != 1 {
		t.Error(left, err)
	}
}

func TestDamageIsTold(t *testing.T) {
	directory := t.TempDir()
	if err := New(directory).Put("things", "", "a", document{}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(New(directory).file("things", "", "a"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := New(directory).Get("things", "", "a", &document{}); err == nil {
		t.Error("no error from Get")
	}
	if _, err := All[document](New(directory), "things"); err == nil {
		t.Error("no error from All")
	}
}
