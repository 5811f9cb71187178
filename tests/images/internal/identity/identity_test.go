// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright: Contributors to the getporter.porter collection

package identity

import (
	"bytes"
	"reflect"
	"testing"
)

var azure = Identity{
	Name: "azure", Version: "v1.0.0", Commit: "abc", Author: "someone",
	Implementations: []Implementation{{Type: "secrets", Name: "keyvault"}},
}

func appended(t *testing.T, program string) []byte {
	t.Helper()
	result, err := Append([]byte(program), azure)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func read(content []byte) (Identity, error) {
	return Read(bytes.NewReader(content), int64(len(content)))
}

func TestReadFindsWhatAppendWrote(t *testing.T) {
	got, err := read(appended(t, "program"))
	if err != nil || !reflect.DeepEqual(got, azure) {
		t.Errorf("got %v, %v; want %v", got, err, azure)
	}
}

func TestAppendLeavesTheProgramAlone(t *testing.T) {
	// Spare room behind the program must not be written to: it is shared by
	// all requests.
	program := make([]byte, 7, 4096)
	copy(program, "program")
	if _, err := Append(program, azure); err != nil {
		t.Fatal(err)
	}
	if rest := program[7:20]; !bytes.Equal(rest, make([]byte, 13)) {
		t.Errorf("written behind the program: %q", rest)
	}
}

func TestReadRefuses(t *testing.T) {
	whole := appended(t, "")
	wrongLength := bytes.Clone(whole)
	wrongLength[len(whole)-int(footerSize)] = 0x7f
	negative := bytes.Clone(whole)
	negative[len(whole)-int(footerSize)] = 0xff
	cases := map[string][]byte{
		"empty":           nil,
		"plain program":   bytes.Repeat([]byte("x"), 100),
		"cut short":       whole[:len(whole)-1],
		"wrong length":    wrongLength,
		"negative length": negative,
	}
	for name, content := range cases {
		if got, err := read(content); err == nil {
			t.Errorf("%s: got %v, want an error", name, got)
		}
	}
}
